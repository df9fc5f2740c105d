//! A database in short words: query, execute, all; rows as JSON, errors as text.

use model::{Cancel, Cell, Leash, Source, SqlAnswer, SqlRequest, Statement, World};
use outside::Outside;
use serde_json::Value;
use std::time::{Duration, Instant};

/// Long enough that a test which needs it has failed.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// Queries with columns of equal names, and the names that their values get.
pub(crate) const EQUAL_NAMES: &[(&str, &[&str])] = &[
    (
        "SELECT a.id, b.id, b.name FROM (SELECT 1 AS id) a, (SELECT 2 AS id, 'x' AS name) b",
        &["id", "id_2", "name"],
    ),
    (
        "SELECT * FROM (SELECT 1 AS id) a, (SELECT 2 AS id) b, (SELECT 3 AS id) c",
        &["id", "id_2", "id_3"],
    ),
    ("SELECT 1 AS id, 2 AS id, 3 AS id_2", &["id", "id_3", "id_2"]),
];

/// What is said when the call is over.
pub(crate) const IN_TIME: &str = "no answer in the time of the call (limit `timeout`)";

pub(crate) fn leash(time: Duration) -> Leash {
    Leash { until: Instant::now() + time, cancel: Cancel::default() }
}

pub(crate) struct Asked {
    pub(crate) world: Outside,
    /// For requests that read.
    pub(crate) reading: Source,
    /// For requests that change something.
    pub(crate) writing: Source,
}

impl Asked {
    pub(crate) fn ask(&self, request: &SqlRequest, leash: &Leash) -> Result<SqlAnswer, String> {
        let writes = matches!(request, SqlRequest::Execute(_) | SqlRequest::Transaction(_));
        let source = if writes { &self.writing } else { &self.reading };
        let asked = self.world.sql(source, request, leash);
        asked.map_err(|error| error.to_string())
    }

    pub(crate) fn rows(&self, request: &SqlRequest) -> Result<Value, String> {
        let SqlAnswer { columns, rows, .. } = self.ask(request, &leash(PATIENCE))?;
        let named = |row: Vec<Cell>| {
            let row = row.into_iter().map(Value::from);
            columns.iter().cloned().zip(row).collect()
        };
        Ok(rows.into_iter().map(named).map(Value::Object).collect())
    }

    pub(crate) fn query(&self, sql: &str, params: Value) -> Result<Value, String> {
        self.rows(&query(sql, params))
    }

    /// Column names, and the first rows, in their order.
    pub(crate) fn first(&self, sql: &str, max_rows: usize) -> (Vec<String>, Vec<Vec<Value>>) {
        let request = SqlRequest::Query {
            statement: statement(sql, Value::Array(Vec::new())),
            max_rows: Some(max_rows),
        };
        let answer = self.ask(&request, &leash(PATIENCE)).unwrap();
        let values = |row: Vec<Cell>| row.into_iter().map(Value::from).collect();
        (answer.columns, answer.rows.into_iter().map(values).collect())
    }

    /// The one value in the one row.
    #[track_caller]
    pub(crate) fn value(&self, sql: &str, params: Value) -> Value {
        let rows = self.query(sql, params).unwrap_or_else(|e| panic!("{sql}: {e}"));
        let row = rows[0].as_object().unwrap_or_else(|| panic!("{sql}: {rows}"));
        row.values().next().unwrap().clone()
    }

    pub(crate) fn execute(&self, sql: &str, params: Value) -> Result<u64, String> {
        let request = SqlRequest::Execute(statement(sql, params));
        Ok(self.ask(&request, &leash(PATIENCE))?.changed[0])
    }

    pub(crate) fn all(&self, statements: &[(&str, Value)]) -> Result<Vec<u64>, String> {
        let statements = statements.iter();
        let statements = statements.map(|(sql, params)| statement(sql, params.clone()));
        let request = SqlRequest::Transaction(statements.collect());
        Ok(self.ask(&request, &leash(PATIENCE))?.changed)
    }
}

pub(crate) fn query(sql: &str, params: Value) -> SqlRequest {
    SqlRequest::Query { statement: statement(sql, params), max_rows: None }
}

pub(crate) fn statement(sql: &str, params: Value) -> Statement {
    let Value::Array(params) = params else { panic!("params are a list") };
    Statement { sql: sql.to_owned(), params }
}
