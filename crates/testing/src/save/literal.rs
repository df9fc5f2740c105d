//! Values as an author would write them.

use serde_json::Value;

/// Longer ones are written on several lines.
const LINE: usize = 80;
const STEP: usize = 4;

/// `t.call(…)` with these arguments.
pub(super) fn call(tool: &str, args: &Value) -> String {
    let tool = Value::from(tool);
    match args {
        Value::Object(map) if map.is_empty() => format!("t.call({tool})"),
        args => format!("t.call({tool}, {})", literal(args, STEP)),
    }
}

/// A value, in a line that begins so far to the right.
pub(super) fn literal(value: &Value, indent: usize) -> String {
    let short = line(value);
    if short.len() <= LINE {
        return short;
    }
    let inner = indent + STEP;
    let (open, close, items): (_, _, Vec<String>) = match value {
        Value::Array(items) => {
            let items = items.iter().map(|item| literal(item, inner));
            ('[', ']', items.collect())
        }
        Value::Object(map) => {
            let item = |(key, value): (&String, &Value)| {
                format!("{}: {}", line(&key.as_str().into()), literal(value, inner))
            };
            ('{', '}', map.iter().map(item).collect())
        }
        _ => return short,
    };
    let (margin, end) = (" ".repeat(inner), " ".repeat(indent));
    let items: Vec<String> = items.iter().map(|item| format!("{margin}{item},")).collect();
    format!("{open}\n{}\n{end}{close}", items.join("\n"))
}

fn line(value: &Value) -> String {
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(line).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let item = |(key, value): (&String, &Value)| {
                format!("{}: {}", Value::from(key.as_str()), line(value))
            };
            let items: Vec<String> = map.iter().map(item).collect();
            format!("{{{}}}", items.join(", "))
        }
        // JSON writes texts and numbers as Starlark reads them.
        plain => plain.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_written_as_starlark() {
        for (value, expected) in [
            (
                json!([null, true, false, 1, 1.5, "a\n\"b\"\\ü"]),
                r#"[None, True, False, 1, 1.5, "a\n\"b\"\\ü"]"#,
            ),
            (json!({}), "{}"),
            (json!({"a": {"b": []}}), r#"{"a": {"b": []}}"#),
        ] {
            assert_eq!(literal(&value, 4), expected);
        }
        let long = "x".repeat(70);
        assert_eq!(
            literal(&json!({"a": long, "b": [1]}), 4),
            format!("{{\n        \"a\": \"{long}\",\n        \"b\": [1],\n    }}")
        );
        assert_eq!(call("m.t", &json!({})), r#"t.call("m.t")"#);
        assert_eq!(call("m.t", &json!({"n": 1})), r#"t.call("m.t", {"n": 1})"#);
    }
}
