//! A data folder that moves as a whole, while no process uses it.
#![expect(clippy::disallowed_methods, reason = "this is the room that owns the data folder")]

use crate::StoreError;
use crate::database::{FILE, open};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Whether a data folder has anything in it: database, audit log, or the note for git that comes with
/// them.
pub fn is_used(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

/// Moves a data folder to a place where there is none, or an empty one.
pub fn move_folder(from: &Path, to: &Path) -> Result<(), StoreError> {
    let file = from.join(FILE);
    if file.exists() {
        end_journal(&file)?;
    }
    let failed = |error| StoreError::disk(to, error);
    absent_is_fine(fs::remove_dir(to)).map_err(failed)?;
    fs::rename(from, to).map_err(failed)
}

/// Only a connection that is alone can leave write-ahead journaling: a process that still uses the
/// database makes this fail.
fn end_journal(file: &Path) -> Result<(), StoreError> {
    let failed = |error| StoreError::database(file, error);
    let connection = open(file).map_err(failed)?;
    connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(())).map_err(failed)
}

pub(crate) fn absent_is_fine(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        result => result,
    }
}
