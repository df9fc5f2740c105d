//! Databases that are played.

use super::fits;
use super::world::Played;
use model::{Cell, HostError, Source, SqlAnswer, SqlRequest, Statement};
use runtime::PRETENDED;
use script::{Exchange, Kind, SqlExchange};
use serde_json::{Value, json};

impl Played {
    pub(super) fn database(
        &self,
        source: &Source,
        request: &SqlRequest,
    ) -> Result<SqlAnswer, HostError> {
        let mut answer = SqlAnswer::default();
        for statement in statements(request) {
            let played = self.statement(source, &statement)?;
            let rows = Value::Array(played.rows.clone());
            self.props().sent.push(rows.to_string());
            answer.changed.push(played.changed);
            (answer.columns, answer.rows) = table(&played.rows);
        }
        if let SqlRequest::Query { max_rows: Some(max_rows), .. } = request {
            answer.rows.truncate(*max_rows);
        }
        Ok(answer)
    }

    pub(super) fn note_statements(&self, source: &Source, request: &SqlRequest) {
        for statement in statements(request) {
            self.props().note(kind(source), told(source, &statement));
        }
    }

    fn statement(&self, source: &Source, statement: &Statement) -> Result<SqlExchange, HostError> {
        let mut props = self.props();
        let (sql, kind) = (&statement.sql, kind(source));
        props.note(kind, told(source, statement));
        let next = props.next(|exchange| match exchange {
            Exchange::Sqlite(played) => kind == Kind::Sqlite && fits::sql(&played.sql, sql),
            Exchange::Postgres(played) => kind == Kind::Postgres && fits::sql(&played.sql, sql),
            _ => false,
        });
        drop(props);
        match next {
            Some((Exchange::Sqlite(played) | Exchange::Postgres(played), _)) => {
                played.error.clone().map_or(Ok(played), |why| Err(HostError(why)))
            }
            _ => {
                let way_out =
                    "no server is asked in tests; play it with `t.postgres.on`, or say --live";
                Err(self.unanswered(kind, sql, way_out))
            }
        }
    }
}

pub(super) fn kind(source: &Source) -> Kind {
    match source {
        Source::Sqlite { .. } => Kind::Sqlite,
        Source::Postgres { .. } => Kind::Postgres,
    }
}

/// A statement as a test reads it, with the database that it was for.
fn told(source: &Source, Statement { sql, params }: &Statement) -> Value {
    let mut told = json!({"sql": sql, "params": params});
    match source {
        Source::Sqlite { path, .. } => told["path"] = json!(path),
        Source::Postgres { url } => {
            told["connection"] = json!(url.strip_prefix(PRETENDED).unwrap_or(url));
        }
    }
    told
}

/// What is looked for among the exchanges: the functions that are no statement go by their names.
fn statements(request: &SqlRequest) -> Vec<Statement> {
    let plain = |sql: String| vec![Statement { sql, params: Vec::new() }];
    match request {
        SqlRequest::Query { statement, .. } | SqlRequest::Execute(statement) => {
            vec![statement.clone()]
        }
        SqlRequest::Transaction(statements) => statements.clone(),
        SqlRequest::Tables { .. } => plain("list_tables".into()),
        SqlRequest::Describe { table, .. } => plain(format!("describe_table {table}")),
    }
}

/// Rows as a database gives them: every column has a value in each.
fn table(rows: &[Value]) -> (Vec<String>, Vec<Vec<Cell>>) {
    let mut columns: Vec<String> = Vec::new();
    for key in rows.iter().filter_map(Value::as_object).flat_map(|row| row.keys()) {
        if !columns.contains(key) {
            columns.push(key.clone());
        }
    }
    let cell = |row: &Value, column: &String| match row.get(column) {
        None | Some(Value::Null) => Cell::Null,
        Some(value) => Cell::Json(value.clone()),
    };
    let cells = |row| columns.iter().map(|column| cell(row, column)).collect();
    let rows = rows.iter().map(cells).collect();
    (columns, rows)
}
