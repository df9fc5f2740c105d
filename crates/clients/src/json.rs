//! Edits JSON, with comments and trailing commas where the client allows them.

use crate::document::Format;
use crate::trouble::Wrong;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde_json::{Map, Value};

pub(crate) fn get(
    text: &str,
    format: Format,
    servers: &[String],
    name: &str,
) -> Result<Option<Value>, Wrong> {
    let found = find(&parse(text, format)?, servers, name)?;
    Ok(found.and_then(|entry| entry.value()?.to_serde_value()))
}

/// All servers, by their names.
pub(crate) fn all(
    text: &str,
    format: Format,
    servers: &[String],
) -> Result<Vec<(String, Value)>, Wrong> {
    let root = parse(text, format)?;
    let (last, way) =
        servers.split_last().ok_or_else(|| Wrong::Shape("no key leads to its servers".into()))?;
    let found = find(&root, way, last)?.and_then(|property| property.object_value());
    let properties = found.map_or(Vec::new(), |object| object.properties());
    let pairs = properties.into_iter();
    let pairs = pairs.filter_map(|p| Some((p.decoded_name()?, p.value()?.to_serde_value()?)));
    Ok(pairs.collect())
}

pub(crate) fn put(
    text: &str,
    format: Format,
    servers: &[String],
    name: &str,
    entry: &Map<String, Value>,
) -> Result<String, Wrong> {
    let root = parse(text, format)?;
    match find(&root, servers, name)? {
        Some(there) => renew(&there, name, entry)?,
        None => {
            let entry = input(&Value::Object(entry.clone()));
            room(&root, servers)?.append(name, entry);
        }
    }
    let mut edited = root.to_string();
    if text.trim().is_empty() && !edited.ends_with('\n') {
        edited.push('\n');
    }
    Ok(edited)
}

pub(crate) fn take(
    text: &str,
    format: Format,
    servers: &[String],
    name: &str,
) -> Result<String, Wrong> {
    let root = parse(text, format)?;
    if let Some(entry) = find(&root, servers, name)? {
        entry.remove();
    }
    Ok(root.to_string())
}

fn parse(text: &str, format: Format) -> Result<CstRootNode, Wrong> {
    let is_lenient = format == Format::Jsonc;
    let options = ParseOptions {
        allow_comments: is_lenient,
        allow_trailing_commas: is_lenient,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let root = CstRootNode::parse(text, &options).map_err(|error| {
        let why = error.kind().to_string();
        Wrong::syntax(text, error.range().start, &why)
    })?;
    if !is_lenient && !text.trim().is_empty() {
        without_comments(text)?;
    }
    Ok(root)
}

/// The parser above lets some comments through, whatever it is told.
fn without_comments(text: &str) -> Result<(), Wrong> {
    let read: Result<serde::de::IgnoredAny, _> = serde_json::from_str(text);
    read.map(drop).map_err(|error| Wrong::Syntax {
        line: error.line(),
        column: error.column(),
        message: "this client reads no comments".into(),
    })
}

/// The entry of a server, if it is there; what is not the way to it is an error.
fn find(
    root: &CstRootNode,
    servers: &[String],
    name: &str,
) -> Result<Option<CstObjectProp>, Wrong> {
    let Some(top) = root.value() else {
        return Ok(None);
    };
    let top = top.as_object();
    let mut object = top.ok_or_else(|| Wrong::Shape("it does not hold an object".into()))?;
    for key in servers {
        let Some(property) = only(&object, key)? else {
            return Ok(None);
        };
        let inner = property.object_value();
        object = inner.ok_or_else(|| Wrong::not_an_object(key))?;
    }
    only(&object, name)
}

/// Of two keys of one name a client may read either.
fn only(object: &CstObject, key: &str) -> Result<Option<CstObjectProp>, Wrong> {
    let mut all = object.properties().into_iter();
    let mut next = || all.find(|property| property.decoded_name().as_deref() == Some(key));
    let first = next();
    match next() {
        Some(_) => Err(Wrong::Shape(format!("`{key}` stands there twice"))),
        None => Ok(first),
    }
}

/// Where servers stand; made, where it is not there yet.
fn room(root: &CstRootNode, servers: &[String]) -> Result<CstObject, Wrong> {
    let mut object = root.object_value_or_set();
    for key in servers {
        let inner = object.object_value_or_create(key);
        object = inner.ok_or_else(|| Wrong::not_an_object(key))?;
    }
    Ok(object)
}

/// Says anew what differs, and leaves the rest.
fn renew(there: &CstObjectProp, name: &str, entry: &Map<String, Value>) -> Result<(), Wrong> {
    let object = there.object_value();
    let object = object.ok_or_else(|| Wrong::not_an_object(name))?;
    for (key, value) in entry {
        match only(&object, key)? {
            None => {
                object.append(key, input(value));
            }
            Some(said) => {
                let now = said.value().and_then(|said| said.to_serde_value());
                if now.as_ref() != Some(value) {
                    said.set_value(input(value));
                }
            }
        }
    }
    Ok(())
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(map) => {
            let pairs = map.iter().map(|(key, value)| (key.clone(), input(value)));
            CstInputValue::Object(pairs.collect())
        }
    }
}
