//! What the server sends, as JSON.

use super::raw::{Raw, Short};
use super::{dates, numeric};
use crate::sql::{blob, float};
use model::{Cell, HostError};
use serde_json::Value;
use std::error::Error;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, Kind, Type};

pub(super) fn cell(row: &Row, index: usize) -> Result<Cell, HostError> {
    let Read(cell) = row.try_get(index).map_err(|error| {
        let why = error.source().map_or(error.to_string(), ToString::to_string);
        let column = &row.columns()[index];
        let (name, kind) = (column.name(), column.type_().name());
        HostError(format!("column `{name}` of type {kind} {why}"))
    })?;
    Ok(cell)
}

struct Read(Cell);

impl<'r> FromSql<'r> for Read {
    fn from_sql(kind: &Type, raw: &'r [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(decode(kind, raw)?))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(Cell::Null))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl From<Short> for String {
    fn from(_: Short) -> Self {
        "is shorter than it should be".into()
    }
}

fn decode(kind: &Type, raw: &[u8]) -> Result<Cell, String> {
    Ok(match *kind {
        Type::BOOL => Cell::Bool(raw.first() == Some(&1)),
        Type::INT2 => Cell::Int(Raw(raw).i16()?.into()),
        Type::INT4 => Cell::Int(Raw(raw).i32()?.into()),
        Type::INT8 => Cell::Int(Raw(raw).i64()?),
        Type::OID => Cell::Int(Raw(raw).u32()?.into()),
        Type::FLOAT4 => short_float(f32::from_be_bytes(Raw(raw).array()?)),
        Type::FLOAT8 => float::to_cell(f64::from_be_bytes(Raw(raw).array()?)),
        Type::NUMERIC => Cell::Text(numeric::text(raw)?),
        Type::CHAR => {
            let letter = raw.first().map(|&byte| char::from(byte).to_string());
            letter.map_or(Cell::Null, Cell::Text)
        }
        Type::BYTEA => Cell::Json(blob::to_json(raw)),
        Type::UUID => Cell::Text(uuid(u128::from_be_bytes(Raw(raw).array()?))),
        Type::DATE => Cell::Text(dates::date(raw)?),
        Type::TIME => Cell::Text(dates::time(raw)?),
        Type::TIMETZ => Cell::Text(dates::time_with_zone(raw)?),
        Type::TIMESTAMP => Cell::Text(dates::timestamp(raw, "")?),
        Type::TIMESTAMPTZ => Cell::Text(dates::timestamp(raw, "Z")?),
        Type::INTERVAL => Cell::Text(dates::interval(raw)?),
        Type::JSON => Cell::Json(json(raw)?),
        Type::JSONB => Cell::Json(json(raw.split_first().ok_or(Short)?.1)?),
        Type::VOID => Cell::Null,
        _ if is_text(kind) => text(raw)?,
        _ => match kind.kind() {
            Kind::Enum(_) => text(raw)?,
            Kind::Domain(inner) => decode(inner, raw)?,
            Kind::Array(member) => Cell::Json(array(member, raw)?),
            _ => return Err("has no form in JSON".into()),
        },
    })
}

/// Has it a form in JSON?
pub(super) fn is_readable(kind: &Type) -> bool {
    READABLE.contains(kind)
        || is_text(kind)
        || match kind.kind() {
            Kind::Enum(_) => true,
            Kind::Domain(inner) | Kind::Array(inner) => is_readable(inner),
            _ => false,
        }
}

/// Those that `decode` knows by themselves.
const READABLE: [Type; 20] = [
    Type::BOOL,
    Type::INT2,
    Type::INT4,
    Type::INT8,
    Type::OID,
    Type::FLOAT4,
    Type::FLOAT8,
    Type::NUMERIC,
    Type::CHAR,
    Type::BYTEA,
    Type::UUID,
    Type::DATE,
    Type::TIME,
    Type::TIMETZ,
    Type::TIMESTAMP,
    Type::TIMESTAMPTZ,
    Type::INTERVAL,
    Type::JSON,
    Type::JSONB,
    Type::VOID,
];

/// Extensions bring types of their own, known by name alone.
pub(super) fn is_text(kind: &Type) -> bool {
    let built_in = [Type::TEXT, Type::VARCHAR, Type::BPCHAR, Type::NAME, Type::UNKNOWN, Type::XML];
    built_in.contains(kind) || kind.name() == "citext"
}

fn text(raw: &[u8]) -> Result<Cell, String> {
    let text = std::str::from_utf8(raw).map_err(|_| "is not UTF-8")?;
    Ok(Cell::Text(text.to_owned()))
}

fn json(raw: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(raw)
        .map_err(|error| format!("cannot be read: {error}: select it as ::text"))
}

/// The shortest digits that stand for it: 0.1, not 0.10000000149011612.
fn short_float(value: f32) -> Cell {
    float::to_cell(value.to_string().parse().unwrap_or(value.into()))
}

fn uuid(bits: u128) -> String {
    let hex = format!("{bits:032x}");
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    parts.join("-")
}

/// Dimensions with their lengths, then all elements in one row.
fn array(member: &Type, raw: &[u8]) -> Result<Value, String> {
    let mut raw = Raw(raw);
    let dimensions = raw.i32()?;
    let (_has_nulls, _member) = (raw.i32()?, raw.u32()?);
    let mut lengths = Vec::new();
    for _ in 0..dimensions {
        lengths.push(usize::try_from(raw.i32()?).unwrap_or(0));
        let _first_index = raw.i32()?;
    }
    if lengths.is_empty() {
        return Ok(Value::Array(Vec::new()));
    }
    elements(member, &mut raw, &lengths)
}

fn elements(member: &Type, raw: &mut Raw<'_>, lengths: &[usize]) -> Result<Value, String> {
    let Some((length, inner)) = lengths.split_first() else {
        return match usize::try_from(raw.i32()?) {
            Ok(length) => Ok(decode(member, raw.take(length)?)?.into()),
            Err(_) => Ok(Value::Null),
        };
    };
    let items: Result<Vec<Value>, String> =
        (0..*length).map(|_| elements(member, raw, inner)).collect();
    items.map(Value::Array)
}
