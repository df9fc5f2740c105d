//! Reads the answer of a batch as a model gets it: one content block per task.

use serde_json::{Map, Value, json};

/// `{"results", "errors", "tasks"}`: texts of results, what went wrong, and the notes beside results; or the
/// text of a plan that was refused.
#[track_caller]
pub(crate) fn read_batch(result: &Value) -> Value {
    let mut answer = json!({"results": {}, "errors": {}, "tasks": {}});
    for block in result["content"].as_array().unwrap() {
        let text = block["text"].as_str().unwrap();
        if text.starts_with("nothing was called") || text.contains(" was not called: ") {
            return json!(text);
        }
        assert!(text.ends_with('\n'), "no line break after {text:?}");
        if !text.starts_with("done; ") {
            read_block(text, &mut answer);
        }
    }
    answer
}

/// The same, where texts that are JSON are read.
#[track_caller]
pub(crate) fn read_batch_data(result: &Value) -> Value {
    let mut answer = read_batch(result);
    let results = answer.get_mut("results").and_then(Value::as_object_mut);
    for result in results.into_iter().flat_map(Map::values_mut) {
        let text = result.as_str().unwrap();
        *result = serde_json::from_str(text).unwrap_or_else(|_| json!(text));
    }
    answer
}

fn read_block(text: &str, answer: &mut Value) {
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    let (name, beside) = line.split_once(':').unwrap_or((line, ""));
    let beside = beside.trim_start();
    if beside.starts_with("skipped ") {
        answer["errors"][name] = json!({"code": "skipped", "message": beside});
        answer["tasks"][name] = json!({"status": "skipped"});
        return;
    }
    let failure = beside.split_once(" (").filter(|_| !beside.starts_with('('));
    let Some((status, failure)) = failure else {
        answer["results"][name] = json!(rest.trim_end_matches('\n'));
        if !beside.is_empty() {
            answer["tasks"][name] = json!({"note": beside});
        }
        return;
    };
    let (code, message) = failure.split_once("): ").unwrap();
    answer["errors"][name] = json!({"code": code, "message": message});
    if name.contains('[') {
        return read_block(rest, answer);
    }
    answer["tasks"][name] = json!({"status": status});
}
