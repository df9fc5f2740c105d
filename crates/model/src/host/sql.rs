//! A request to a database, and its rows. Values are JSON with exact numbers; bytes are
//! `{"base64": "…"}`, both ways.

use serde_json::{Map, Value};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Database {
    /// A file, relative to the module's folder.
    Sqlite(String),
    /// A connection string, or a connection named in `larkspur.toml`.
    Postgres(String),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    pub sql: String,
    pub params: Vec<Value>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum SqlRequest {
    /// Rows; nothing may change.
    Query(Statement),
    /// How many rows changed.
    Execute(Statement),
    /// All or none; how many rows changed in each.
    Transaction(Vec<Statement>),
    /// The tables, of a schema where there are schemas.
    Tables { schema: Option<String> },
    /// A table's columns.
    Describe {
        table: String,
        schema: Option<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct SqlAnswer {
    pub rows: Vec<Map<String, Value>>,
    /// Rows changed, one number a statement.
    pub changed: Vec<u64>,
}
