//! One request to the model and one reply of it, the same for every API.

use serde_json::Value;

/// Contents of a request that the script depends on.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Turn {
    /// Names of the tools that the model may call now, including those that a search of the client has loaded.
    pub(crate) tools: Vec<String>,
    /// Tool results in the order of the conversation, as the model reads them.
    pub(crate) results: Vec<String>,
}

/// What the stub model says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    Text(String),
    Call { tool: String, arguments: Value },
}

/// A response body with its content type.
pub(crate) struct Body {
    pub(crate) content_type: &'static str,
    pub(crate) text: String,
}

impl Body {
    pub(crate) fn json(value: &Value) -> Self {
        Self { content_type: "application/json", text: value.to_string() }
    }

    /// Server-sent events; each has its `type` as its name, if it has one.
    pub(crate) fn events(events: &[Value]) -> Self {
        let lines = events.iter().map(|event| match event["type"].as_str() {
            Some(name) => format!("event: {name}\ndata: {event}\n\n"),
            None => format!("data: {event}\n\n"),
        });
        Self { content_type: "text/event-stream", text: lines.collect() }
    }
}

/// Text of a result that is a string or a list of content parts; a part that is not text is shown by its type.
pub(crate) fn flatten(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let parts: Vec<String> = parts.iter().map(flatten_part).collect();
            parts.join("\n")
        }
        other => other.to_string(),
    }
}

fn flatten_part(part: &Value) -> String {
    match (&part["text"], &part["type"]) {
        (Value::String(text), _) => text.clone(),
        (_, Value::String(kind)) if kind.contains("image") => "[image]".to_owned(),
        _ => part.to_string(),
    }
}

/// Elements of a list; none of anything else.
pub(crate) fn items(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Vec::as_slice)
}

/// The string under a key; empty without one.
pub(crate) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn content_parts_become_lines() {
        let parts = json!([
            {"type": "text", "text": "a"},
            {"type": "input_image", "image_url": "data:"},
            {"type": "tool_reference", "tool_name": "t"},
        ]);
        let expected = "a\n[image]\n{\"type\":\"tool_reference\",\"tool_name\":\"t\"}";
        assert_eq!(flatten(&parts), expected);
        assert_eq!(flatten(&json!("as it is\n")), "as it is\n");
    }
}
