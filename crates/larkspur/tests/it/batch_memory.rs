//! Peak memory of batches whose references multiply their results, read from outside the process.
#![cfg(target_os = "linux")]

use crate::fixture::{Opening, Server};
use crate::room::Room;
use serde_json::{Value, json};

const TOOLS: &str = r#"
def text(n: int) -> str:
    return "x" * n

def texts(n: int) -> list[str]:
    return ["x" * 1000000 for i in range(n)]

def numbers(n: int) -> list[int]:
    return [7 for i in range(n)]

def measure(v) -> str:
    return type(v)

def length(v: str) -> int:
    return len(v)

def nested(ctx, tasks: list) -> dict:
    return ctx.call("batch", {"tasks": tasks})

tool(text); tool(texts); tool(numbers); tool(measure); tool(length); tool(nested)
"#;

/// Memory beyond the results that any batch may use.
const ALLOWANCE: u64 = 64 << 10;

/// One mebibyte of text.
const MEBIBYTE: usize = 1 << 20;

/// Runs the tasks after `a`, and returns the response and the kilobytes they added to the peak.
fn run(source: (&str, usize), tasks: Vec<Value>) -> (Value, u64) {
    let room = Room::new();
    room.write("m.star", TOOLS);
    let mut server = Server::start_in(room, Opening::Modern);
    server.call("m.text", json!({"n": 1})).text("x");
    let before = server.peak_memory();
    let mut all = vec![task("a", source.0, json!({"n": source.1}))];
    all.extend(tasks);
    let params = json!({"name": "batch", "arguments": {"tasks": all}});
    let result = server.request("tools/call", params).result();
    let response = crate::batch_text::read_batch_data(&result);
    (response, server.peak_memory() - before)
}

fn task(id: &str, tool: &str, params: Value) -> Value {
    json!({"id": id, "module": "m", "tool": tool, "params": params})
}

/// The batch stays within the allowance and fails with this error on task `b`.
#[track_caller]
fn check_rejected(source: (&str, usize), kilobytes: u64, params: Value, expected: &str) {
    let (response, peak) = run(source, vec![task("b", "measure", params)]);
    let text = response["errors"]["b"]["message"].as_str();
    assert_eq!(text, Some(expected), "{response:#}");
    assert_eq!(response["errors"]["b"]["code"], "too_large");
    assert!(peak < kilobytes + ALLOWANCE, "{peak} kB");
}

/// The batch stays within the allowance and every task succeeds.
#[track_caller]
fn check_accepted(source: (&str, usize), kilobytes: u64, tasks: Vec<Value>) {
    let (response, peak) = run(source, tasks);
    assert_eq!(response["errors"], json!({}), "{response:#}");
    assert!(peak < kilobytes + ALLOWANCE, "{peak} kB");
}

fn refused(path: &str, value: &str) -> String {
    format!(
        "`{path}`: `{value}` does not fit: references may copy at most 16 MiB into the arguments of one call \
         (limit `result`); refer only to the parts that `b` needs"
    )
}

#[test]
fn references_in_one_call_have_a_byte_budget() {
    let source = ("text", MEBIBYTE);
    let many = |text: &str| Value::from(vec![text; 200]);
    let list = json!({"v": many("${a}")});
    check_rejected(source, 1024, list, &refused("params.v[15]", "a"));
    let object: Value = (0..200).map(|i| (format!("k{i}"), json!("${a}"))).collect();
    let object = json!({"v": {"inner": object}});
    check_rejected(source, 1024, object, &refused("params.v.inner.k15", "a"));
    let text = json!({"v": "${a}".repeat(200)});
    check_rejected(source, 1024, text, &refused("params.v", "a"));
    let as_json = json!({"v": many("${json(a)}")});
    check_rejected(source, 1024, as_json, &refused("params.v[15]", "a"));
}

#[test]
fn budget_counts_memory_not_characters() {
    // 100,000 numbers are 200 kB of JSON and about 10 MB of memory.
    let source = ("numbers", 100_000);
    let list = json!({"v": vec!["${a}"; 20]});
    check_rejected(source, 16 << 10, list, &refused("params.v[1]", "a"));
    let each = json!({"v": vec!["${a[*]}"; 100]});
    let (response, peak) = run(source, vec![task("b", "measure", each)]);
    assert_eq!(response["errors"]["b"]["code"], "too_large");
    assert!(peak < (16 << 10) + ALLOWANCE, "{peak} kB");
}

#[test]
fn calls_that_run_at_once_share_the_budget() {
    for references in [6, 12] {
        let params = json!({"v": vec!["${a}"; references]});
        let tasks = (0..16).map(|i| task(&format!("b{i}"), "measure", params.clone()));
        check_accepted(("text", MEBIBYTE), 1024, tasks.collect());
    }
}

#[test]
fn foreach_shares_its_items_with_the_results() {
    let foreach = |i: usize, list: Value| {
        let mut task = task(&format!("b{i}"), "measure", json!({"v": "${index}"}));
        task["foreach"] = list;
        task
    };
    let tasks = (0..40).map(|i| foreach(i, json!("${a}")));
    check_accepted(("texts", 4), 4 << 10, tasks.collect());
    let tasks = (0..3).map(|i| foreach(i, Value::from(vec!["${a}"; 100])));
    check_accepted(("text", MEBIBYTE), 1024, tasks.collect());
}

#[test]
fn batch_called_by_a_script_has_the_same_budget() {
    let tasks = json!([
        task("a", "text", json!({"n": MEBIBYTE})),
        task("b", "measure", json!({"v": vec!["${a}"; 200]})),
    ]);
    let mut outer = task("c", "nested", json!({"tasks": escape(tasks)}));
    outer["raw_output"] = json!(true);
    let (response, peak) = run(("text", 1), vec![outer]);
    let error = &response["results"]["c"]["errors"]["b"];
    assert_eq!(error["message"], refused("params.v[15]", "a"), "{response:#}");
    assert!(peak < ALLOWANCE + 1024, "{peak} kB");
}

/// The tasks as plain text for an outer batch.
fn escape(tasks: Value) -> Value {
    serde_json::from_str(&tasks.to_string().replace("${", "$${")).unwrap()
}

#[test]
fn unknown_parameters_are_rejected_before_anything_runs() {
    let params = json!({"extra": vec!["${a}"; 200], "v": 1});
    let (response, peak) = run(("text", MEBIBYTE), vec![task("b", "measure", params)]);
    let expected = "nothing was called:\ntask `b`: `params.extra` is not a parameter; there are v";
    assert_eq!(response, expected);
    assert!(peak < ALLOWANCE, "{peak} kB");
}

#[test]
fn references_into_a_parameter_of_another_type_stay_within_the_budget() {
    let params = json!({"v": vec!["${a}"; 200]});
    let (response, peak) = run(("text", MEBIBYTE), vec![task("b", "length", params)]);
    assert_eq!(response["errors"]["b"]["code"], "too_large");
    assert!(peak < ALLOWANCE + 1024, "{peak} kB");
}
