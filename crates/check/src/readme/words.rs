//! Schemas and values in words, fit for Markdown.

use serde_json::Value;

/// `string`, `array of integer`, `"plain" or "loud"`: a JSON Schema as a reader wants it.
pub(super) fn kind(schema: &Value) -> String {
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        return or(choices.iter().map(|choice| code(&choice.to_string())));
    }
    if let Some(only) = schema.get("const") {
        return code(&only.to_string());
    }
    let branches = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(key)?.as_array());
    if let Some(branches) = branches {
        return or(branches.iter().map(kind));
    }
    match schema.get("type") {
        Some(Value::String(name)) => with_parts(name, schema),
        Some(Value::Array(names)) => {
            or(names.iter().filter_map(Value::as_str).map(|name| with_parts(name, schema)))
        }
        _ => "any".to_owned(),
    }
}

fn with_parts(name: &str, schema: &Value) -> String {
    let parts = match name {
        "array" => schema.get("items"),
        "object" => schema.get("additionalProperties"),
        _ => None,
    };
    match parts.filter(|parts| parts.is_object()) {
        Some(parts) => format!("{name} of {}", kind(parts)),
        None => name.to_owned(),
    }
}

/// Code, whatever is in it.
pub(super) fn code(text: &str) -> String {
    let text = one_line(text);
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn and(words: impl Iterator<Item = String>) -> String {
    joined(words, "and")
}

fn or(words: impl Iterator<Item = String>) -> String {
    joined(words, "or")
}

/// `a, b and c`.
fn joined(words: impl Iterator<Item = String>, last: &str) -> String {
    let words: Vec<String> = words.collect();
    match words.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn schemas_become_words() {
        let check = |schema: Value, expected: &str| assert_eq!(kind(&schema), expected);
        check(json!({"type": "string"}), "string");
        check(json!({"type": ["integer", "null"]}), "integer or null");
        check(json!({"enum": ["a", 7, true]}), r#"`"a"`, `7` or `true`"#);
        check(json!({"type": "array", "items": {"type": "integer"}}), "array of integer");
        check(
            json!({"type": "object", "additionalProperties": {"type": "array"}}),
            "object of array",
        );
        check(json!({"type": "object", "additionalProperties": false}), "object");
        check(json!({"anyOf": [{"type": "boolean"}, {"const": "x"}]}), r#"boolean or `"x"`"#);
        check(json!({}), "any");
    }

    #[test]
    fn code_is_fenced_by_what_is_not_in_it() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a`b"), "`` a`b ``");
    }
}
