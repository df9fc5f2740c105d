//! TOML values in JSON's words: integers exact, dates as text; JSON has no infinity, so neither have we.

use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Number, Value};
use std::fmt;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What JSON has no words for, and where it stands.
type Unreadable = (&'static str, Range<usize>);

const TOO_LARGE: &str = "too large an integer";
const NOT_FINITE: &str = "a number must be finite";

/// The whole text as JSON, for those who ask nothing of it.
pub(super) fn of_table(table: &DeTable<'_>) -> Result<Value, Unreadable> {
    let pair =
        |(key, value): (&Spanned<_>, _)| Ok((ToString::to_string(key.get_ref()), of(value)?));
    table.iter().map(pair).collect::<Result<Map<_, _>, _>>().map(Value::Object)
}

fn of(value: &Spanned<DeValue<'_>>) -> Result<Value, Unreadable> {
    let or = |why| (why, value.span());
    Ok(match value.get_ref() {
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Boolean(yes) => (*yes).into(),
        DeValue::Datetime(time) => time.to_string().into(),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).map_err(|_| or(TOO_LARGE))?.into()
        }
        DeValue::Float(number) => {
            let number = number.as_str().parse().ok().and_then(Number::from_f64);
            number.ok_or_else(|| or(NOT_FINITE))?.into()
        }
        DeValue::Array(items) => Value::Array(items.iter().map(of).collect::<Result<_, _>>()?),
        DeValue::Table(table) => of_table(table)?,
    })
}

pub(crate) struct Json(pub(crate) Value);

/// A table as JSON.
pub(crate) fn object<'de, D>(deserializer: D) -> Result<Map<String, Value>, D::Error>
where
    D: Deserializer<'de>,
{
    match deserializer.deserialize_map(JsonVisitor)? {
        Value::Object(map) => Ok(map),
        other => Err(D::Error::custom(format!("invalid type: {other}, expected a table"))),
    }
}

/// What stands for the key of a date: TOML's reader shows a date as a table of one key.
const DATE: &str = "$__toml_private_datetime";

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor).map(Self)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_i128<E: Error>(self, number: i128) -> Result<Value, E> {
        let number = Number::from_i128(number).map(Value::Number);
        number.ok_or_else(|| E::custom(TOO_LARGE))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Value, E> {
        let number = Number::from_f64(number).map(Value::Number);
        number.ok_or_else(|| E::custom(NOT_FINITE))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Json(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((key, Json(value))) = entries.next_entry::<String, _>()? {
            if key == DATE {
                return Ok(value);
            }
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}
