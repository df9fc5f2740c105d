//! The XML that build servers read since `JUnit`.

use super::{Event, Summary};
use std::time::Duration;

pub(super) fn document(events: &[Event], summary: &Summary) -> String {
    let mut suites: Vec<Suite> = Vec::new();
    for event in events {
        match event {
            Event::File { name, .. } => suites.push(Suite::new(name)),
            Event::Passed { .. } | Event::Failed { .. } => {
                if let Some(suite) = suites.last_mut() {
                    suite.add(event);
                }
            }
            Event::Begin { .. } | Event::Note { .. } => {}
        }
    }
    let time: Duration = suites.iter().map(|suite| suite.time).sum();
    let mut lines = vec![r#"<?xml version="1.0" encoding="UTF-8"?>"#.to_owned()];
    lines.push(format!(
        r#"<testsuites name="larkspur" tests="{}" failures="{}" errors="0" time="{}">"#,
        summary.total,
        summary.failed,
        seconds(time)
    ));
    lines.extend(suites.into_iter().map(Suite::end));
    lines.push("</testsuites>".to_owned());
    lines.join("\n")
}

/// The tests of one file.
struct Suite {
    name: String,
    tests: usize,
    failures: usize,
    time: Duration,
    /// Their lines.
    cases: Vec<String>,
}

impl Suite {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            tests: 0,
            failures: 0,
            time: Duration::ZERO,
            cases: Vec::new(),
        }
    }

    fn add(&mut self, event: &Event) {
        self.tests += 1;
        let class = escaped(self.name.trim_end_matches(".star"));
        let head = |test: &str, time: Duration| {
            let (test, time) = (escaped(test), seconds(time));
            format!(r#"    <testcase classname="{class}" name="{test}" time="{time}""#)
        };
        match event {
            Event::Passed { test, time, .. } => {
                self.time += *time;
                self.cases.push(format!("{}/>", head(test, *time)));
            }
            Event::Failed { test, fault, output, time, .. } => {
                self.time += *time;
                self.failures += 1;
                let message = fault.message.lines().next().unwrap_or_default();
                let (message, report) = (escaped(message), escaped(&fault.to_string()));
                self.cases.push(format!("{}>", head(test, *time)));
                self.cases.push(format!(
                    r#"      <failure message="{message}" type="failure">{report}</failure>"#
                ));
                if !output.is_empty() {
                    let output = escaped(&output.join("\n"));
                    let printed = format!("      <system-out>{output}</system-out>");
                    self.cases.push(printed);
                }
                self.cases.push("    </testcase>".to_owned());
            }
            _ => {}
        }
    }

    fn end(self) -> String {
        let head = format!(
            r#"  <testsuite name="{}" tests="{}" failures="{}" errors="0" skipped="0" time="{}">"#,
            escaped(&self.name),
            self.tests,
            self.failures,
            seconds(self.time)
        );
        let mut lines = vec![head];
        lines.extend(self.cases);
        lines.push("  </testsuite>".to_owned());
        lines.join("\n")
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

/// Some characters cannot be written in XML at all.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\n' | '\t' => safe.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}
