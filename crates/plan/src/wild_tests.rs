//! Whatever is sent: nothing panics, and what is accepted comes to an end.

use super::dice::Dice;
use super::*;
use model::Hints;
use serde_json::{Map, Value, json};
use std::time::Duration;

const SCRAPS: [&str; 41] = [
    "${",
    "$${",
    "$",
    "}",
    "{",
    "[",
    "]",
    "(",
    ")",
    "json(",
    "??",
    "?",
    ".",
    "..",
    "*",
    "[*]",
    "-",
    "0",
    "-1",
    "99999999999999999999",
    "1e999",
    "\"",
    "\\",
    "\\u00",
    "'",
    " ",
    "\n",
    "a",
    "b",
    "item",
    "index",
    "results",
    "==",
    "<",
    ">=",
    "!",
    "null",
    "true",
    "日本",
    "\u{0}",
    "{{",
];

const FIELDS: [&str; 16] = [
    "id",
    "module",
    "tool",
    "params",
    "after",
    "output",
    "raw_output",
    "select",
    "when",
    "foreach",
    "timeout_ms",
    "retry",
    "on_error",
    "max",
    "on",
    "",
];

fn text(dice: &mut Dice) -> String {
    if dice.percent(50) {
        let whole = [
            "a",
            "b",
            "${a}",
            "${b.x ?? 1}",
            "${a[*].b[-1]}",
            "${item}",
            "1 < 2",
            "${json(b)} == \"\"",
        ];
        return (*dice.pick(&whole)).to_owned();
    }
    (0..dice.roll(12)).map(|_| *dice.pick(&SCRAPS)).collect()
}

fn value(dice: &mut Dice, depth: usize) -> Value {
    match dice.roll(if depth == 0 { 6 } else { 9 }) {
        0 => Value::Null,
        1 => json!(dice.percent(50)),
        2 => json!(i64::try_from(dice.roll(100)).unwrap() - 5),
        3..=5 => json!(text(dice)),
        6 => (0..dice.roll(4)).map(|_| value(dice, depth - 1)).collect(),
        _ => {
            let field =
                |dice: &mut Dice| ((*dice.pick(&FIELDS)).to_owned(), value(dice, depth - 1));
            Value::Object((0..dice.roll(5)).map(|_| field(dice)).collect())
        }
    }
}

/// Mostly what a task looks like.
fn task(dice: &mut Dice) -> Value {
    let mut task = Map::new();
    task.insert("id".to_owned(), json!(dice.pick(&["a", "b", "c", "item"])));
    task.insert("module".to_owned(), json!("m"));
    task.insert("tool".to_owned(), json!("t"));
    for _ in 0..dice.roll(3) {
        let (field, value) = match dice.roll(8) {
            0 => ("after", json!([dice.pick(&["a", "b", "c", "d"])])),
            1 => ("params", json!({"x": text(dice)})),
            2 => ("when", json!(text(dice))),
            3 => ("foreach", json!("${a ?? [1, null]}")),
            4 => ("foreach", json!([1, text(dice)])),
            5 => ("on_error", json!("continue")),
            6 => ("retry", json!({"max": 1})),
            _ => (*dice.pick(&FIELDS), value(dice, 2)),
        };
        task.insert(field.to_owned(), value);
    }
    Value::Object(task)
}

fn source(dice: &mut Dice) -> Value {
    let tasks: Vec<Value> = (0..dice.roll(4)).map(|_| task(dice)).collect();
    match dice.roll(8) {
        0 => value(dice, 3),
        1 => json!(text(dice)),
        2 => {
            let lines: Vec<String> = tasks.iter().map(Value::to_string).collect();
            let mut text: Vec<char> = lines.join("\n").chars().collect();
            for _ in 0..dice.roll(3) {
                let place = dice.roll(text.len() + 1);
                text.splice(place..place, dice.pick(&SCRAPS).chars());
            }
            json!(text.into_iter().collect::<String>())
        }
        _ => Value::Array(tasks),
    }
}

/// Answers everything with something until nothing is left to do.
fn play_out(plan: Plan, dice: &mut Dice) {
    let (mut run, mut now, mut open) = (Run::new(plan), Duration::ZERO, Vec::new());
    while !run.is_done() {
        open.extend(run.start(now));
        if open.is_empty() {
            now = run.wake().unwrap_or(now);
            assert!(run.is_done() || run.wake().is_some(), "waits for nothing: {run:?}");
            continue;
        }
        let start = open.swap_remove(dice.roll(open.len()));
        let busy = Failure::new("busy", "busy").passing(Passing::Timeout);
        let result = if dice.percent(80) { Ok(value(dice, 3)) } else { Err(busy) };
        run.ended(start.job, result, now);
    }
    assert!(open.is_empty(), "ended with calls under way");
    run.report(now).answer(Map::new());
}

#[test]
fn no_input_panics_and_no_accepted_plan_waits_for_ever() {
    let (mut accepted, mut dice) = (0, Dice(6));
    let hints = Hints { read_only: Some(true), ..Hints::default() };
    for _ in 0..10_000 {
        let source = source(&mut dice);
        match Plan::read(&source, PlanLimits::default(), &|_| Ok(hints.into())) {
            Ok(plan) => {
                accepted += 1;
                play_out(plan, &mut dice);
            }
            Err(refused) => assert!(!refused.to_string().is_empty()),
        }
    }
    assert!((1_000..9_000).contains(&accepted), "{accepted} of both kinds are wanted");
}

#[test]
fn no_text_panics() {
    let mut dice = Dice(7);
    for _ in 0..10_000 {
        let text: String = (0..dice.roll(16)).map(|_| *dice.pick(&SCRAPS)).collect();
        let task =
            json!({"id": "a", "module": "m", "tool": "t", "params": {"x": text}, "when": text});
        let _ = Plan::read(&json!([task]), PlanLimits::default(), &|_| Ok(Hints::default().into()));
        let _ = Plan::read(&json!(text), PlanLimits::default(), &|_| Ok(Hints::default().into()));
    }
}

#[test]
fn long_and_deep_texts_take_no_stack() {
    let read = |text: String| {
        let tasks = json!([{"id": "a", "module": "m", "tool": "t", "params": {"x": text}}]);
        let refused = Plan::read(&tasks, PlanLimits::default(), &|_| Ok(Hints::default().into()));
        refused.unwrap_err().to_string().lines().next().unwrap().to_owned()
    };
    assert_eq!(
        read(format!("${{b{}}}", ".x[0]".repeat(100_000))),
        "task `a`: `params.x`, column 1: there is no task `b` (the text `${` is written as `$${`)"
    );
    let deep = read(format!("${{b ?? {}}}", "[".repeat(100_000)));
    assert!(deep.starts_with("task `a`: `params.x`, column 8: `[[["), "{deep}");
    let closed = format!("${{b ?? {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let literal =
        "is not a JSON literal; text stands in double quotes; the text `${` is written as `$${`";
    assert!(read(closed).ends_with(literal));
    // Marks that are never closed are not looked for to the end, again and again.
    for mark in ["{", "{{", "{a.x ", "{{a.x ", "$a[", "<", "<a.x ", "[[", "[[a.x ", "$(a.x ", "a-"]
    {
        read(format!("{}${{b}}", mark.repeat(100_000)));
    }
    assert!(read("${b} ".repeat(20_000)).contains("column 1: there is no task `b`"));
}
