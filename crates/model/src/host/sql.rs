//! A request to a database, and its rows. Values are JSON with exact numbers; bytes are
//! `{"base64": "…"}`, both ways.

use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Database {
    /// A file, relative to the module's folder.
    Sqlite(String),
    /// A connection string, or a connection named in `larkspur.toml`.
    Postgres(String),
    /// A connection string that is a secret, known by its name.
    PostgresSecret(String),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    pub sql: String,
    pub params: Vec<Value>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum SqlRequest {
    /// Rows, the first `max_rows` of them if it is given; nothing may change.
    Query { statement: Statement, max_rows: Option<usize> },
    /// How many rows changed.
    Execute(Statement),
    /// All or none; how many rows changed in each.
    Transaction(Vec<Statement>),
    /// The tables, of a schema where there are schemas.
    Tables { schema: Option<String> },
    /// A table's columns.
    Describe { table: String, schema: Option<String> },
}

/// One value of a row. Most are plain, and cost less so than as JSON.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Null,
    Bool(bool),
    Int(i64),
    /// Not infinite, as JSON has no such number.
    Float(f64),
    Text(String),
    Json(Value),
}

impl From<Cell> for Value {
    fn from(cell: Cell) -> Self {
        match cell {
            Cell::Null => Self::Null,
            Cell::Bool(truth) => truth.into(),
            Cell::Int(integer) => integer.into(),
            Cell::Float(float) => float.into(),
            Cell::Text(text) => text.into(),
            Cell::Json(value) => value,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct SqlAnswer {
    /// Names, no two alike.
    pub columns: Vec<String>,
    /// A value for each column.
    pub rows: Vec<Vec<Cell>>,
    /// Rows changed, one number a statement.
    pub changed: Vec<u64>,
}
