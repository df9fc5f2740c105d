//! The rows of an answer, no more of them than a script can hold.

use super::failed;
use model::{Cell, HostError, SqlAnswer, show_size};
use serde_json::{Map, Value};

/// What an answer may hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Most {
    pub(crate) rows: usize,
    pub(crate) bytes: usize,
}

pub(crate) struct Rows {
    most: Most,
    columns: Vec<String>,
    /// Where the value of each column stands: of two with one name, the later one counts.
    places: Vec<usize>,
    taken: Vec<Vec<Cell>>,
    bytes: usize,
    /// What the names add to each row.
    named: usize,
}

impl Rows {
    pub(crate) fn up_to(most: Most) -> Self {
        Self {
            most,
            columns: Vec::new(),
            places: Vec::new(),
            taken: Vec::new(),
            bytes: 0,
            named: 0,
        }
    }

    /// The columns of the rows to come.
    pub(crate) fn name<'n>(&mut self, names: impl IntoIterator<Item = &'n str>) {
        for (place, name) in names.into_iter().enumerate() {
            match self.columns.iter().position(|known| known == name) {
                Some(index) => self.places[index] = place,
                None => {
                    self.columns.push(name.to_owned());
                    self.places.push(place);
                    self.named += name.len();
                }
            }
        }
    }

    /// An answer cut short would look like a whole one, so too much is an error.
    pub(crate) fn push(
        &mut self,
        cell: impl FnMut(usize) -> Result<Cell, HostError>,
    ) -> Result<(), HostError> {
        if self.taken.len() == self.most.rows {
            return failed(format!(
                "the answer has more than {} rows (limit `sql_rows`): add a LIMIT, and read it in \
                 parts",
                self.most.rows
            ));
        }
        let row: Result<Vec<Cell>, HostError> = self.places.iter().copied().map(cell).collect();
        let row = row?;
        self.bytes += self.named + row.iter().map(weight).sum::<usize>();
        if self.bytes > self.most.bytes {
            return failed(format!(
                "the answer is larger than {} (limit `sql_bytes`): add a LIMIT, or select fewer \
                 columns",
                show_size(self.most.bytes)
            ));
        }
        self.taken.push(row);
        Ok(())
    }

    pub(crate) fn into_answer(self) -> SqlAnswer {
        SqlAnswer {
            columns: self.columns,
            rows: self.taken,
            changed: Vec::new(),
        }
    }
}

/// About as many bytes as it takes in JSON.
fn weight(cell: &Cell) -> usize {
    match cell {
        Cell::Null | Cell::Bool(_) | Cell::Int(_) | Cell::Float(_) => 8,
        Cell::Text(text) => text.len() + 2,
        Cell::Json(value) => size(value),
    }
}

fn fields(map: &Map<String, Value>) -> usize {
    map.iter().map(|(key, value)| key.len() + size(value)).sum()
}

fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(size).sum::<usize>() + 2,
        Value::Object(map) => fields(map) + 2,
    }
}
