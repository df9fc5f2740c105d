//! What somebody typed, as the schema reads it: `5` is a number only where one is wanted.

use serde_json::Value;

/// In the order they are tried: text fits everything, so it comes last.
const KINDS: [&str; 7] = ["null", "integer", "number", "boolean", "array", "object", "string"];

/// Reads the text as the first kind that the schema takes; what fits none is left as it is, for
/// the check to complain about.
pub(super) fn read_text(schema: Option<&Value>, text: &str) -> Value {
    let branches = schema.map(branches).unwrap_or_default();
    if let Some(choice) = choice(&branches, text) {
        return choice.clone();
    }
    let kinds = kinds(&branches);
    let Some(schema) = schema.filter(|_| !kinds.is_empty()) else {
        return untyped(text);
    };
    let wanted = KINDS.iter().filter(|kind| kinds.contains(kind));
    let read: Vec<Value> =
        wanted.filter_map(|kind| read_as(kind, &kinds, &branches, text)).collect();
    let validator = jsonschema::validator_for(schema).ok();
    let fits = |value: &&Value| validator.as_ref().is_some_and(|v| v.is_valid(value));
    let best = read.iter().find(fits).or(read.first());
    best.cloned().unwrap_or_else(|| Value::String(text.into()))
}

fn read_as(kind: &str, kinds: &[&str], branches: &[&Value], text: &str) -> Option<Value> {
    match kind {
        "string" => Some(Value::String(text.to_owned())),
        "boolean" => read_bool(kinds, text),
        "array" if !text.trim_start().starts_with('[') => {
            // Where text is taken as well, a comma is just a comma.
            let items = branches.iter().find_map(|schema| schema.get("items"));
            (!kinds.contains(&"string")).then(|| read_list(items, text))
        }
        _ => json(text).filter(|value| match kind {
            "null" => value.is_null(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            _ => value.is_number(),
        }),
    }
}

/// `yes` and `1` are booleans where nothing else could be meant.
fn read_bool(kinds: &[&str], text: &str) -> Option<Value> {
    let alone = !["string", "integer", "number"].iter().any(|k| kinds.contains(k));
    match text.trim().to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        "yes" | "1" if alone => Some(true),
        "no" | "0" if alone => Some(false),
        _ => None,
    }
    .map(Value::Bool)
}

fn read_list(items: Option<&Value>, text: &str) -> Value {
    let parts = text.split(',').map(str::trim);
    let parts = parts.filter(|_| !text.trim().is_empty());
    Value::Array(parts.map(|part| read_text(items, part)).collect())
}

fn untyped(text: &str) -> Value {
    let value = json(text).filter(|value| !value.is_string());
    value.unwrap_or_else(|| Value::String(text.to_owned()))
}

fn json(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

/// The schema and the alternatives inside it.
fn branches(schema: &Value) -> Vec<&Value> {
    let inside = ["anyOf", "oneOf", "allOf"].iter().filter_map(|k| schema.get(k)?.as_array());
    let inside = inside.flatten().flat_map(branches);
    std::iter::once(schema).chain(inside).collect()
}

fn kinds<'s>(branches: &[&'s Value]) -> Vec<&'s str> {
    let types = branches.iter().filter_map(|schema| schema.get("type"));
    let one_or_many = |value: &'s Value| match value {
        Value::Array(many) => many.as_slice(),
        one => std::slice::from_ref(one),
    };
    types.flat_map(one_or_many).filter_map(Value::as_str).collect()
}

fn choice<'s>(branches: &[&'s Value], text: &str) -> Option<&'s Value> {
    let many = branches.iter().filter_map(|s| s.get("enum")?.as_array()).flatten();
    let one = branches.iter().filter_map(|s| s.get("const"));
    many.chain(one).find(|value| match value {
        Value::String(choice) => choice == text,
        other => json(text).as_ref() == Some(other),
    })
}
