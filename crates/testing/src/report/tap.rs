//! The Test Anything Protocol, version 14.

use super::Event;
use model::Fault;

pub(super) fn lines(event: &Event, told: &mut usize) -> Option<String> {
    match event {
        Event::Begin { tests } => Some(format!("TAP version 14\n1..{tests}")),
        Event::File { .. } => None,
        Event::Note { file, text } => Some(format!("# {file}: {text}")),
        Event::Passed { file, test, .. } => {
            *told += 1;
            Some(format!("ok {told} - {}", escaped(&format!("{file}::{test}"))))
        }
        Event::Failed { file, test, fault, output, .. } => {
            *told += 1;
            let name = escaped(&format!("{file}::{test}"));
            Some(format!("not ok {told} - {name}\n{}", diagnosis(fault, output)))
        }
    }
}

/// `#` begins a directive.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('#', "\\#")
}

/// What is wrong, as YAML; JSON's texts are YAML's as well.
fn diagnosis(fault: &Fault, output: &[String]) -> String {
    let text = |text: &str| serde_json::Value::from(text).to_string();
    let mut lines = vec!["  ---".to_owned()];
    lines.push(format!("  message: {}", text(&fault.message)));
    lines.push("  severity: fail".to_owned());
    if let Some(place) = &fault.place {
        lines.push("  at:".to_owned());
        lines.push(format!("    file: {}", text(&place.file)));
        lines.push(format!("    line: {}", place.line));
        lines.push(format!("    column: {}", place.column));
        lines.push(format!("  source: {}", text(&place.excerpt)));
    }
    if let Some(help) = &fault.help {
        lines.push(format!("  help: {}", text(help)));
    }
    if !output.is_empty() {
        lines.push(format!("  printed: {}", text(&output.join("\n"))));
    }
    lines.push("  ...".to_owned());
    lines.join("\n")
}
