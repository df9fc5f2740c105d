//! A request as a recording keeps it, and which requests are the same. What a server is told in
//! headers is not kept: it says who asks, not what for.

use super::body::Body;
use crate::scene::same_url;
use model::{ExecRequest, HttpRequest, Source, SqlRequest, Statement};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// How much of a request's own text a message shows.
const SHOWN: usize = 120;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Request {
    Http {
        method: String,
        url: String,
        #[serde(default, skip_serializing_if = "Body::is_empty")]
        body: Body,
    },
    Exec {
        command: String,
        args: Vec<String>,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        stdin: String,
    },
    Sqlite {
        /// The file, by its path from the folder of modules.
        file: String,
        statements: Vec<RecordedStatement>,
    },
    /// Which server it is only the project knows.
    Postgres { statements: Vec<RecordedStatement> },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RecordedStatement {
    sql: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    params: Vec<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_rows: Option<usize>,
}

impl Request {
    pub(super) fn http(request: &HttpRequest) -> Self {
        Self::Http {
            method: request.method.clone(),
            url: request.url.clone(),
            body: Body::of(&request.body),
        }
    }

    pub(super) fn exec(request: &ExecRequest, roots: &[PathBuf]) -> Self {
        let command = &request.command;
        Self::Exec {
            command: if command.contains('/') {
                below(Path::new(command), roots)
            } else {
                command.clone()
            },
            args: request.args.clone(),
            stdin: request.stdin.clone(),
        }
    }

    pub(super) fn sql(source: &Source, request: &SqlRequest, roots: &[PathBuf]) -> Self {
        let statements = statements(request);
        match source {
            Source::Sqlite { path, .. } => Self::Sqlite { file: below(path, roots), statements },
            Source::Postgres { .. } => Self::Postgres { statements },
        }
    }

    /// Is it asked for the same? The order of a URL's parameters does not matter.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Http { method, url, body },
                Self::Http { method: their_method, url: their_url, body: their_body },
            ) => method == their_method && same_url(url, their_url) && body == their_body,
            _ => self == other,
        }
    }

    /// For messages.
    pub(super) fn shown(&self) -> String {
        let said = match self {
            Self::Http { method, url, body } if body.is_empty() => format!("{method} {url}"),
            Self::Http { method, url, body } => format!("{method} {url} with {body}"),
            Self::Exec { command, args, .. } => format!("{command} {}", args.join(" ")),
            Self::Sqlite { file, statements } => format!("{file}: {}", all(statements)),
            Self::Postgres { statements } => all(statements),
        };
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        match said.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", &said[..end]),
            None => said,
        }
    }

    /// Do both ask the same kind of thing?
    pub(super) fn is_kin(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

fn all(statements: &[RecordedStatement]) -> String {
    let one = |sql: &RecordedStatement| match sql.params.as_slice() {
        [] => sql.sql.clone(),
        params => format!("{} with {}", sql.sql, Value::from(params.to_vec())),
    };
    statements.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// What is no statement goes by the name of its function.
fn statements(request: &SqlRequest) -> Vec<RecordedStatement> {
    let plain = |sql: String| RecordedStatement { sql, params: Vec::new(), max_rows: None };
    let of = |statement: &Statement| RecordedStatement {
        params: statement.params.clone(),
        ..plain(statement.sql.clone())
    };
    let in_schema = |schema: &Option<String>| match schema {
        Some(schema) => format!(" of {schema}"),
        None => String::new(),
    };
    match request {
        SqlRequest::Query { statement, max_rows } => {
            vec![RecordedStatement { max_rows: *max_rows, ..of(statement) }]
        }
        SqlRequest::Execute(statement) => vec![of(statement)],
        SqlRequest::Transaction(statements) => statements.iter().map(of).collect(),
        SqlRequest::Tables { schema } => vec![plain(format!("list_tables{}", in_schema(schema)))],
        SqlRequest::Describe { table, schema } => {
            let of_schema = in_schema(schema);
            vec![plain(format!("describe_table {table}{of_schema}"))]
        }
    }
}

/// A path that is the same on another machine, where it can be.
fn below(path: &Path, roots: &[PathBuf]) -> String {
    let inside = roots.iter().find_map(|root| path.strip_prefix(root).ok());
    let name = path.file_name().map_or(path, Path::new);
    inside.unwrap_or(name).to_string_lossy().into_owned()
}
