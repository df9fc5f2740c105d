//! What a request or a query costs without us: the client or the driver alone, and its rows as the JSON
//! that a script's become.

mod http;
mod postgres;
mod sqlite;

use serde::{Serialize, Serializer};

pub(super) use http::Http;
pub(super) use postgres::Postgres;
pub(super) use sqlite::Sqlite;

/// Four columns, of which one is empty: what a table of items looks like.
pub(super) const QUERY: &str = "SELECT id, name, score, note FROM item ORDER BY id";
const NAMES: [&str; 4] = ["id", "name", "score", "note"];

/// A row as the driver gives it, before anybody copies it.
struct Record<'r> {
    id: i64,
    name: &'r str,
    score: f64,
    note: Option<&'r str>,
}

/// By the names of the columns: those are not known before the query.
impl Serialize for Record<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(Some(NAMES.len()))?;
        map.serialize_entry(NAMES[0], &self.id)?;
        map.serialize_entry(NAMES[1], self.name)?;
        map.serialize_entry(NAMES[2], &self.score)?;
        map.serialize_entry(NAMES[3], &self.note)?;
        map.end()
    }
}

/// JSON that is written row by row.
#[derive(Default)]
struct Rows(Vec<u8>);

impl Rows {
    fn push(&mut self, record: &Record<'_>) -> anyhow::Result<()> {
        self.0.push(if self.0.is_empty() { b'[' } else { b',' });
        Ok(serde_json::to_writer(&mut self.0, record)?)
    }

    fn end(mut self) -> anyhow::Result<String> {
        self.0.push(b']');
        Ok(String::from_utf8(self.0)?)
    }
}
