//! Data from outside as Starlark values: JSON, and lists of texts that libraries make.

use super::Unwritable;
use super::collisions::{Collisions, Role};
use num_bigint::BigInt;
use serde_json::{Number, Value as Json};
use starlark::values::dict::AllocDict;
use starlark::values::list::AllocList;
use starlark::values::{Heap, Value};
use std::str::FromStr;

/// JSON as a Starlark value. Numbers keep every digit; one no float can hold is an error.
pub(crate) fn from_json<'v>(json: &Json, heap: Heap<'v>) -> Result<Value<'v>, Unwritable> {
    Receiver::new(heap).list_item(json)
}

/// Makes the values of one document, or of the arguments of one call, which are counted together.
pub(crate) struct Receiver<'v> {
    heap: Heap<'v>,
    collisions: Collisions<'v>,
}

impl<'v> Receiver<'v> {
    pub(crate) fn new(heap: Heap<'v>) -> Self {
        Self { heap, collisions: Collisions::default() }
    }

    /// A value that stands in a list, or by itself.
    pub(crate) fn list_item(&mut self, json: &Json) -> Result<Value<'v>, Unwritable> {
        self.value(json, Role::Listed)
    }

    /// The value of a key or parameter.
    pub(crate) fn field(&mut self, json: &Json) -> Result<Value<'v>, Unwritable> {
        self.value(json, Role::Field)
    }

    pub(crate) fn key(&mut self, key: &str) -> Result<Value<'v>, Unwritable> {
        let key = self.heap.alloc(key);
        self.collisions.count(key, Role::Listed)?;
        Ok(key)
    }

    /// A text or number that was not JSON.
    pub(crate) fn cell(&mut self, cell: Value<'v>) -> Result<Value<'v>, Unwritable> {
        self.collisions.count(cell, Role::Field)?;
        Ok(cell)
    }

    /// The items of a list that was made from a text.
    pub(crate) fn items(&mut self, items: &[Value<'v>]) -> Result<(), Unwritable> {
        let mut items = items.iter();
        items.try_for_each(|item| self.collisions.count(*item, Role::Listed))
    }

    /// A list of names, such as those in a folder.
    pub(crate) fn texts(&mut self, texts: &[String]) -> Result<Value<'v>, Unwritable> {
        let texts = texts.iter().map(|text| self.key(text));
        let texts: Vec<Value<'v>> = texts.collect::<Result<_, _>>()?;
        Ok(self.heap.alloc(AllocList(texts)))
    }

    fn value(&mut self, json: &Json, role: Role) -> Result<Value<'v>, Unwritable> {
        let scalar = match json {
            Json::Null => Value::new_none(),
            Json::Bool(b) => Value::new_bool(*b),
            Json::Number(number) => number_from_json(number, self.heap)?,
            Json::String(text) => self.heap.alloc(text.as_str()),
            Json::Array(items) => {
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    values.push(self.value(item, Role::Listed)?);
                }
                return Ok(self.heap.alloc(AllocList(values)));
            }
            Json::Object(map) => {
                let mut entries = Vec::with_capacity(map.len());
                for (key, value) in map {
                    entries.push((self.key(key)?, self.value(value, Role::Field)?));
                }
                return Ok(self.heap.alloc(AllocDict(entries)));
            }
        };
        self.collisions.count(scalar, role)?;
        Ok(scalar)
    }
}

fn number_from_json<'v>(number: &Number, heap: Heap<'v>) -> Result<Value<'v>, Unwritable> {
    if let Some(small) = number.as_i64() {
        return Ok(heap.alloc(small));
    }
    if let Some(why) = model::unreadable_number(number) {
        return Err(Unwritable(why));
    }
    let text = number.as_str();
    if text.contains(['.', 'e', 'E']) {
        return float_from_json(number).map(|float| heap.alloc(float));
    }
    match BigInt::from_str(text) {
        Ok(big) => Ok(heap.alloc(big)),
        Err(_) => Err(Unwritable(format!("`{text}` is not a number"))),
    }
}

/// A number as a float that holds it.
pub(crate) fn float_from_json(number: &Number) -> Result<f64, Unwritable> {
    match number.as_str().parse::<f64>() {
        Ok(float) if float.is_finite() => Ok(float),
        _ => {
            let digits = number.as_str().len();
            Err(Unwritable(format!("a number of {digits} digits is too large for a float")))
        }
    }
}
