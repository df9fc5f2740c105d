//! Byte budget of the values that references copy into the arguments of one call.

use serde_json::Value;
use std::io::{Error, Write};

/// Memory of a value itself, besides what it holds.
const VALUE: usize = size_of::<Value>();
/// Memory of one allocation besides its contents.
const ALLOCATION: usize = 16;
/// Memory of an object's entry besides key and value: key, hash, index.
const ENTRY: usize = size_of::<String>() + 2 * size_of::<usize>();

#[derive(Debug)]
pub(super) struct CopyBudget<'t> {
    /// Id of the task whose arguments are made.
    task: &'t str,
    limit: usize,
    /// Bytes that references have copied.
    used: usize,
    /// Bytes that the caller wrote.
    written: usize,
    is_exceeded: bool,
}

/// A value that is not copied because it exceeds the budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TooLarge {
    pub(super) why: String,
}

impl<'t> CopyBudget<'t> {
    pub(super) fn new(task: &'t str, limit: usize) -> Self {
        Self { task, limit, used: 0, written: 0, is_exceeded: false }
    }

    /// A budget of the same size of which nothing is used.
    pub(super) fn renewed(&self) -> Self {
        Self::new(self.task, self.limit)
    }

    /// Memory of all that was copied.
    pub(super) fn total(&self) -> usize {
        self.used.saturating_add(self.written)
    }

    pub(super) fn is_exceeded(&self) -> bool {
        self.is_exceeded
    }

    /// Copies a value that a reference brings in.
    pub(super) fn copy(&mut self, value: &Value) -> Result<Value, TooLarge> {
        self.add_value(value)?;
        Ok(value.clone())
    }

    /// Copies a value that the caller wrote, which is as large as the request allows.
    pub(super) fn copy_written(&mut self, value: &Value) -> Value {
        let mut measure = Self::new(self.task, usize::MAX);
        // Nothing exceeds this limit.
        let _ = measure.add_value(value);
        self.written = self.written.saturating_add(measure.used);
        value.clone()
    }

    /// Appends a text that a reference brings in.
    pub(super) fn push(&mut self, text: &mut String, part: &str) -> Result<(), TooLarge> {
        self.add(part.len())?;
        text.push_str(part);
        Ok(())
    }

    /// A value's JSON text.
    pub(super) fn encode(&mut self, value: &Value) -> Result<String, TooLarge> {
        self.add(VALUE + ALLOCATION)?;
        let mut text =
            BoundedText { bytes: Vec::new(), left: self.limit.saturating_sub(self.used) };
        if serde_json::to_writer(&mut text, value).is_err() {
            return Err(self.exceed());
        }
        self.add(text.bytes.len())?;
        String::from_utf8(text.bytes).map_err(|_| self.exceed())
    }

    /// Counts a list that is made of this many values, without the values.
    pub(super) fn add_list(&mut self, items: usize) -> Result<(), TooLarge> {
        self.add(VALUE.saturating_mul(items.saturating_add(1)))
    }

    /// Counts what a value holds, where its own place is counted already.
    pub(super) fn add_contents(&mut self, value: &Value) -> Result<(), TooLarge> {
        match value {
            Value::Null | Value::Bool(_) => Ok(()),
            Value::Number(number) => self.add(ALLOCATION + number.as_str().len()),
            Value::String(text) => self.add(ALLOCATION + text.len()),
            Value::Array(items) => {
                self.add(VALUE.saturating_mul(items.len()))?;
                items.iter().try_for_each(|item| self.add_contents(item))
            }
            Value::Object(map) => {
                self.add((ENTRY + VALUE).saturating_mul(map.len()))?;
                map.iter().try_for_each(|(key, value)| {
                    self.add(ALLOCATION + key.len())?;
                    self.add_contents(value)
                })
            }
        }
    }

    fn add_value(&mut self, value: &Value) -> Result<(), TooLarge> {
        self.add(VALUE)?;
        self.add_contents(value)
    }

    fn add(&mut self, bytes: usize) -> Result<(), TooLarge> {
        match self.used.checked_add(bytes) {
            Some(used) if used <= self.limit => {
                self.used = used;
                Ok(())
            }
            _ => Err(self.exceed()),
        }
    }

    fn exceed(&mut self) -> TooLarge {
        self.is_exceeded = true;
        TooLarge {
            why: format!(
                "does not fit: references may copy at most {} into the arguments of one call \
                 (limit `result`); refer only to the parts that `{}` needs",
                show_bytes(self.limit),
                self.task
            ),
        }
    }
}

/// `16 MiB`, `4096 bytes`.
fn show_bytes(bytes: usize) -> String {
    match bytes >> 20 {
        mebibytes if mebibytes << 20 == bytes && mebibytes > 0 => format!("{mebibytes} MiB"),
        _ => format!("{bytes} bytes"),
    }
}

/// Text that refuses to grow beyond its bound.
struct BoundedText {
    bytes: Vec<u8>,
    left: usize,
}

impl Write for BoundedText {
    fn write(&mut self, part: &[u8]) -> Result<usize, Error> {
        let left = self.left.checked_sub(part.len());
        self.left = left.ok_or_else(|| Error::other("the text is too long"))?;
        self.bytes.extend_from_slice(part);
        Ok(part.len())
    }

    fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(value: &Value, bytes: usize) {
        let mut budget = CopyBudget::new("b", bytes);
        assert_eq!(budget.copy(value).as_ref(), Ok(value));
        assert_eq!(budget.total(), bytes);
        let mut less = CopyBudget::new("b", bytes - 1);
        assert!(less.copy(value).is_err() && less.is_exceeded());
    }

    #[test]
    fn values_count_as_much_as_their_memory() {
        check(&json!(null), VALUE);
        check(&json!("four"), VALUE + ALLOCATION + 4);
        check(&json!(12), VALUE + ALLOCATION + 2);
        check(&json!([1, true]), 3 * VALUE + ALLOCATION + 1);
        let entry = ENTRY + VALUE + ALLOCATION + 3;
        check(&json!({"key": null}), VALUE + entry);
    }

    #[test]
    fn json_text_stops_at_the_budget() {
        let value = json!(["é\"", {"a": 1}]);
        let text = value.to_string();
        let bytes = VALUE + ALLOCATION + text.len();
        let budget = |limit| CopyBudget::new("b", limit).encode(&value);
        assert_eq!(budget(bytes), Ok(text));
        let why = budget(bytes - 1).unwrap_err().why;
        assert!(why.starts_with("does not fit: references may copy at most"), "{why}");
        assert!(why.ends_with("(limit `result`); refer only to the parts that `b` needs"), "{why}");
    }

    #[test]
    fn written_values_count_without_a_bound() {
        let mut budget = CopyBudget::new("b", 1);
        assert_eq!(budget.copy_written(&json!(null)), json!(null));
        assert_eq!(budget.total(), VALUE);
        assert!(!budget.is_exceeded());
    }

    #[test]
    fn sizes_are_shown_in_mebibytes() {
        assert_eq!(show_bytes(16 << 20), "16 MiB");
        assert_eq!(show_bytes(4096), "4096 bytes");
    }
}
