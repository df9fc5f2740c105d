//! A file of items, and rusqlite alone on it.

use std::path::PathBuf;

use anyhow::Result;
use rusqlite::{Connection, OpenFlags};

use super::{QUERY, Record, Rows};

pub(crate) struct Sqlite {
    path: PathBuf,
}

impl Sqlite {
    pub(crate) fn create(path: PathBuf, rows: u32) -> Result<Self> {
        let connection = Connection::open(&path)?;
        connection.execute_batch(
            "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, score REAL, note TEXT)",
        )?;
        connection.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?) \
             INSERT INTO item SELECT i, 'item ' || i, i * 0.5, NULL FROM n",
            [rows],
        )?;
        Ok(Self { path })
    }

    /// Opened for each query, as a script's `sqlite.query` names a file and not a connection.
    pub(crate) fn query(&self) -> Result<String> {
        let connection = Connection::open_with_flags(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let mut statement = connection.prepare(QUERY)?;
        let mut found = statement.query([])?;
        let mut rows = Rows::default();
        while let Some(row) = found.next()? {
            rows.push(&Record {
                id: row.get(0)?,
                name: row.get_ref(1)?.as_str()?,
                score: row.get(2)?,
                note: row.get_ref(3)?.as_str_or_null()?,
            })?;
        }
        rows.end()
    }
}
