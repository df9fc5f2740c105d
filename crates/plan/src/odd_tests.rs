//! Odd batches as models write them, from a table: each runs as it is meant, or is rejected before anything
//! runs with what to write instead.

use super::*;
use model::{Args, Field, Hints, Input, Schema, Selection, ToolPath};
use serde_json::{Map, Value, json};
use std::cell::Cell;
use std::time::Duration;

const BATCHES: &str = include_str!("odd_batches.json");

fn input(tool: &str) -> Option<Input> {
    let list = |item| Schema::List(Box::new(item));
    let states = Schema::OneOf(vec![json!("open"), json!("closed")]);
    let fields = match tool {
        "list" | "rows" | "issues" => vec![],
        "add" => vec![Field::required("a", Schema::Int), Field::required("b", Schema::Int)],
        "echo" => vec![Field::required("text", Schema::Str)],
        "any" => vec![Field::required("value", Schema::Any)],
        "note" => vec![
            Field::required("text", Schema::Str),
            Field::optional("tags", list(Schema::Str), Some(json!([]))),
            Field::optional("state", states, Some(json!("open"))),
        ],
        _ => return None,
    };
    Some(Input::typed(fields, false))
}

fn lookup(path: &ToolPath) -> Result<PlannedTool, String> {
    let tool = path.tool.as_str();
    let input = input(tool).filter(|_| path.module.as_str() == "t");
    let select = json!(["number", "author: user.login"]);
    Ok(PlannedTool {
        hints: Hints { read_only: Some(!matches!(tool, "add" | "note")), ..Hints::default() },
        input: input.ok_or_else(|| format!("there is no tool `{path}`"))?,
        select: (tool == "issues").then(|| Selection::parse(&select).unwrap()),
    })
}

fn call(tool: &str, args: Args) -> Result<Value, Failure> {
    let accepted = input(tool).unwrap().accept(args);
    let mut args = accepted.map_err(|why| Failure::new("rejected", why.to_string()))?;
    let number = |args: &Args, name: &str| args[name].as_i64().unwrap();
    Ok(match tool {
        "list" => {
            json!({"results": [{"id": "p1", "title": "A"}, {"id": "p2", "title": "B"}], "total": 2})
        }
        "rows" => json!([{"id": 1}]),
        "issues" => {
            json!({"results": [{"number": 7, "user": {"login": "ada", "id": 1}}], "total": 1})
        }
        "add" => json!(number(&args, "a") + number(&args, "b")),
        "echo" => args.remove("text").unwrap(),
        "any" => args.remove("value").unwrap(),
        _ => Value::Object(args),
    })
}

/// Results that are shown, and errors by id.
fn play(plan: Plan, calls: &Cell<usize>) -> (Value, Value) {
    let (mut run, now) = (Run::new(plan), Duration::ZERO);
    while !run.is_done() {
        for start in run.start(now) {
            calls.set(calls.get() + 1);
            let tool = run.task(start.job).tool.tool.to_string();
            run.ended(start.job, call(&tool, start.args), now);
        }
    }
    let report = run.report(now);
    let shown = report.tasks().filter_map(|ended| {
        let value = ended.value?;
        Some((ended.task.id.to_string(), Value::clone(value)))
    });
    let results: Map<String, Value> = shown.collect();
    let answer = report.answer(Map::new());
    (Value::Object(results), answer["errors"].clone())
}

#[test]
fn odd_batches_run_as_they_are_meant_or_are_rejected_with_the_right_spelling() {
    let batches: Vec<Value> = serde_json::from_str(BATCHES).unwrap();
    assert!(batches.len() >= 100, "{} batches", batches.len());
    let mut wrong = Vec::new();
    for batch in &batches {
        let calls = Cell::new(0);
        let plan = Plan::read(&batch["tasks"], PlanLimits::default(), &lookup);
        let got = plan.map(|plan| play(plan, &calls));
        let is_right = match (&got, batch.get("rejected").and_then(Value::as_str)) {
            (Err(refused), Some(why)) => refused.to_string().contains(why) && calls.get() == 0,
            (Ok((results, errors)), None) => {
                let none = Map::new();
                let expected = batch.get("errors").and_then(Value::as_object);
                let expected = expected.unwrap_or(&none);
                let errors = errors.as_object().unwrap();
                let is_said = |(id, why): (&String, &Value)| {
                    let message = errors.get(id).and_then(|error| error["message"].as_str());
                    message.is_some_and(|message| message.contains(why.as_str().unwrap()))
                };
                *results == batch["results"]
                    && errors.len() == expected.len()
                    && expected.iter().all(is_said)
            }
            _ => false,
        };
        if !is_right {
            wrong.push(format!("{batch}\n  got {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
