//! Answers to questions: looked at, and given the form that scripts see.

use super::ask::Topic;
use crate::Input;
use serde_json::{Map, Value, json};

/// What is wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
    /// It answers no question of this kind.
    Shape(String),
    /// It answers the question, but not with what was asked for: whoever answered can mend it.
    Content(String),
}

const PLAIN: [&str; 4] = ["string", "number", "integer", "boolean"];

/// A form from what an author writes: a whole JSON Schema, or its fields by name, each a type's name
/// or a schema. Fields without a default are then required.
pub fn form(given: Value) -> Result<Value, String> {
    let schema = match given {
        Value::Object(map) if map.get("type").and_then(Value::as_str) == Some("object") => {
            Value::Object(map)
        }
        Value::Object(fields) => spelled_out(fields),
        other => return Err(format!("the schema of a form is a dict, not {other}")),
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, field) in properties.into_iter().flatten() {
        if !is_plain(field) {
            return Err(format!(
                "the field `{name}` is not plain: a form has strings, numbers, integers, booleans \
                 and choices"
            ));
        }
    }
    Input::verbatim(schema.clone())?;
    Ok(schema)
}

fn spelled_out(fields: Map<String, Value>) -> Value {
    let spell = |(name, field)| match field {
        Value::String(kind) => (name, json!({"type": kind})),
        other => (name, other),
    };
    let properties: Map<String, Value> = fields.into_iter().map(spell).collect();
    let required = properties.iter();
    let required = required.filter(|(_, field)| field.get("default").is_none());
    let required: Vec<&String> = required.map(|(name, _)| name).collect();
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn is_plain(field: &Value) -> bool {
    match field.get("type").and_then(Value::as_str) {
        Some("array") => {
            let items = field.get("items");
            items.is_some_and(|items| ["enum", "anyOf"].iter().any(|key| items.get(key).is_some()))
        }
        Some(kind) => PLAIN.contains(&kind),
        None => false,
    }
}

impl Topic {
    /// An answer as the script gets it.
    pub fn read(&self, answer: &Value) -> Result<Value, Unfit> {
        match self {
            Self::Form { schema, .. } => elicited(answer, Some(schema)),
            Self::Page { .. } => elicited(answer, None),
            Self::Sample(_) => sampled(answer),
            Self::Roots => roots(answer),
        }
    }
}

fn elicited(answer: &Value, schema: Option<&Value>) -> Result<Value, Unfit> {
    let action = answer.get("action").and_then(Value::as_str);
    let action = action.filter(|action| ["accept", "decline", "cancel"].contains(action));
    let Some(action) = action else {
        return Err(Unfit::Shape(
            "an elicitation is answered with an `action`: accept, decline or cancel".into(),
        ));
    };
    let content = match (schema, answer.get("content")) {
        _ if action != "accept" => Map::new(),
        (None, _) | (_, None | Some(Value::Null)) => Map::new(),
        (Some(_), Some(Value::Object(content))) => content.clone(),
        (Some(_), Some(_)) => return Err(Unfit::Shape("`content` is an object".into())),
    };
    let content = match schema {
        Some(schema) if action == "accept" => filled_in(schema, content)?,
        _ => content,
    };
    Ok(json!({"action": action, "content": content}))
}

/// The form's own schema decides, not the client's reading of it.
fn filled_in(schema: &Value, content: Map<String, Value>) -> Result<Map<String, Value>, Unfit> {
    let input = Input::verbatim(schema.clone()).map_err(Unfit::Shape)?;
    let content = input.accept(content);
    content.map_err(|rejected| Unfit::Content(rejected.to_string()))
}

fn sampled(answer: &Value) -> Result<Value, Unfit> {
    let is_text = |key: &str| answer.get(key).is_some_and(Value::is_string);
    let blocks = match answer.get("content") {
        Some(Value::Array(blocks)) => blocks.as_slice(),
        Some(block @ Value::Object(_)) => std::slice::from_ref(block),
        _ => &[],
    };
    if !is_text("role") || !is_text("model") || !answer.get("content").is_some_and(is_content) {
        let why = "a model's answer has a `role`, a `model` and `content`";
        return Err(Unfit::Shape(why.into()));
    }
    let texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
    let text = texts.collect::<Vec<_>>().join("\n");
    let part = |key: &str| answer.get(key).cloned().unwrap_or_default();
    Ok(json!({
        "role": part("role"),
        "content": part("content"),
        "model": part("model"),
        "stopReason": part("stopReason"),
        "text": text,
    }))
}

fn is_content(content: &Value) -> bool {
    let is_block = |block: &Value| block.get("type").is_some_and(Value::is_string);
    match content {
        Value::Array(blocks) => blocks.iter().all(is_block),
        block => is_block(block),
    }
}

fn roots(answer: &Value) -> Result<Value, Unfit> {
    let unfit = || Unfit::Shape("roots are a list of objects with a `uri`".into());
    let roots = answer.get("roots").and_then(Value::as_array);
    let root = |root: &Value| {
        let uri = root.get("uri").and_then(Value::as_str).ok_or_else(unfit)?;
        Ok(json!({"uri": uri, "name": root.get("name").and_then(Value::as_str)}))
    };
    roots.ok_or_else(unfit)?.iter().map(root).collect()
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
