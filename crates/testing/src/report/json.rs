//! For programs: one document.

use super::{Event, Summary};
use crate::coverage::Covered;
use serde_json::{Value, json};
use std::time::Duration;

pub(super) fn document(events: &[Event], summary: &Summary, covered: Option<&Covered>) -> String {
    let tests: Vec<Value> = events.iter().filter_map(test).collect();
    let notes = events.iter().filter_map(|event| match event {
        Event::Note { file, text } => Some(json!({"file": file, "text": text})),
        _ => None,
    });
    let mut document = json!({
        "total": summary.total,
        "passed": summary.passed,
        "failed": summary.failed,
        "tests": tests,
        "notes": notes.collect::<Vec<_>>(),
    });
    if let Some(covered) = covered {
        document["coverage"] = covered.to_json();
    }
    let tokens = super::tokens::to_json(events);
    if !tokens.is_empty() {
        document["tokens"] = tokens.into();
    }
    serde_json::to_string_pretty(&document).unwrap_or_default()
}

fn test(event: &Event) -> Option<Value> {
    match event {
        Event::Passed { file, test, time, .. } => Some(json!({
            "file": file,
            "test": test,
            "passed": true,
            "ms": millis(*time),
        })),
        Event::Failed { file, test, fault, output, time } => Some(json!({
            "file": file,
            "test": test,
            "passed": false,
            "ms": millis(*time),
            "failure": fault,
            "report": fault.to_string(),
            "printed": output,
        })),
        _ => None,
    }
}

fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
