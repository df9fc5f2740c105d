//! What calls were given, without what looks like a credential.

use model::{Args, is_credential};
use serde_json::{Map, Value};

/// A text longer than this is cut: this is a log, no archive.
const LONGEST: usize = 512;
/// Of a list or an object, so many are written.
const MOST: usize = 32;
const DEEPEST: usize = 6;
const MASK: &str = "***";

pub(super) fn masked(args: &Args) -> Value {
    object(args, 0)
}

fn object(map: &Map<String, Value>, depth: usize) -> Value {
    let some = map.iter().take(MOST).map(|(name, value)| {
        let value = if is_credential(name) {
            Value::from(MASK)
        } else {
            value_at(value, depth + 1)
        };
        (name.clone(), value)
    });
    Value::Object(some.collect())
}

fn value_at(value: &Value, depth: usize) -> Value {
    match value {
        Value::String(text) if speaks_for_somebody(text) => Value::from(MASK),
        Value::String(text) if text.len() > LONGEST => {
            let begin = &text[..text.floor_char_boundary(LONGEST)];
            Value::from(format!("{begin}… ({} bytes)", text.len()))
        }
        Value::Array(_) | Value::Object(_) if depth >= DEEPEST => Value::from("…"),
        Value::Array(items) => {
            let some = items
                .iter()
                .take(MOST)
                .map(|item| value_at(item, depth + 1));
            some.collect()
        }
        Value::Object(map) => object(map, depth),
        other => other.clone(),
    }
}

/// As it would stand in a header, or in the address of a database.
fn speaks_for_somebody(text: &str) -> bool {
    let begins = |word: &str| {
        text.get(..word.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(word))
    };
    let in_address = text.split_once("://").is_some_and(|(_, rest)| {
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        host.contains('@')
    });
    begins("bearer ") || begins("basic ") || in_address
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn credentials_are_masked_and_long_texts_cut() {
        for (given, expected) in [
            (json!({"city": "Bern"}), json!({"city": "Bern"})),
            (
                json!({"api_key": 7, "Password": null}),
                json!({"api_key": "***", "Password": "***"}),
            ),
            (
                json!({"a": [{"token": "t"}]}),
                json!({"a": [{"token": "***"}]}),
            ),
            (json!({"h": "Bearer abc"}), json!({"h": "***"})),
            (json!({"u": "postgres://u:p@h/db"}), json!({"u": "***"})),
            (
                json!({"mail": "ada@example.org"}),
                json!({"mail": "ada@example.org"}),
            ),
            (
                json!({"a": {"b": {"c": {"d": {"e": {"f": [1]}}}}}}),
                json!({"a": {"b": {"c": {"d": {"e": {"f": "…"}}}}}}),
            ),
        ] {
            assert_eq!(masked(given.as_object().unwrap()), expected);
        }
        let long = json!({"text": "ä".repeat(300)});
        let text = masked(long.as_object().unwrap())["text"].to_string();
        assert!(text.contains("… (600 bytes)"), "{text}");
    }
}
