//! JSON ↔ Starlark. Our own writer: it has depth and byte budgets, and the crate's is eleven times slower.

mod collisions;
mod receive;

pub(crate) use receive::{Receiver, float_from_json, from_json};

use crate::stdlib::content::Block;
use crate::stdlib::show;
use model::Limits;
use num_bigint::BigInt;
use serde_json::{Map, Number, Value as Json};
use starlark::values::dict::DictRef;
use starlark::values::enumeration::EnumValue;
use starlark::values::float::StarlarkFloat;
use starlark::values::list::ListRef;
use starlark::values::record::Record;
use starlark::values::structs::StructRef;
use starlark::values::tuple::TupleRef;
use starlark::values::{Heap, UnpackValue, Value, ValueLike};
use std::fmt::Write;

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
        let fields: Result<Vec<_>, _> = dict.iter().map(|(k, v)| Ok((key(k)?, v))).collect();
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
    let mut writer = Writer { out: String::new(), budget, heap };
    writer.value(value, 0)?;
    Ok(writer.out)
}

struct Writer<'v> {
    out: String,
    budget: Budget,
    heap: Heap<'v>,
}

impl<'v> Writer<'v> {
    fn value(&mut self, value: Value<'v>, depth: usize) -> Result<(), Unwritable> {
        if depth > self.budget.depth {
            return Err(too_deep(self.budget));
        }
        match shape(value, self.heap)? {
            Shape::Null => self.out.push_str("null"),
            Shape::Bool(b) => self.out.push_str(if b { "true" } else { "false" }),
            Shape::Int(int) => self.out.push_str(&int.to_string()),
            Shape::Digits(digits) => self.out.push_str(&digits),
            Shape::Float(float) => self.out.push_str(&float_digits(float)?),
            Shape::Text(text) => self.text(text),
            Shape::Ready(json) => self.out.push_str(&json.to_string()),
            Shape::Items(items) => {
                self.out.push('[');
                for (i, item) in items.into_iter().enumerate() {
                    if i > 0 {
                        self.out.push(',');
                    }
                    self.value(item, depth + 1)?;
                }
                self.out.push(']');
            }
            Shape::Fields(fields) => {
                self.out.push('{');
                for (i, (key, item)) in fields.into_iter().enumerate() {
                    if i > 0 {
                        self.out.push(',');
                    }
                    self.text(key.as_str());
                    self.out.push(':');
                    self.value(item, depth + 1)?;
                }
                self.out.push('}');
            }
        }
        if self.out.len() > self.budget.bytes {
            return Err(too_long(self.budget));
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        self.out.push('"');
        let mut plain = 0;
        for (i, byte) in text.bytes().enumerate() {
            let escape: &str = match byte {
                b'"' => "\\\"",
                b'\\' => "\\\\",
                b'\n' => "\\n",
                b'\r' => "\\r",
                b'\t' => "\\t",
                0..0x20 => "",
                _ => continue,
            };
            self.out.push_str(&text[plain..i]);
            if escape.is_empty() {
                let _ = write!(self.out, "\\u{byte:04x}");
            } else {
                self.out.push_str(escape);
            }
            plain = i + 1;
        }
        self.out.push_str(&text[plain..]);
        self.out.push('"');
    }
}

/// The same walk, into a JSON value.
pub(crate) fn to_json<'v>(
    value: Value<'v>,
    heap: Heap<'v>,
    budget: Budget,
) -> Result<Json, Unwritable> {
    let mut left = Left { bytes: budget.bytes, values: MOST_VALUES };
    build(value, heap, budget, 0, &mut left)
}

/// What may still be made.
struct Left {
    bytes: usize,
    values: usize,
}

impl Left {
    fn spend(&mut self, bytes: usize, budget: Budget) -> Result<(), Unwritable> {
        let left = self.bytes.checked_sub(bytes);
        self.bytes = left.ok_or_else(|| too_long(budget))?;
        Ok(())
    }

    fn value(&mut self) -> Result<(), Unwritable> {
        let left = self.values.checked_sub(1);
        let too_many = || Unwritable(format!("the value has more than {MOST_VALUES} parts"));
        self.values = left.ok_or_else(too_many)?;
        Ok(())
    }
}

fn build<'v>(
    value: Value<'v>,
    heap: Heap<'v>,
    budget: Budget,
    depth: usize,
    left: &mut Left,
) -> Result<Json, Unwritable> {
    if depth > budget.depth {
        return Err(too_deep(budget));
    }
    left.value()?;
    left.spend(2, budget)?;
    Ok(match shape(value, heap)? {
        Shape::Null => Json::Null,
        Shape::Bool(b) => Json::Bool(b),
        Shape::Int(int) => Json::Number(int.into()),
        Shape::Digits(digits) => {
            left.spend(digits.len(), budget)?;
            Json::Number(Number::from_string_unchecked(digits))
        }
        Shape::Float(float) => Json::Number(Number::from_string_unchecked(float_digits(float)?)),
        Shape::Text(text) => {
            left.spend(text.len(), budget)?;
            Json::String(text.to_owned())
        }
        Shape::Ready(json) => {
            left.spend(json.to_string().len(), budget)?;
            json.clone()
        }
        Shape::Items(items) => {
            let mut array = Vec::with_capacity(items.len().min(1 << 16));
            for item in items {
                array.push(build(item, heap, budget, depth + 1, left)?);
            }
            Json::Array(array)
        }
        Shape::Fields(fields) => {
            let mut map = Map::with_capacity(fields.len().min(1 << 16));
            for (key, item) in fields {
                // One key may stand in a million dicts that are all the same one.
                left.spend(key.as_str().len(), budget)?;
                let item = build(item, heap, budget, depth + 1, left)?;
                map.insert(key.as_str().to_owned(), item);
            }
            Json::Object(map)
        }
    })
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
