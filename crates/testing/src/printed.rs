//! What a test prints and logs, kept for the case that it fails.

use model::Level;
use serde_json::Value;

/// Bytes kept of what one test prints.
const MOST_OUTPUT: usize = 64 << 10;

#[derive(Default)]
pub(crate) struct Printed {
    lines: Vec<String>,
    bytes: usize,
    left_out: usize,
}

impl Printed {
    pub(crate) fn log(&mut self, level: Level, message: &str, fields: &Value) {
        self.add(match fields.as_object() {
            // `print` has no level and no fields.
            None => message.to_owned(),
            Some(fields) if fields.is_empty() => format!("{} {message}", word(level)),
            Some(_) => format!("{} {message} {fields}", word(level)),
        });
    }

    fn add(&mut self, line: String) {
        if self.left_out > 0 || self.bytes + line.len() > MOST_OUTPUT {
            self.left_out += 1;
            return;
        }
        self.bytes += line.len();
        self.lines.push(line);
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = self.lines.clone();
        if self.left_out > 0 {
            lines.push(format!("… and {} more lines", self.left_out));
        }
        lines
    }
}

fn word(level: Level) -> &'static str {
    match level {
        Level::Debug => "debug",
        Level::Info => "info",
        Level::Warn => "warn",
        Level::Error => "error",
    }
}
