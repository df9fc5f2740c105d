//! The rows of an answer, no more of them than a script can hold.

use super::failed;
use model::{Cell, HostError, SqlAnswer, show_size};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// What an answer may hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Most {
    pub(crate) rows: usize,
    pub(crate) bytes: usize,
}

pub(crate) struct Rows {
    most: Most,
    /// Rows to read, if not all are wanted.
    first: Option<usize>,
    columns: Vec<String>,
    taken: Vec<Vec<Cell>>,
    bytes: usize,
    /// What the names add to each row.
    named: usize,
}

impl Rows {
    pub(crate) fn new(most: Most, first: Option<usize>) -> Self {
        Self { most, first, columns: Vec::new(), taken: Vec::new(), bytes: 0, named: 0 }
    }

    /// The columns of the rows to come.
    pub(crate) fn name<'n>(&mut self, names: impl IntoIterator<Item = &'n str>) {
        self.columns = unique_names(names);
        self.named = self.columns.iter().map(String::len).sum();
    }

    /// Whether all rows that are wanted have been read.
    pub(crate) fn is_complete(&self) -> bool {
        self.first.is_some_and(|first| self.taken.len() >= first)
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
        let row: Result<Vec<Cell>, HostError> = (0..self.columns.len()).map(cell).collect();
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
        SqlAnswer { columns: self.columns, rows: self.taken, changed: Vec::new() }
    }
}

/// Column names as keys of one row. A name that an earlier column has gets `_2`, `_3` and so on, past
/// every name that a column of the result has by itself.
fn unique_names<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    let names: Vec<&str> = names.into_iter().collect();
    let mut seen: HashMap<&str, usize> = HashMap::with_capacity(names.len());
    let mut taken: HashSet<String> = HashSet::new();
    let given: HashSet<&str> = names.iter().copied().collect();
    let unique = |name: &&'n str| {
        let count = seen.entry(name).or_insert(0);
        *count += 1;
        if *count == 1 {
            return (*name).to_owned();
        }
        loop {
            let numbered = format!("{name}_{count}");
            if !given.contains(numbered.as_str()) && taken.insert(numbered.clone()) {
                return numbered;
            }
            *count += 1;
        }
    };
    names.iter().map(unique).collect()
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

#[cfg(test)]
mod tests {
    use super::unique_names;

    #[test]
    fn repeated_names_are_numbered_past_real_ones() {
        for (names, unique) in [
            ("", ""),
            ("id name", "id name"),
            ("id id id", "id id_2 id_3"),
            ("id name id name", "id name id_2 name_2"),
            ("id id id_2", "id id_3 id_2"),
            ("id_2 id id id", "id_2 id id_3 id_4"),
            ("id id id_2 id_2", "id id_3 id_2 id_2_2"),
            ("a a_2 a_2 a a_2_2", "a a_2 a_2_3 a_3 a_2_2"),
            ("a_2 a_2 a a a_2_2 a_2_2", "a_2 a_2_3 a a_3 a_2_2 a_2_2_2"),
            ("?column? ?column?", "?column? ?column?_2"),
        ] {
            let found = unique_names(names.split(' '));
            assert_eq!(found.join(" "), unique, "{names}");
        }
    }

    #[test]
    fn a_hundred_thousand_equal_names_are_numbered() {
        let names: Vec<&str> = std::iter::repeat_n("id", 100_000).collect();
        let found = unique_names(names);
        assert_eq!(found[99_999], "id_100000");
    }
}
