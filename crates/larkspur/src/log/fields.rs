//! What an event or a span says of itself, by name.

use serde_json::{Map, Value};
use std::fmt::{Debug, Write};
use tracing::field::{Field, Visit};

/// Where the fields that a script gave to its line come as JSON.
const DATA: &str = "data";
/// The text of a fault, with its place and an excerpt.
const REPORT: &str = "report";

#[derive(Default)]
pub(super) struct Fields {
    pub(super) message: String,
    pub(super) named: Map<String, Value>,
}

impl Fields {
    fn put(&mut self, field: &Field, value: Value) {
        match (field.name(), value) {
            ("message", Value::String(text)) => self.message = text,
            (DATA, Value::String(text)) => {
                let data = serde_json::from_str(&text).unwrap_or(Value::String(text));
                self.named.insert(DATA.into(), data);
            }
            (name, value) => {
                self.named.insert(name.into(), value);
            }
        }
    }

    /// Takes out the lines of a report, without the sentence that the message repeats.
    pub(super) fn take_report(&mut self) -> Vec<String> {
        let report = self.named.remove(REPORT);
        let text = report.as_ref().and_then(Value::as_str).unwrap_or_default();
        text.lines().skip(1).map(str::to_owned).collect()
    }

    /// For people: who speaks, what is said, and what is said beside it.
    pub(super) fn text(mut self) -> String {
        let mut text = match self.named.remove("module") {
            Some(Value::String(module)) => format!("{module}: {}", self.message),
            _ => self.message,
        };
        if let Some(data) = self.named.remove(DATA) {
            text.push(' ');
            text.push_str(&data.to_string());
        }
        for (name, value) in &self.named {
            let value = match value {
                Value::String(value) if !value.contains([' ', '"', '=']) => value.clone(),
                value => value.to_string(),
            };
            // Writing to a string does not fail.
            let _ = write!(text, " {name}={value}");
        }
        text
    }
}

impl Visit for Fields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        // Times are in milliseconds: a millionth of one is noise.
        self.put(field, Value::from((value * 1e6).round() / 1e6));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.put(field, format!("{value:?}").into());
    }
}
