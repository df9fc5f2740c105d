//! What the server sends, as JSON.

use super::raw::{Raw, Short};
use super::{dates, numeric};
use crate::sql::{blob, float};
use model::HostError;
use serde_json::{Map, Value};
use std::error::Error;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, Kind, Type};

/// Of two columns with one name, the later one is kept.
pub(super) fn to_map(row: &Row) -> Result<Map<String, Value>, HostError> {
    let mut map = Map::with_capacity(row.len());
    for (index, column) in row.columns().iter().enumerate() {
        let Cell(value) = row.try_get(index).map_err(|error| {
            let why = error
                .source()
                .map_or(error.to_string(), ToString::to_string);
            let (name, kind) = (column.name(), column.type_().name());
            HostError(format!("column `{name}` of type {kind} {why}"))
        })?;
        map.insert(column.name().to_owned(), value);
    }
    Ok(map)
}

struct Cell(Value);

impl<'r> FromSql<'r> for Cell {
    fn from_sql(kind: &Type, raw: &'r [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(decode(kind, raw)?))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(Value::Null))
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

fn decode(kind: &Type, raw: &[u8]) -> Result<Value, String> {
    Ok(match *kind {
        Type::BOOL => (raw.first() == Some(&1)).into(),
        Type::INT2 => Raw(raw).i16()?.into(),
        Type::INT4 => Raw(raw).i32()?.into(),
        Type::INT8 => Raw(raw).i64()?.into(),
        Type::OID => Raw(raw).u32()?.into(),
        Type::FLOAT4 => short_float(f32::from_be_bytes(Raw(raw).array()?)),
        Type::FLOAT8 => float::to_json(f64::from_be_bytes(Raw(raw).array()?)),
        Type::NUMERIC => numeric::text(raw)?.into(),
        Type::CHAR => raw.first().map(|&b| char::from(b).to_string()).into(),
        Type::BYTEA => blob::to_json(raw),
        Type::UUID => uuid(u128::from_be_bytes(Raw(raw).array()?)).into(),
        Type::DATE => dates::date(raw)?.into(),
        Type::TIME => dates::time(raw)?.into(),
        Type::TIMETZ => dates::time_with_zone(raw)?.into(),
        Type::TIMESTAMP => dates::timestamp(raw, "")?.into(),
        Type::TIMESTAMPTZ => dates::timestamp(raw, "Z")?.into(),
        Type::INTERVAL => dates::interval(raw)?.into(),
        Type::JSON => json(raw)?,
        Type::JSONB => json(raw.split_first().ok_or(Short)?.1)?,
        Type::VOID => Value::Null,
        _ if is_text(kind) => text(raw)?.into(),
        _ => match kind.kind() {
            Kind::Enum(_) => text(raw)?.into(),
            Kind::Domain(inner) => decode(inner, raw)?,
            Kind::Array(member) => array(member, raw)?,
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
    let built_in = [
        Type::TEXT,
        Type::VARCHAR,
        Type::BPCHAR,
        Type::NAME,
        Type::UNKNOWN,
        Type::XML,
    ];
    built_in.contains(kind) || kind.name() == "citext"
}

fn text(raw: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(raw).map_err(|_| "is not UTF-8".into())
}

fn json(raw: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(raw)
        .map_err(|error| format!("cannot be read: {error}: select it as ::text"))
}

/// The shortest digits that stand for it: 0.1, not 0.10000000149011612.
fn short_float(value: f32) -> Value {
    float::to_json(value.to_string().parse().unwrap_or(value.into()))
}

fn uuid(bits: u128) -> String {
    let hex = format!("{bits:032x}");
    let parts = [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ];
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
            Ok(length) => decode(member, raw.take(length)?),
            Err(_) => Ok(Value::Null),
        };
    };
    let items: Result<Vec<Value>, String> =
        (0..*length).map(|_| elements(member, raw, inner)).collect();
    items.map(Value::Array)
}
