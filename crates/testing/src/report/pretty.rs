//! For people, in a terminal.

use super::Event;
use std::time::Duration;

/// From here on a test's time is worth a word, on a busy machine as well.
const SLOW: Duration = Duration::from_secs(1);

/// The event in lines for a terminal, without colour and without a line end.
pub fn pretty(event: &Event) -> String {
    match event {
        Event::Begin { .. } => String::new(),
        Event::Note { text, .. } => format!("  ({text})"),
        Event::File { name, tests: 1 } => format!("{name}: 1 test"),
        Event::File { name, tests } => format!("{name}: {tests} tests"),
        Event::Passed { test, time, .. } => format!("  ✓ {test}{}", slow(*time)),
        Event::Failed { test, fault, output, time, .. } => {
            let report = indented(&fault.to_string(), 4);
            let head = format!("  ✗ {test}{}\n{report}", slow(*time));
            if output.is_empty() {
                return head;
            }
            format!("{head}\n    printed:\n{}", indented(&output.join("\n"), 6))
        }
    }
}

fn slow(time: Duration) -> String {
    if time < SLOW {
        return String::new();
    }
    format!(" ({} ms)", time.as_millis())
}

fn indented(text: &str, by: usize) -> String {
    let margin = " ".repeat(by);
    let lines: Vec<String> = text.lines().map(|line| format!("{margin}{line}")).collect();
    lines.join("\n")
}
