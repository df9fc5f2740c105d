//! The world as a test sees it: its folder can be read, and what it prints is kept.

use model::{Host, HostError, Level};
use runtime::Folder;
use serde_json::Value;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Bytes kept of what one test prints.
const MOST_OUTPUT: usize = 64 << 10;

pub(crate) struct Fake<'a> {
    folder: &'a Folder,
    printed: Mutex<Printed>,
}

#[derive(Default)]
struct Printed {
    lines: Vec<String>,
    bytes: usize,
    left_out: usize,
}

impl<'a> Fake<'a> {
    pub(crate) fn new(folder: &'a Folder) -> Self {
        Self {
            folder,
            printed: Mutex::default(),
        }
    }

    /// What was printed and logged, in order.
    pub(crate) fn into_lines(self) -> Vec<String> {
        let printed = self
            .printed
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let mut lines = printed.lines;
        if printed.left_out > 0 {
            lines.push(format!("… and {} more lines", printed.left_out));
        }
        lines
    }
}

impl Printed {
    fn add(&mut self, line: String) {
        if self.left_out > 0 || self.bytes + line.len() > MOST_OUTPUT {
            self.left_out += 1;
            return;
        }
        self.bytes += line.len();
        self.lines.push(line);
    }
}

impl Host for Fake<'_> {
    fn log(&self, level: Level, message: &str, fields: &Value) {
        let line = match fields.as_object() {
            // `print` has no level and no fields.
            None => message.to_owned(),
            Some(fields) if fields.is_empty() => format!("{} {message}", word(level)),
            Some(_) => format!("{} {message} {fields}", word(level)),
        };
        self.printed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .add(line);
    }

    fn progress(&self, _done: f64, _total: Option<f64>, _message: Option<&str>) {}

    fn resource_updated(&self, _uri: &str) {}

    fn read(&self, path: &str) -> Result<String, HostError> {
        self.folder
            .read_text(path)
            .map_err(|why| HostError(format!("cannot read {path}: {why}")))
    }

    fn now_ms(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |time| i64::try_from(time.as_millis()).unwrap_or(0))
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
