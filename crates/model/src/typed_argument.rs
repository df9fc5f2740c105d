//! One argument as it is typed: `name=value` or `name:=json`.

use crate::duplicate::duplicate_key;
use crate::tool::Tool;
use serde_json::{Value, json};

/// The name and the value. `read` says what the text of a `name=value` stands for.
pub fn typed_argument(
    word: &str,
    read: impl Fn(&str, &str) -> Value,
) -> Result<(String, Value), String> {
    let Some((name, text)) = word.split_once('=') else {
        return Err(format!("`{word}` is not an argument; write name=value, name:=json or -"));
    };
    if name.trim_end_matches(':').is_empty() {
        return Err(format!(
            "`{word}` has no name before the `=`; write name=value, name:=json or -"
        ));
    }
    let (name, value) = match name.strip_suffix(':') {
        Some(name) => {
            let value = serde_json::from_str(text);
            (name, value.map_err(|why| format!("the value of `{name}` is not JSON: {why}"))?)
        }
        None => match read(name, text) {
            Value::String(text) => return Ok((name.to_owned(), Value::String(text))),
            value => (name, value),
        },
    };
    match duplicate_key(text.as_bytes()) {
        Some(why) => Err(format!("the value of `{name}` cannot be used: {why}")),
        None => Ok((name.to_owned(), value)),
    }
}

impl Tool {
    /// What a typed text stands for as this parameter.
    pub fn read_typed(&self, name: &str, text: &str) -> Value {
        if let Some(field) = self.input.fields().iter().find(|field| field.name == name) {
            return field.schema.read_text(text);
        }
        // A parameter of a schema written by hand: its `type` says how to read it.
        let property = self.input.to_json().get("properties").and_then(|p| p.get(name));
        match property.and_then(|p| p.get("type")).and_then(Value::as_str) {
            Some("string") => json!(text),
            _ => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
        }
    }
}
