//! JSON as the text that the server reads for a parameter of some type.

use super::cells::is_text;
use crate::sql::{blob, failed};
use bytes::BytesMut;
use model::HostError;
use serde_json::{Number, Value};
use std::error::Error;
use tokio_postgres::types::{Format, IsNull, Kind, ToSql, Type, to_sql_checked};

/// What is sent for one parameter; nothing for NULL.
#[derive(Debug)]
pub(super) struct Param(Option<String>);

impl ToSql for Param {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        let Some(text) = &self.0 else {
            return Ok(IsNull::Yes);
        };
        out.extend_from_slice(text.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    to_sql_checked!();
}

pub(super) fn convert(kinds: &[Type], params: &[Value]) -> Result<Vec<Param>, HostError> {
    if kinds.len() != params.len() {
        return failed(format!(
            "the statement has {} parameters, and {} were given",
            kinds.len(),
            params.len()
        ));
    }
    let one = |(index, (kind, value)): (usize, (&Type, &Value))| {
        let text = text(kind, value);
        text.map(Param).map_err(|why| HostError(format!("parameter {index}: {why}")))
    };
    (1..).zip(kinds.iter().zip(params)).map(one).collect()
}

/// A string is read by the server as it reads every value of that type.
fn text(kind: &Type, value: &Value) -> Result<Option<String>, String> {
    if let Kind::Domain(inner) = kind.kind() {
        return text(inner, value);
    }
    let is_json = [Type::JSON, Type::JSONB].contains(kind);
    Ok(Some(match value {
        Value::Null => return Ok(None),
        Value::String(_) if *kind == Type::BYTEA => return Err(wrong(kind, value)),
        Value::String(text) => text.clone(),
        value if is_json => value.to_string(),
        Value::Object(map) if *kind == Type::BYTEA => {
            format!("\\x{}", model::hex_digits(&blob::from_json(map)?))
        }
        Value::Bool(truth) if *kind == Type::BOOL => truth.to_string(),
        Value::Number(number) => digits(kind, number)?.ok_or_else(|| wrong(kind, value))?,
        Value::Array(items) => match kind.kind() {
            Kind::Array(member) => list(member, items)?,
            _ => return Err(wrong(kind, value)),
        },
        _ => return Err(wrong(kind, value)),
    }))
}

fn digits(kind: &Type, number: &Number) -> Result<Option<String>, String> {
    let digits = number.to_string();
    let range = match *kind {
        Type::INT2 => i64::from(i16::MIN)..=i64::from(i16::MAX),
        Type::INT4 => i64::from(i32::MIN)..=i64::from(i32::MAX),
        Type::INT8 => i64::MIN..=i64::MAX,
        Type::OID => 0..=i64::from(u32::MAX),
        Type::FLOAT4 | Type::FLOAT8 | Type::NUMERIC => return Ok(Some(digits)),
        _ => return Ok(None),
    };
    if digits.contains(['.', 'e', 'E']) {
        return Err(format!("{digits} is not an integer: give int(x)"));
    }
    match number.as_i64() {
        Some(integer) if range.contains(&integer) => Ok(Some(digits)),
        _ => Err(format!("{digits} does not fit into {}", kind.name())),
    }
}

/// `{1,2,NULL,"a, b"}`; lists in lists are further dimensions, but in JSON they are values.
fn list(member: &Type, items: &[Value]) -> Result<String, String> {
    let is_json = [Type::JSON, Type::JSONB].contains(member);
    let item = |item: &Value| match item {
        Value::Array(inner) if !is_json => list(member, inner),
        item => Ok(text(member, item)?.map_or("NULL".into(), |text| quoted(&text))),
    };
    let items: Result<Vec<String>, String> = items.iter().map(item).collect();
    Ok(format!("{{{}}}", items?.join(",")))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn wrong(kind: &Type, value: &Value) -> String {
    let given = match value {
        Value::Null => "None",
        Value::Bool(_) => "a bool",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a dict",
    };
    let name = kind.name();
    let give = match *kind {
        Type::BOOL => "give True or False".into(),
        Type::BYTEA => "give {\"base64\": \"…\"}".into(),
        _ if is_text(kind) => "give a string, or cast the parameter, as in $1::int".into(),
        _ => format!("give what {name} looks like, as a string"),
    };
    format!("{given} cannot be sent as {name}: {give}")
}
