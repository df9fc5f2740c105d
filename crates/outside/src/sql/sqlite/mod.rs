//! `SQLite` files. A connection lives as long as one request, so nothing is left behind in it.

mod functions;
mod guard;
mod like;
mod open;
mod values;

use super::failed;
use super::rows::{Most, Rows};
use crate::term::Term;
use guard::Guard;
use model::{HostError, SqlAnswer, SqlRequest, Statement, show_size};
use open::open;
use rusqlite::limits::Limit;
use rusqlite::{Connection, Error, ErrorCode, ffi};
use std::path::Path;
use values::{NotText, bind, not_text, to_cell};

const TABLES: &str = "SELECT name FROM sqlite_schema WHERE type = 'table' \
     AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
/// The name is a value here, so that no name can be anything else.
const DESCRIBE: &str = "SELECT cid, name, type, \"notnull\", dflt_value, pk \
     FROM pragma_table_info(?1) ORDER BY cid";

pub(super) fn ask(
    path: &Path,
    writable: bool,
    request: &SqlRequest,
    most: Most,
    term: &Term,
) -> Result<SqlAnswer, HostError> {
    if let Some(over) = term.over() {
        return Err(over);
    }
    let mut session = Session {
        connection: open(path, writable, most.bytes, term)?,
        guard: Guard::default(),
        term,
    };
    match request {
        SqlRequest::Query { statement, max_rows } => {
            session.query(statement, Rows::new(most, *max_rows))
        }
        SqlRequest::Execute(statement) => session.execute(statement),
        SqlRequest::Transaction(statements) => session.transaction(statements),
        SqlRequest::Tables { .. } => session.query(&fixed(TABLES, None), Rows::new(most, None)),
        SqlRequest::Describe { table, .. } => {
            session.query(&fixed(DESCRIBE, Some(table)), Rows::new(most, None))
        }
    }
}

fn fixed(sql: &str, param: Option<&String>) -> Statement {
    Statement {
        sql: sql.to_owned(),
        params: param.map(|name| name.as_str().into()).into_iter().collect(),
    }
}

struct Session<'t> {
    connection: Connection,
    guard: Guard,
    term: &'t Term,
}

impl Session<'_> {
    fn query(&mut self, statement: &Statement, mut rows: Rows) -> Result<SqlAnswer, HostError> {
        self.watch()?;
        self.run(statement, Some(&mut rows))?;
        Ok(rows.into_answer())
    }

    fn execute(&mut self, statement: &Statement) -> Result<SqlAnswer, HostError> {
        self.watch()?;
        let changed = self.change(statement)?;
        if !self.connection.is_autocommit() {
            return failed(
                "a transaction that one statement opens is lost: \
                 sqlite.transaction([...]) runs statements all or none",
            );
        }
        Ok(SqlAnswer { changed: vec![changed], ..SqlAnswer::default() })
    }

    /// Begins as a writer at once: to become one later can fail when somebody else did so first.
    fn transaction(&mut self, statements: &[Statement]) -> Result<SqlAnswer, HostError> {
        let begun = self.connection.execute_batch("BEGIN IMMEDIATE");
        begun.map_err(|error| self.failure(error))?;
        self.watch()?;
        let mut changed = Vec::with_capacity(statements.len());
        for (index, statement) in statements.iter().enumerate() {
            let one = self.change(statement);
            changed.push(
                one.map_err(|HostError(why)| HostError(format!("statement {}: {why}", index + 1)))?,
            );
        }
        Guard::leave(&mut self.connection).map_err(|error| self.failure(error))?;
        let ended = self.connection.execute_batch("COMMIT");
        ended.map_err(|error| self.failure(error))?;
        Ok(SqlAnswer { changed, ..SqlAnswer::default() })
    }

    fn watch(&mut self) -> Result<(), HostError> {
        let watched = self.guard.watch(&mut self.connection);
        watched.map_err(|error| self.failure(error))
    }

    /// Rows changed by the statement itself. The counter keeps its value over statements that
    /// change no rows, so the one that only grows is asked first.
    fn change(&self, statement: &Statement) -> Result<u64, HostError> {
        let before = self.connection.total_changes();
        self.run(statement, None)?;
        let any = self.connection.total_changes() != before;
        Ok(if any { self.connection.changes() } else { 0 })
    }

    /// A statement whose rows are wanted must not change anything.
    fn run(&self, statement: &Statement, mut wanted: Option<&mut Rows>) -> Result<(), HostError> {
        // SQLite would take it for the end, and pass over the rest.
        if statement.sql.contains('\0') {
            return failed("the statement has a NUL character in it");
        }
        let prepared = self.connection.prepare(&statement.sql);
        let mut prepared = prepared.map_err(|error| self.failure(error))?;
        if wanted.is_some() && !prepared.readonly() {
            return failed("a query changes nothing: use sqlite.execute for this statement");
        }
        bind(&mut prepared, &statement.params)?;
        if let Some(wanted) = &mut wanted {
            wanted.name(prepared.column_names());
        }
        let mut rows = prepared.raw_query();
        while let Some(row) = rows.next().map_err(|error| self.failure(error))? {
            let Some(wanted) = &mut wanted else {
                continue;
            };
            wanted.push(|index| {
                let value = row.get_ref(index).map_err(|error| self.failure(error))?;
                // The name is asked for where it is needed: that costs more than most cells do.
                to_cell(value).map_err(|NotText| {
                    not_text(row.as_ref().column_name(index).unwrap_or_default())
                })
            })?;
            if wanted.is_complete() {
                break;
            }
        }
        Ok(())
    }

    /// What went wrong, in words without paths.
    fn failure(&self, error: Error) -> HostError {
        if let Some(over) = self.term.over() {
            return over;
        }
        if let Some(reason) = self.guard.reason() {
            return HostError(reason);
        }
        HostError(match error {
            Error::MultipleStatement => "one statement at a time: \
                 sqlite.transaction([...]) takes several"
                .into(),
            Error::SqlInputError { msg, .. } => msg,
            Error::SqliteFailure(code, _)
                if code.extended_code == ffi::SQLITE_READONLY_ROLLBACK =>
            {
                "somebody stopped in the middle of a change: \
                 the next one that may write undoes it"
                    .into()
            }
            Error::SqliteFailure(code, said) => match code.code {
                ErrorCode::ApiMisuse => "there is no statement".into(),
                ErrorCode::CannotOpen => "it cannot be opened, or not what SQLite keeps beside it \
                     (-journal, -wal, -shm)"
                    .into(),
                ErrorCode::ReadOnly => "the file cannot be written".into(),
                ErrorCode::NotADatabase => "it is not an SQLite database".into(),
                ErrorCode::TooBig => {
                    let longest = self.connection.limit(Limit::SQLITE_LIMIT_LENGTH);
                    let longest = usize::try_from(longest.unwrap_or_default());
                    format!("a value is larger than {}", show_size(longest.unwrap_or_default()))
                }
                _ => said.unwrap_or_else(|| code.to_string()),
            },
            other => other.to_string(),
        })
    }
}
