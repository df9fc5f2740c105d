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
        Self {
            content: vec![Content::text(text)],
            ..Self::default()
        }
    }

    pub fn error(text: impl Into<String>) -> Self {
        Self {
            is_error: true,
            ..Self::text(text)
        }
    }

    /// The answer as data: what is structured, else a single text read as JSON, else the text. This is
    /// what references, `select` and compact output read, and it is the same for a typed tool and for
    /// one of `describe_extension`. Whoever wants it asks for [`Structured::Any`].
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
                Content::Image {
                    mime_type, data, ..
                }
                | Content::Audio {
                    mime_type, data, ..
                } => {
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

/// Which answers a caller takes as data beside the text; making data nobody reads costs time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structured {
    /// Objects only, as older clients do.
    Objects,
    Any,
}

/// One block of an answer, in MCP's own shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
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
        Self::Text {
            text: text.into(),
            rest: Rest::new(),
        }
    }
}
