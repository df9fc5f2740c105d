//! What the server or the way to it said, in one sentence without passwords.

use model::HostError;
use std::error::Error as _;
use tokio_postgres::Error;
use tokio_postgres::error::{DbError, SqlState};

pub(super) fn said(error: &Error) -> HostError {
    match error.as_db_error() {
        Some(error) => HostError(sentence(error)),
        None => HostError(chain(error)),
    }
}

fn sentence(error: &DbError) -> String {
    let mut text = match position(error) {
        Some(position) => format!("parameter {position}: {}", error.message()),
        None => error.message().to_owned(),
    };
    if let Some(detail) = error.detail() {
        text = format!("{text}: {}", detail.trim_end_matches('.'));
    }
    if let Some(hint) = way_out(error.code()).or(error.hint()) {
        text = format!("{text} ({})", hint.trim_end_matches('.'));
    }
    text
}

/// Which parameter the server could not read: `unnamed portal parameter $1 = '…'`.
fn position(error: &DbError) -> Option<&str> {
    let (_, rest) = error.where_()?.split_once("portal parameter $")?;
    let end = rest.find(|c: char| !c.is_ascii_digit());
    Some(&rest[..end.unwrap_or(rest.len())])
}

fn way_out(code: &SqlState) -> Option<&'static str> {
    let is_reading = *code == SqlState::READ_ONLY_SQL_TRANSACTION;
    is_reading.then_some("a query changes nothing: use postgres.execute")
}

/// An error with its causes; `error connecting to server` alone helps nobody.
pub(super) fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
