//! Opens a file so that it can be waited for only as long as the call does.

use super::functions;
use crate::sql::failed;
use crate::term::Term;
use model::HostError;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, Error, ErrorCode, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// No value may be longer than this, read, written or made on the way, unless results may be: each
/// step of the machine takes time in proportion.
const LONGEST: usize = 16 << 20;
/// Steps of the machine between two looks at the clock. They take a microsecond with short values,
/// and some tens of milliseconds with the longest ones.
const STEPS: i32 = 100;
const PAUSE: Duration = Duration::from_millis(10);

/// Results may have this many `bytes`.
pub(super) fn open(
    path: &Path,
    writable: bool,
    bytes: usize,
    term: &Term,
) -> Result<Connection, HostError> {
    if !writable && !path.exists() {
        return failed("there is no such file");
    }
    // A pipe would be waited for, for ever.
    if path.exists() && !path.is_file() && !path.is_dir() {
        return failed("this is not a file");
    }
    let opened = Connection::open_with_flags(path, flags(writable)).and_then(|mut connection| {
        hold(&mut connection, bytes, term)?;
        Ok(connection)
    });
    opened.map_err(|error| HostError(cannot_open(path, &error)))
}

/// The path has no links in it, so one that is there now was put there in between.
fn flags(writable: bool) -> OpenFlags {
    let how = if writable {
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE
    } else {
        OpenFlags::SQLITE_OPEN_READ_ONLY
    };
    how | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW
}

fn hold(connection: &mut Connection, bytes: usize, term: &Term) -> rusqlite::Result<()> {
    let longest = i32::try_from(LONGEST.max(bytes)).unwrap_or(i32::MAX);
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, longest)?;
    functions::bound(connection, term)?;
    // A file that somebody sent must not run more than it could say in SQL.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    let running = term.clone();
    connection.progress_handler(STEPS, Some(move || running.over().is_some()))?;
    let waiting = term.clone();
    connection.busy_handler(Some(move |_| wait(&waiting)))
}

/// Another connection holds the file: shall it be tried again?
#[expect(
    clippy::disallowed_methods,
    reason = "nobody tells when another process lets go of a file"
)]
fn wait(term: &Term) -> bool {
    std::thread::sleep(PAUSE.min(term.left()));
    term.over().is_none()
}

fn cannot_open(path: &Path, error: &Error) -> String {
    if path.is_dir() {
        return "this is a folder".into();
    }
    if !path.parent().is_some_and(Path::is_dir) {
        return "there is no folder to put it in".into();
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::CannotOpen) | None => "it cannot be opened".into(),
        Some(code) => format!("it cannot be opened: {code:?}"),
    }
}
