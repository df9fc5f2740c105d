//! Databases that are played.

use super::fits;
use super::world::Played;
use model::{Cell, HostError, SqlAnswer, SqlRequest, Statement};
use script::{Exchange, Kind, SqlExchange};
use serde_json::{Value, json};

impl Played {
    pub(super) fn database(
        &self,
        kind: Kind,
        request: &SqlRequest,
    ) -> Result<SqlAnswer, HostError> {
        let mut answer = SqlAnswer::default();
        for statement in statements(request) {
            let played = self.statement(kind, &statement)?;
            let rows = Value::Array(played.rows.clone());
            self.props().sent.push(rows.to_string());
            answer.changed.push(played.changed);
            (answer.columns, answer.rows) = table(&played.rows);
        }
        Ok(answer)
    }

    pub(super) fn note_statements(&self, kind: Kind, request: &SqlRequest) {
        for Statement { sql, params } in statements(request) {
            let told = json!({"sql": sql, "params": params});
            self.props().note(kind, told);
        }
    }

    fn statement(&self, kind: Kind, statement: &Statement) -> Result<SqlExchange, HostError> {
        let mut props = self.props();
        let (sql, params) = (&statement.sql, &statement.params);
        props.note(kind, json!({"sql": sql, "params": params}));
        let next = props.next(|exchange| match exchange {
            Exchange::Sqlite(played) => kind == Kind::Sqlite && fits::sql(&played.sql, sql),
            Exchange::Postgres(played) => kind == Kind::Postgres && fits::sql(&played.sql, sql),
            _ => false,
        });
        drop(props);
        match next {
            Some((Exchange::Sqlite(played) | Exchange::Postgres(played), _)) => Ok(played),
            _ => {
                let way_out =
                    "no server is asked in tests; play it with `t.postgres.on`, or say --live";
                Err(self.unanswered(kind, sql, way_out))
            }
        }
    }
}

/// What is looked for among the exchanges: the functions that are no statement go by their names.
fn statements(request: &SqlRequest) -> Vec<Statement> {
    let plain = |sql: String| {
        vec![Statement {
            sql,
            params: Vec::new(),
        }]
    };
    match request {
        SqlRequest::Query(statement) | SqlRequest::Execute(statement) => vec![statement.clone()],
        SqlRequest::Transaction(statements) => statements.clone(),
        SqlRequest::Tables { .. } => plain("list_tables".into()),
        SqlRequest::Describe { table, .. } => plain(format!("describe_table {table}")),
    }
}

/// Rows as a database gives them: every column has a value in each.
fn table(rows: &[Value]) -> (Vec<String>, Vec<Vec<Cell>>) {
    let mut columns: Vec<String> = Vec::new();
    for key in rows
        .iter()
        .filter_map(Value::as_object)
        .flat_map(|row| row.keys())
    {
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
