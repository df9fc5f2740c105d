//! Bytes in JSON: `{"base64": "…"}`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

pub(crate) fn to_json(bytes: &[u8]) -> Value {
    json!({ "base64": STANDARD.encode(bytes) })
}

/// The bytes that an object stands for; what it should have been, if it is another one.
pub(crate) fn from_json(map: &Map<String, Value>) -> Result<Vec<u8>, &'static str> {
    let text = match map.get("base64") {
        Some(Value::String(text)) if map.len() == 1 => text,
        _ => return Err("a dict is taken for bytes only as {\"base64\": \"…\"}"),
    };
    STANDARD.decode(text).map_err(|_| "what stands at \"base64\" is not base64")
}
