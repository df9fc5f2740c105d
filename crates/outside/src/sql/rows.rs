//! The rows of an answer, no more of them than a script can hold.

use super::failed;
use model::HostError;
use serde_json::{Map, Value};

const MOST_ROWS: usize = 10_000;
const MOST_BYTES: usize = 8 << 20;

#[derive(Default)]
pub(crate) struct Rows {
    rows: Vec<Map<String, Value>>,
    bytes: usize,
}

impl Rows {
    /// An answer cut short would look like a whole one, so too much is an error.
    pub(crate) fn push(&mut self, row: Map<String, Value>) -> Result<(), HostError> {
        if self.rows.len() == MOST_ROWS {
            return failed(format!(
                "the answer has more than {MOST_ROWS} rows: add a LIMIT, and read it in parts"
            ));
        }
        self.bytes += fields(&row);
        if self.bytes > MOST_BYTES {
            return failed(format!(
                "the answer is larger than {} MiB: add a LIMIT, or select fewer columns",
                MOST_BYTES >> 20
            ));
        }
        self.rows.push(row);
        Ok(())
    }

    pub(crate) fn into_inner(self) -> Vec<Map<String, Value>> {
        self.rows
    }
}

fn fields(map: &Map<String, Value>) -> usize {
    map.iter().map(|(key, value)| key.len() + size(value)).sum()
}

/// About as many bytes as it takes in JSON.
fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(size).sum::<usize>() + 2,
        Value::Object(map) => fields(map) + 2,
    }
}
