//! A resource as a client may see it, and what reading it gives.

use crate::{Cache, Content, Input, UriTemplate};
use serde::Serialize;
use serde_json::{Map, Value};

#[derive(Debug, Clone)]
pub struct Resource {
    /// One URI, or a template of many.
    pub uri: UriTemplate,
    pub name: String,
    pub title: Option<String>,
    pub description: String,
    pub mime: Option<String>,
    pub icons: Option<Value>,
    pub annotations: Option<Value>,
    /// What the template's variables are read as.
    pub input: Input,
    /// How long what was read may be given again.
    pub cache: Option<Cache>,
}

impl Resource {
    /// The first sentence of the description.
    pub fn summary(&self) -> &str {
        self.description.lines().next().unwrap_or_default().trim()
    }
}

/// One document, in MCP's own shape.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Contents {
    pub uri: String,
    pub mime_type: String,
    #[serde(flatten)]
    pub body: Body,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Body {
    Text(String),
    /// Bytes, as base64.
    Blob(String),
}

impl Contents {
    pub fn size(&self) -> usize {
        match &self.body {
            Body::Text(text) | Body::Blob(text) => text.len(),
        }
    }
}

/// Keys of a dict that is a document; one with others is data.
const DOCUMENT: [&str; 7] = ["text", "blob", "uri", "mimeType", "mime_type", "mime", "_meta"];

/// What a resource's function gave, as documents: a text, a dict with `text` or `blob`, several of
/// them in a list or under `contents`; other dicts and lists are documents in JSON.
pub fn contents(given: Value, uri: &str, mime: Option<&str>) -> Result<Vec<Contents>, String> {
    let reader = Reader { uri, mime };
    match given {
        Value::Array(items) if !items.is_empty() && items.iter().all(is_document) => {
            reader.several(items, "")
        }
        Value::Object(mut map) if holds_only_contents(&map) => match map.remove("contents") {
            Some(Value::Array(items)) => reader.several(items, "contents"),
            _ => Err("`contents` must be a list".into()),
        },
        Value::String(_) => reader.several(vec![given], ""),
        Value::Object(_) if is_document(&given) => reader.several(vec![given], ""),
        Value::Object(_) | Value::Array(_) => Ok(vec![reader.json(&given)]),
        Value::Null => Err("None is no document; return a string, a dict or a list".into()),
        Value::Bool(_) | Value::Number(_) => {
            Err(format!("{given} is no document; return a string, a dict or a list"))
        }
    }
}

fn holds_only_contents(map: &Map<String, Value>) -> bool {
    map.contains_key("contents") && map.keys().all(|key| key == "contents" || key == "_meta")
}

/// A dict that says what a document says and nothing else, or a block of `text()` and its like.
fn is_document(value: &Value) -> bool {
    let Some(map) = value.as_object() else {
        return false;
    };
    let is_text = |key| map.get(key).is_some_and(Value::is_string);
    let plain = (is_text("text") || is_text("blob"))
        && map.keys().all(|key| DOCUMENT.contains(&key.as_str()));
    plain || from_block(value).is_some()
}

/// What a content block says, as a document.
fn from_block(value: &Value) -> Option<Value> {
    value.get("type")?;
    match serde_json::from_value(value.clone()).ok()? {
        Content::Text { text, rest } if rest.is_empty() => Some(Value::from(text)),
        Content::Image { data, mime_type, rest } | Content::Audio { data, mime_type, rest }
            if rest.is_empty() =>
        {
            Some(serde_json::json!({"blob": data, "mimeType": mime_type}))
        }
        Content::Resource { resource, rest } if rest.is_empty() => Some(resource),
        _ => None,
    }
}

struct Reader<'a> {
    uri: &'a str,
    mime: Option<&'a str>,
}

impl Reader<'_> {
    fn several(&self, items: Vec<Value>, within: &str) -> Result<Vec<Contents>, String> {
        let read = |(i, item): (usize, Value)| {
            let place = match within {
                "" => "the document".to_owned(),
                within => format!("{within}[{i}]"),
            };
            self.one(item).map_err(|why| format!("{place} {why}"))
        };
        items.into_iter().enumerate().map(read).collect()
    }

    fn one(&self, item: Value) -> Result<Contents, String> {
        let item = from_block(&item).unwrap_or(item);
        let mut map = match item {
            Value::String(text) => return Ok(self.contents(Body::Text(text), None)),
            Value::Object(map) => map,
            other => return Err(format!("must be a dict with `text` or `blob`, not {other}")),
        };
        let mut text = |key: &str| match map.remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("has a `{key}` that is no string")),
        };
        let body = match (text("text")?, text("blob")?) {
            (Some(text), None) => Body::Text(text),
            (None, Some(blob)) if is_base64(&blob) => Body::Blob(blob),
            (None, Some(_)) => return Err("has a `blob` that is not base64".into()),
            (Some(_), Some(_)) => return Err("has both `text` and `blob`".into()),
            (None, None) => return Err("has neither `text` nor `blob`".into()),
        };
        let mime = text("mimeType")?.or(text("mime_type")?).or(text("mime")?);
        let uri = text("uri")?;
        let mut contents = self.contents(body, mime);
        if let Some(uri) = uri {
            contents.uri = uri;
        }
        if let Some(Value::Object(meta)) = map.remove("_meta") {
            contents.meta = Some(meta);
        }
        Ok(contents)
    }

    fn json(&self, data: &Value) -> Contents {
        let mime = self.mime.unwrap_or("application/json").to_owned();
        self.contents(Body::Text(data.to_string()), Some(mime))
    }

    /// What the document says itself counts, then what the resource says.
    fn contents(&self, body: Body, mime: Option<String>) -> Contents {
        let usual = match body {
            Body::Text(_) => "text/plain",
            Body::Blob(_) => "application/octet-stream",
        };
        Contents {
            uri: self.uri.to_owned(),
            mime_type: mime.unwrap_or_else(|| self.mime.unwrap_or(usual).to_owned()),
            body,
            meta: None,
        }
    }
}

/// A client that gets anything else fails far away from whoever wrote it.
fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    text.len().is_multiple_of(4)
        && text.len() - body.len() <= 2
        && body.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'+' || b == b'/')
}

#[cfg(test)]
#[path = "resource_tests.rs"]
mod tests;
