//! JSON ↔ `SQLite`'s five kinds of values.

use crate::sql::{blob, failed, float};
use model::{Cell, HostError};
use rusqlite::Statement;
use rusqlite::types::{Value as Sql, ValueRef};
use serde_json::{Number, Value};

pub(super) fn bind(statement: &mut Statement<'_>, params: &[Value]) -> Result<(), HostError> {
    let wanted = statement.parameter_count();
    if wanted != params.len() {
        return failed(format!(
            "the statement has {wanted} parameters, and {} were given",
            params.len()
        ));
    }
    for (index, param) in (1..).zip(params) {
        let bound = from_json(param).and_then(|value| {
            let bound = statement.raw_bind_parameter(index, value);
            bound.map_err(|error| error.to_string())
        });
        bound.map_err(|why| HostError(format!("parameter {index}: {why}")))?;
    }
    Ok(())
}

fn from_json(value: &Value) -> Result<Sql, String> {
    Ok(match value {
        Value::Null => Sql::Null,
        Value::Bool(truth) => Sql::Integer(i64::from(*truth)),
        Value::Number(number) => from_number(number)?,
        Value::String(text) => Sql::Text(text.clone()),
        Value::Object(map) => Sql::Blob(blob::from_json(map)?),
        Value::Array(_) => return Err("a list cannot be bound: give json.encode(x)".into()),
    })
}

fn from_number(number: &Number) -> Result<Sql, String> {
    if let Some(integer) = number.as_i64() {
        return Ok(Sql::Integer(integer));
    }
    let digits = number.to_string();
    if !digits.contains(['.', 'e', 'E']) {
        return Err(format!("{digits} does not fit into 64 bits: give it as a string"));
    }
    match number.as_f64() {
        Some(float) if float.is_finite() => Ok(Sql::Real(float)),
        _ => Err(format!("{digits} is too large for a float")),
    }
}

/// Text that is not UTF-8.
pub(super) struct NotText;

pub(super) fn not_text(column: &str) -> HostError {
    HostError(format!(
        "column `{column}` holds text that is not UTF-8: select CAST({column} AS BLOB)"
    ))
}

pub(super) fn to_cell(value: ValueRef<'_>) -> Result<Cell, NotText> {
    Ok(match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(integer) => Cell::Int(integer),
        ValueRef::Real(float) => float::to_cell(float),
        ValueRef::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => Cell::Text(text.to_owned()),
            Err(_) => return Err(NotText),
        },
        ValueRef::Blob(bytes) => Cell::Json(blob::to_json(bytes)),
    })
}
