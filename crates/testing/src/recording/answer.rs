//! An answer as a recording keeps it, from the world's form and back.

use super::body::Body;
use super::headers::lasting;
use super::request::Request;
use model::{Cell, ExecResult, HostError, HttpResponse, SqlAnswer};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Answer {
    Http {
        status: u16,
        /// Where it came from in the end, if not from where it was asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        headers: Vec<(String, String)>,
        body: Body,
    },
    Exec {
        exit_code: i32,
        #[serde(default, skip_serializing_if = "Body::is_empty")]
        stdout: Body,
        #[serde(default, skip_serializing_if = "Body::is_empty")]
        stderr: Body,
    },
    Sql {
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        columns: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rows: Vec<Vec<Value>>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changed: Vec<u64>,
    },
    /// There was none, and this is why.
    Error(String),
}

/// What the world says, as an answer and back.
pub(super) trait Said: Sized {
    fn keep(&self, request: &Request) -> Answer;

    /// Nothing, if it answers something else.
    fn say(answer: &Answer, request: &Request) -> Result<Self, String>;
}

impl Said for HttpResponse {
    fn keep(&self, request: &Request) -> Answer {
        let is_there = matches!(request, Request::Http { url, .. } if *url == self.url);
        Answer::Http {
            status: self.status,
            url: (!is_there).then(|| self.url.clone()),
            headers: lasting(&self.headers),
            body: Body::of(&self.body),
        }
    }

    fn say(answer: &Answer, request: &Request) -> Result<Self, String> {
        match (answer, request) {
            (Answer::Http { status, url, headers, body }, Request::Http { url: asked, .. }) => {
                Ok(Self {
                    status: *status,
                    url: url.clone().unwrap_or_else(|| asked.clone()),
                    headers: headers.clone(),
                    body: body.bytes()?,
                })
            }
            _ => Err(misfit(request)),
        }
    }
}

impl Said for ExecResult {
    fn keep(&self, _: &Request) -> Answer {
        Answer::Exec {
            exit_code: self.exit_code,
            stdout: Body::of(self.stdout.as_bytes()),
            stderr: Body::of(self.stderr.as_bytes()),
        }
    }

    fn say(answer: &Answer, request: &Request) -> Result<Self, String> {
        match answer {
            Answer::Exec { exit_code, stdout, stderr } => Ok(Self {
                stdout: stdout.to_string(),
                stderr: stderr.to_string(),
                exit_code: *exit_code,
            }),
            _ => Err(misfit(request)),
        }
    }
}

impl Said for SqlAnswer {
    fn keep(&self, _: &Request) -> Answer {
        let row = |row: &Vec<Cell>| row.iter().cloned().map(Value::from).collect();
        Answer::Sql {
            columns: self.columns.clone(),
            rows: self.rows.iter().map(row).collect(),
            changed: self.changed.clone(),
        }
    }

    fn say(answer: &Answer, request: &Request) -> Result<Self, String> {
        let cell = |value: &Value| match value {
            Value::Null => Cell::Null,
            value => Cell::Json(value.clone()),
        };
        match answer {
            Answer::Sql { columns, rows, changed } => Ok(Self {
                columns: columns.clone(),
                rows: rows.iter().map(|row| row.iter().map(cell).collect()).collect(),
                changed: changed.clone(),
            }),
            _ => Err(misfit(request)),
        }
    }
}

impl Answer {
    pub(super) fn of<T: Said>(said: &Result<T, HostError>, request: &Request) -> Self {
        match said {
            Ok(said) => said.keep(request),
            Err(HostError(why)) => Self::Error(why.clone()),
        }
    }
}

fn misfit(request: &Request) -> String {
    format!("the recorded answer to `{}` is none of its kind", request.shown())
}
