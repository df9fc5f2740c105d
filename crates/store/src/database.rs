//! The file: found or made when it is needed, and looked for again when something was wrong.
#![expect(clippy::disallowed_methods, reason = "this is the room that owns the data folder")]

use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::StoreError;
use crate::draft::Draft;
use crate::migrations::{self, MIGRATIONS};

/// How long to wait for others that write.
const PATIENCE: Duration = Duration::from_secs(5);

/// What it is called in its folder; journals of it begin with the same.
pub const FILE: &str = "state.db";

/// `SQLite`'s name for a database without a file.
const IN_MEMORY: &str = ":memory:";

pub(crate) struct Database {
    folder: PathBuf,
    file: PathBuf,
    open: Option<Open>,
    /// It is nowhere but in the open connection.
    fleeting: bool,
}

struct Open {
    connection: Connection,
    identity: Identity,
}

/// Device and inode: a file that was deleted and made anew has another.
type Identity = (u64, u64);

impl Database {
    pub(crate) fn at(folder: PathBuf) -> Self {
        Self { file: folder.join(FILE), folder, open: None, fleeting: false }
    }

    /// Nothing of it reaches a disk.
    pub(crate) fn in_memory() -> Self {
        Self { folder: PathBuf::new(), file: PathBuf::from(IN_MEMORY), open: None, fleeting: true }
    }

    /// Works with the file if there is one; it is not made.
    pub(crate) fn found<T>(
        &mut self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        match self.identity()? {
            Some(identity) => self.work(identity, work).map(Some),
            None => Ok(None),
        }
    }

    /// Works with the file, which is made if there is none.
    pub(crate) fn made<T>(
        &mut self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let identity = match self.identity()? {
            Some(identity) => identity,
            None => self.make()?,
        };
        self.work(identity, work)
    }

    /// After an error the connection is given up: whatever was wrong, the next call starts anew.
    fn work<T>(
        &mut self,
        identity: Identity,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut open = match self.open.take() {
            Some(open) if open.identity == identity => open,
            _ => Open { connection: connect(&self.file)?, identity },
        };
        let done = work(&mut open.connection).map_err(|e| StoreError::database(&self.file, e));
        if done.is_ok() || self.fleeting {
            self.open = Some(open);
        }
        done
    }

    /// Which file is there now. Only asked by name: to open and close the file beside `SQLite` would
    /// take this process's locks from it.
    fn identity(&self) -> Result<Option<Identity>, StoreError> {
        if self.fleeting {
            return Ok(Some((0, 0)));
        }
        match fs::metadata(&self.file) {
            Ok(found) if found.is_file() && found.len() == 0 => {
                Err(StoreError::Empty { path: self.file.clone() })
            }
            Ok(found) => Ok(Some((found.dev(), found.ino()))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::disk(&self.file, error)),
        }
    }

    /// Puts a complete database in its place. Of several processes one does, and the others use that.
    fn make(&mut self) -> Result<Identity, StoreError> {
        self.open = None;
        prepare(&self.folder).map_err(|error| StoreError::disk(&self.folder, error))?;
        Draft::create(&self.file)?.publish(&self.folder, &self.file)?;
        let gone = || StoreError::disk(&self.file, ErrorKind::NotFound.into());
        self.identity()?.ok_or_else(gone)
    }
}

/// Makes a folder for its owner alone, which git ignores. A folder with something in it is somebody's:
/// there nothing is hidden.
pub(crate) fn prepare(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    if fs::read_dir(folder)?.next().is_none() {
        fs::write(folder.join(".gitignore"), "*\n")?;
    }
    Ok(())
}

fn connect(file: &Path) -> Result<Connection, StoreError> {
    let failed = |error| StoreError::database(file, error);
    let mut connection = open(file).map_err(failed)?;
    let found = migrations::taken(&connection).map_err(failed)?;
    if found == 0 && file != Path::new(IN_MEMORY) {
        let path = file.to_owned();
        let has_tables = migrations::has_tables(&connection).map_err(failed)?;
        return Err(if has_tables {
            StoreError::Foreign { path }
        } else {
            StoreError::Empty { path }
        });
    }
    if found > MIGRATIONS.len() {
        return Err(StoreError::Newer { path: file.to_owned(), found, known: MIGRATIONS.len() });
    }
    write_ahead(&connection).map_err(failed)?;
    migrations::migrate(&mut connection).map_err(failed)?;
    Ok(connection)
}

pub(crate) fn open(file: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(PATIENCE)?;
    // A write that was acknowledged survives a power cut.
    connection.execute_batch("PRAGMA synchronous = FULL")?;
    Ok(connection)
}

/// Readers and the writer do not wait for each other with this journal. `SQLite` waits for a lock,
/// but not when it changes the journal; so wait for the lock, then try again.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let start = Instant::now();
    loop {
        match connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())) {
            Err(error) if is_busy(&error) && start.elapsed() < PATIENCE => {
                connection.execute_batch("BEGIN IMMEDIATE; COMMIT")?;
            }
            done => return done,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_acknowledged_write_is_on_the_disk() {
        let dir = tempfile::tempdir().unwrap();
        let mut database = Database::at(dir.path().to_owned());
        let (journal, synchronous): (String, u8) = database
            .made(|open| {
                open.query_row(
                    "SELECT journal_mode, synchronous FROM pragma_journal_mode, pragma_synchronous",
                    [],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
            })
            .unwrap();
        let full = 2;
        assert_eq!((journal.as_str(), synchronous), ("wal", full));
    }
}
