//! What happened, as it happens, and in sum.

use model::Fault;
use std::fmt;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The tests of a file are about to run.
    File { name: String, tests: usize },
    Passed {
        file: String,
        test: String,
        time: Duration,
    },
    Failed {
        file: String,
        test: String,
        fault: Fault,
        /// Lines the test printed.
        output: Vec<String>,
        time: Duration,
    },
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    pub total: usize,
    pub passed: usize,
    pub failed: usize,
}

impl Summary {
    pub(crate) fn count(&mut self, event: &Event) {
        match event {
            Event::File { .. } => return,
            Event::Passed { .. } => self.passed += 1,
            Event::Failed { .. } => self.failed += 1,
        }
        self.total += 1;
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            total,
            passed,
            failed,
        } = self;
        write!(f, "Total: {total} | Passed: {passed} | Failed: {failed}")
    }
}

/// From here on a test's time is worth a word.
const SLOW: Duration = Duration::from_millis(100);

/// The event in lines for a terminal, without colour and without a line end.
pub fn pretty(event: &Event) -> String {
    match event {
        Event::File { name, tests: 1 } => format!("{name}: 1 test"),
        Event::File { name, tests } => format!("{name}: {tests} tests"),
        Event::Passed { test, time, .. } => format!("  ✓ {test}{}", slow(*time)),
        Event::Failed {
            test,
            fault,
            output,
            time,
            ..
        } => {
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
