//! JSON ↔ Starlark. The engine's own writer has no budgets, and is eleven times slower.

mod collisions;
mod receive;

pub(crate) use receive::{Receiver, float_from_json, from_json};

use crate::stdlib::content::Block;
use crate::stdlib::show;
use model::Limits;
use num_bigint::BigInt;
use serde::ser::{Error, Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::{Number, Value as Json};
use starlark::values::dict::DictRef;
use starlark::values::enumeration::EnumValue;
use starlark::values::float::StarlarkFloat;
use starlark::values::list::ListRef;
use starlark::values::record::Record;
use starlark::values::structs::StructRef;
use starlark::values::tuple::TupleRef;
use starlark::values::{Heap, UnpackValue, Value, ValueLike};
use std::cell::Cell;

/// A value that JSON cannot carry, or that is over a budget.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unwritable(pub(crate) String);

/// Parts of a value that is made into JSON in memory, where each takes a hundred bytes.
const MOST_VALUES: usize = 2_000_000;

/// A range takes no room until it is written out.
const LONGEST_RANGE: i32 = 4_000_000;

/// How much of a value may be written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    pub(crate) depth: usize,
    pub(crate) bytes: usize,
}

impl From<&Limits> for Budget {
    fn from(limits: &Limits) -> Self {
        Self { depth: limits.value_depth, bytes: limits.result_bytes }
    }
}

/// What a value is to JSON.
enum Shape<'v> {
    Null,
    Bool(bool),
    Int(i64),
    Digits(String),
    Float(f64),
    Text(&'v str),
    Items(Vec<Value<'v>>),
    Fields(Vec<(Key<'v>, Value<'v>)>),
    Ready(&'v Json),
}

enum Key<'v> {
    Text(&'v str),
    Made(String),
}

impl Key<'_> {
    fn as_str(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Made(text) => text,
        }
    }
}

fn shape<'v>(value: Value<'v>, heap: Heap<'v>) -> Result<Shape<'v>, Unwritable> {
    if let Some(text) = value.unpack_str() {
        return Ok(Shape::Text(text));
    }
    if let Some(int) = value.unpack_i32() {
        return Ok(Shape::Int(i64::from(int)));
    }
    if value.is_none() {
        return Ok(Shape::Null);
    }
    if let Some(b) = value.unpack_bool() {
        return Ok(Shape::Bool(b));
    }
    if let Some(dict) = DictRef::from_value(value) {
        let fields: Result<Vec<_>, Unwritable> =
            dict.iter().map(|(k, v)| Ok((key(k)?, v))).collect();
        return Ok(Shape::Fields(fields?));
    }
    if let Some(list) = ListRef::from_value(value) {
        return Ok(Shape::Items(list.content().to_vec()));
    }
    if let Some(float) = value.downcast_ref::<StarlarkFloat>() {
        return Ok(Shape::Float(float.0));
    }
    rare_shape(value, heap)
}

fn rare_shape<'v>(value: Value<'v>, heap: Heap<'v>) -> Result<Shape<'v>, Unwritable> {
    if let Ok(Some(big)) = BigInt::unpack_value(value) {
        return Ok(Shape::Digits(big.to_string()));
    }
    if let Some(tuple) = TupleRef::from_value(value) {
        return Ok(Shape::Items(tuple.content().to_vec()));
    }
    if let Some(block) = Block::from_value(value) {
        return Ok(Shape::Ready(&block.0));
    }
    if let Some(fields) = StructRef::from_value(value) {
        return Ok(Shape::Fields(fields.iter().map(|(k, v)| (Key::Text(k.as_str()), v)).collect()));
    }
    if let Some(record) = Record::from_value(value) {
        return Ok(Shape::Fields(record.iter().map(|(k, v)| (Key::Text(k), v)).collect()));
    }
    if EnumValue::from_value(value).is_some() {
        return match value.get_attr("value", heap) {
            Ok(Some(inner)) => shape(inner, heap),
            _ => Err(Unwritable("an enum value without a value".into())),
        };
    }
    if matches!(value.get_type(), "range" | "set") {
        let length = value.length().unwrap_or(i32::MAX);
        if length > LONGEST_RANGE {
            return Err(Unwritable(format!(
                "a {} of {length} elements is too long to be written as JSON",
                value.get_type()
            )));
        }
        return match value.iterate(heap) {
            Ok(items) => Ok(Shape::Items(items.collect())),
            Err(error) => Err(Unwritable(error.to_string())),
        };
    }
    Err(Unwritable(format!("a {} cannot be written as JSON", value.get_type())))
}

/// Keys are text; numbers and booleans are spelt out as Python does.
fn key(value: Value<'_>) -> Result<Key<'_>, Unwritable> {
    if let Some(text) = value.unpack_str() {
        return Ok(Key::Text(text));
    }
    match value.get_type() {
        "int" | "float" => Ok(Key::Made(show::plain(value))),
        "bool" => Ok(Key::Made(show::plain(value).to_lowercase())),
        other => Err(Unwritable(format!("a key must be a string, not a {other}"))),
    }
}

/// Writes a value as minified JSON.
pub(crate) fn write_json<'v>(
    value: Value<'v>,
    heap: Heap<'v>,
    budget: Budget,
) -> Result<String, Unwritable> {
    let walk = Walk::new(heap, budget, usize::MAX);
    let written = serde_json::to_string(&walk.part(value, 0)).map_err(Unwritable::from)?;
    if written.len() > budget.bytes {
        return Err(too_long(budget));
    }
    Ok(written)
}

/// A value as JSON in memory.
pub(crate) fn to_json<'v>(
    value: Value<'v>,
    heap: Heap<'v>,
    budget: Budget,
) -> Result<Json, Unwritable> {
    let walk = Walk::new(heap, budget, MOST_VALUES);
    serde_json::to_value(walk.part(value, 0)).map_err(Unwritable::from)
}

impl From<serde_json::Error> for Unwritable {
    fn from(error: serde_json::Error) -> Self {
        Self(error.to_string())
    }
}

/// A value on its way to JSON, and what may still be written.
struct Walk<'v> {
    heap: Heap<'v>,
    budget: Budget,
    bytes: Cell<usize>,
    values: Cell<usize>,
}

/// One part of the value, and how deep it lies.
struct Part<'w, 'v> {
    walk: &'w Walk<'v>,
    value: Value<'v>,
    depth: usize,
}

impl<'v> Walk<'v> {
    fn new(heap: Heap<'v>, budget: Budget, values: usize) -> Self {
        Self { heap, budget, bytes: Cell::new(budget.bytes), values: Cell::new(values) }
    }

    fn part(&self, value: Value<'v>, depth: usize) -> Part<'_, 'v> {
        Part { walk: self, value, depth }
    }

    /// Takes what a part needs at the least.
    fn spend(&self, bytes: usize) -> Result<(), Unwritable> {
        let left = self.bytes.get().checked_sub(bytes);
        self.bytes.set(left.ok_or_else(|| too_long(self.budget))?);
        Ok(())
    }

    fn enter(&self, depth: usize) -> Result<(), Unwritable> {
        if depth > self.budget.depth {
            return Err(too_deep(self.budget));
        }
        let left = self.values.get().checked_sub(1);
        let too_many = || Unwritable(format!("the value has more than {MOST_VALUES} parts"));
        self.values.set(left.ok_or_else(too_many)?);
        self.spend(1)
    }
}

impl Serialize for Part<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { walk, value, depth } = *self;
        walk.enter(depth).map_err(S::Error::custom)?;
        let spend = |bytes: usize| walk.spend(bytes).map_err(S::Error::custom);
        match shape(value, walk.heap).map_err(S::Error::custom)? {
            Shape::Null => serializer.serialize_unit(),
            Shape::Bool(b) => serializer.serialize_bool(b),
            Shape::Int(int) => serializer.serialize_i64(int),
            Shape::Digits(digits) => {
                spend(digits.len())?;
                Number::from_string_unchecked(digits).serialize(serializer)
            }
            Shape::Float(float) => {
                let digits = float_digits(float).map_err(S::Error::custom)?;
                Number::from_string_unchecked(digits).serialize(serializer)
            }
            Shape::Text(text) => {
                spend(text.len())?;
                serializer.serialize_str(text)
            }
            Shape::Ready(json) => {
                spend(json.to_string().len())?;
                json.serialize(serializer)
            }
            Shape::Items(items) => {
                let mut array = serializer.serialize_seq(reserved(items.len()))?;
                for item in items {
                    array.serialize_element(&walk.part(item, depth + 1))?;
                }
                array.end()
            }
            Shape::Fields(fields) => {
                let mut map = serializer.serialize_map(reserved(fields.len()))?;
                for (key, item) in fields {
                    // One key may stand in a million dicts that are all the same one.
                    spend(key.as_str().len())?;
                    map.serialize_entry(key.as_str(), &walk.part(item, depth + 1))?;
                }
                map.end()
            }
        }
    }
}

/// The room to reserve: a long list may be over its budget soon.
fn reserved(length: usize) -> Option<usize> {
    Some(length).filter(|length| *length <= 1 << 16)
}

fn float_digits(float: f64) -> Result<String, Unwritable> {
    if !float.is_finite() {
        return Err(Unwritable(format!("{float} cannot be written as JSON")));
    }
    // `{:?}` keeps the point in `1.0` and switches to exponents for very large and small ones.
    Ok(format!("{float:?}"))
}

fn too_deep(budget: Budget) -> Unwritable {
    Unwritable(format!("a value nested deeper than {} cannot be written as JSON", budget.depth))
}

fn too_long(budget: Budget) -> Unwritable {
    Unwritable(format!("the value is longer than {} bytes as JSON (limit `result`)", budget.bytes))
}
