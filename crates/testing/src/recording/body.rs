//! What is sent and what comes back, as readable in a file as it can be without changing a byte.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Body {
    /// Without spaces, as most servers write it.
    Json(Value),
    Text(String),
    /// Text of several lines.
    Lines(Vec<String>),
    Base64(String),
}

impl Default for Body {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl Body {
    pub(super) fn of(bytes: &[u8]) -> Self {
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Self::Base64(STANDARD.encode(bytes));
        };
        match serde_json::from_str::<Value>(text) {
            Ok(json) if is_written_so(&json, text) => Self::Json(json),
            _ if text.contains('\n') => Self::Lines(text.split('\n').map(str::to_owned).collect()),
            _ => Self::Text(text.to_owned()),
        }
    }

    pub(super) fn bytes(&self) -> Result<Vec<u8>, String> {
        match self {
            Self::Base64(text) => {
                STANDARD.decode(text).map_err(|error| format!("`base64` of a body: {error}"))
            }
            other => Ok(other.to_string().into_bytes()),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The same as data, if it is JSON.
    pub(super) fn json(&self) -> Option<Value> {
        match self {
            Self::Json(json) => Some(json.clone()),
            Self::Base64(_) => None,
            text => serde_json::from_str(&text.to_string()).ok(),
        }
    }
}

fn is_written_so(json: &Value, text: &str) -> bool {
    serde_json::to_string(json).is_ok_and(|written| written == text)
}

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(json) => json.fmt(f),
            Self::Text(text) | Self::Base64(text) => f.write_str(text),
            Self::Lines(lines) => f.write_str(&lines.join("\n")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn no_byte_changes() {
        for (bytes, kept) in [
            (&b""[..], json!({"text": ""})),
            (
                br#"{"n":12345678901234567890.50}"#,
                json!({"json": serde_json::from_str::<Value>(r#"{"n":12345678901234567890.50}"#).unwrap()}),
            ),
            (br#"{"n": 1}"#, json!({"text": "{\"n\": 1}"})),
            (b"{\n  \"n\": 1\n}\n", json!({"lines": ["{", "  \"n\": 1", "}", ""]})),
            (b"a\r\nb", json!({"lines": ["a\r", "b"]})),
            (&[0xff, 0], json!({"base64": "/wA="})),
        ] {
            let body = Body::of(bytes);
            let text = serde_json::to_string(&body).unwrap();
            assert_eq!(text, kept.to_string());
            let read: Body = serde_json::from_str(&text).unwrap();
            assert_eq!(read.bytes().unwrap(), bytes, "{text}");
        }
    }
}
