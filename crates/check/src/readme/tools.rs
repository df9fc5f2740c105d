//! The section that says what a module offers: each tool with its parameters and its examples.

use super::words::{code, kind, one_line};
use model::{ModuleName, Tool, typed_argument};
use serde_json::{Map, Value, json};

pub(super) fn section<'t>(module: &ModuleName, tools: impl Iterator<Item = &'t Tool>) -> String {
    let tools: Vec<String> = tools.map(|tool| about(module, tool)).collect();
    let body = if tools.is_empty() {
        "It offers no tools by itself.\n".to_owned()
    } else {
        tools.join("\n")
    };
    format!("## Tools\n\n{body}")
}

fn about(module: &ModuleName, tool: &Tool) -> String {
    let description = tool.description.trim();
    let description = match description {
        "" => String::new(),
        text => format!("{text}\n\n"),
    };
    let parts = [parameters(tool), examples(module, tool), questions(tool)];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    let parts = parts.collect::<Vec<_>>().join("\n");
    format!("### {}\n\n{description}{parts}", tool.name)
}

fn parameters(tool: &Tool) -> String {
    let schema = tool.input.to_json();
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.contains(&json!(name)));
    let lines = properties.into_iter().flatten();
    let lines: String =
        lines.map(|(name, schema)| parameter(name, schema, is_required(name))).collect();
    if lines.is_empty() {
        return "It takes no parameters.\n".to_owned();
    }
    format!("Parameters:\n\n{lines}")
}

fn parameter(name: &str, schema: &Value, required: bool) -> String {
    let presence = match schema.get("default") {
        Some(default) => format!("default {}", code(&default.to_string())),
        None if required => "required".to_owned(),
        None => "optional".to_owned(),
    };
    let description = schema.get("description").and_then(Value::as_str);
    let description = description.map(|text| format!(": {}", one_line(text)));
    format!("- {} ({}, {presence}){}\n", code(name), kind(schema), description.unwrap_or_default())
}

fn examples(module: &ModuleName, tool: &Tool) -> String {
    let given = tool.examples.iter().filter_map(Value::as_object);
    let examples: Vec<String> = given.map(|args| example(module, tool, args)).collect();
    match examples.as_slice() {
        [] => String::new(),
        [only] => format!("Example:\n\n{only}"),
        many => format!("Examples:\n\n{}", many.join("\n")),
    }
}

fn questions(tool: &Tool) -> String {
    if tool.questions.is_empty() {
        return String::new();
    }
    let lines = tool.questions.iter().map(|text| one_line(text));
    let lines: Vec<String> = lines.collect();
    format!("Questions:\n\n- {}\n", lines.join("\n- "))
}

/// The same call as a client sends it, and as it is typed.
fn example(module: &ModuleName, tool: &Tool, args: &Map<String, Value>) -> String {
    let call = json!({"name": tool.name.as_str(), "arguments": args});
    let words = args.iter().map(|(name, value)| word(tool, name, value));
    let mut typed = vec![format!("larkspur call {module}.{}", tool.name)];
    typed.extend(words.map(|word| quoted(&word)));
    format!("```json\n{}\n```\n\n```sh\n{}\n```\n", spaced(&call), typed.join(" "))
}

/// `name=value` where that is read back as the same value, else `name:=json`.
fn word(tool: &Tool, name: &str, value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let plain = format!("{name}={text}");
    match typed_argument(&plain, |name, text| tool.read_typed(name, text)) {
        Ok((same_name, same)) if same_name == name && same == *value => plain,
        _ => format!("{name}:={value}"),
    }
}

/// A word as a shell reads it whole.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-+=:,./@%".contains(c);
    if word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// On one line, with a space after each colon and comma.
fn spaced(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let pairs = map.iter().map(|(key, value)| format!("{}: {}", json!(key), spaced(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(spaced).collect();
            format!("[{}]", items.join(", "))
        }
        plain => plain.to_string(),
    }
}
