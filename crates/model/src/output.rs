//! What comes out of a tool.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool's answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Output {
    pub content: Vec<Content>,
    /// The same answer as data, for clients that read it.
    pub structured: Option<Value>,
    pub is_error: bool,
    /// It was made for an earlier call.
    pub cached: bool,
}

impl Output {
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Content::text(text)], ..Self::default() }
    }

    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }

    /// The answer as data: what is structured, else a single text read as JSON, else the text. This is
    /// what references, `select` and compact output read, and it is the same for a typed tool and for
    /// one of `describe_extension`. It needs [`Structured::Data`].
    pub fn into_json(self) -> Value {
        if let Some(structured) = self.structured {
            return structured;
        }
        match self.content.as_slice() {
            [Content::Text { text, .. }] => {
                serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
            }
            _ => Value::String(self.plain_text()),
        }
    }

    /// Adds the data to the text if it is not there, for readers of the text alone.
    pub fn tell_data(&mut self) {
        let Some(data) = &self.structured else {
            return;
        };
        if !self.content.iter().any(|block| block.has_data(data)) {
            self.content.push(Content::text(data.to_string()));
        }
    }

    /// Bytes of all blocks, as far as they are texts or data.
    pub fn size(&self) -> usize {
        self.content.iter().map(Content::size).sum()
    }

    /// All text blocks, one after the other: what a terminal shows.
    pub fn plain_text(&self) -> String {
        let mut lines = Vec::new();
        for block in &self.content {
            lines.push(match block {
                Content::Text { text, .. } => text.clone(),
                Content::Image { mime_type, data, .. } | Content::Audio { mime_type, data, .. } => {
                    format!("[{mime_type}, {} bytes of base64]", data.len())
                }
                Content::Resource { resource, .. } => resource
                    .get("text")
                    .and_then(Value::as_str)
                    .map_or_else(|| resource.to_string(), str::to_owned),
                Content::ResourceLink { uri, .. } => uri.clone(),
            });
        }
        lines.join("\n")
    }
}

/// What is made of a result; data that is not read is not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structured {
    /// The text alone, with all data in it.
    Text,
    /// The text with all data in it, and the data.
    Both,
    /// The text as the script wrote it, and the data.
    Data,
}

/// One block of an answer, in MCP's own shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Content {
    Text {
        text: String,
        #[serde(flatten)]
        rest: Rest,
    },
    Image {
        data: String,
        mime_type: String,
        #[serde(flatten)]
        rest: Rest,
    },
    Audio {
        data: String,
        mime_type: String,
        #[serde(flatten)]
        rest: Rest,
    },
    Resource {
        resource: Value,
        #[serde(flatten)]
        rest: Rest,
    },
    ResourceLink {
        uri: String,
        name: String,
        #[serde(flatten)]
        rest: Rest,
    },
}

/// `annotations`, `_meta` and whatever else a block carries: passed on as it is.
pub type Rest = serde_json::Map<String, Value>;

impl Content {
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Text { text, .. } => text.len(),
            Self::Image { data, .. } | Self::Audio { data, .. } => data.len(),
            Self::Resource { resource, .. } => {
                let part = |name| resource.get(name).and_then(Value::as_str);
                part("text").or(part("blob")).map_or(0, str::len)
            }
            Self::ResourceLink { uri, .. } => uri.len(),
        }
    }

    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), rest: Rest::new() }
    }

    /// Whether a reader of this text finds the data in it.
    fn has_data(&self, data: &Value) -> bool {
        let Self::Text { text, .. } = self else {
            return false;
        };
        match data {
            Value::Null => true,
            Value::String(part) => text.contains(part.as_str()),
            Value::Array(items) => items.is_empty() || has_json(text, '[', data),
            Value::Object(map) => map.is_empty() || has_json(text, '{', data),
            Value::Bool(_) | Value::Number(_) => {
                let is_part = |c: char| c.is_alphanumeric() || "+-.".contains(c);
                let mut words = text.split(|c| !is_part(c));
                let data = data.to_string();
                words.any(|word| word.trim_end_matches('.').eq_ignore_ascii_case(&data))
            }
        }
    }
}

/// Whether the data stands as JSON at one of the first places where it could begin.
fn has_json(text: &str, bracket: char, data: &Value) -> bool {
    const TRIES: usize = 8;
    let mut places = text.match_indices(bracket).take(TRIES);
    places.any(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        matches!(values.next(), Some(Ok(found)) if found == *data)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn data_is_added_where_the_text_has_it_not() {
        let items = json!([{"a": 1, "b": "ü"}, {"a": 2}]);
        for (text, data, is_added) in [
            ("Found 2 items", items.clone(), true),
            ("", items.clone(), true),
            ("[1, 2]", items.clone(), true),
            ("[see] [] [{\"a\": 1}]", items.clone(), true),
            ("Found 2: [{\"a\": 1, \"b\": \"\\u00fc\"}, {\"a\": 2}].", items.clone(), false),
            ("[{\"b\": \"ü\",\n \"a\": 1}, {\"a\": 2}]", items, false),
            ("one", json!({"n": 1}), true),
            ("see [1]: {\"n\": 1}", json!({"n": 1}), false),
            ("nothing", json!([]), false),
            ("nothing", json!({}), false),
            ("nothing", Value::Null, false),
            ("the name is Ada", json!("Ada"), false),
            ("the name is Bob", json!("Ada"), true),
            ("13 items", json!(3), true),
            ("There are 3.", json!(3), false),
            ("it is -1.5, not more", json!(-1.5), false),
            ("True", json!(true), false),
            ("untrue", json!(true), true),
        ] {
            let mut output = Output { structured: Some(data.clone()), ..Output::text(text) };
            output.tell_data();
            let added = output.content.get(1).cloned();
            let expected = is_added.then(|| Content::text(data.to_string()));
            assert_eq!(added, expected, "{text} and {data}");
        }
    }
}
