//! A database that is made under another name, so that nobody ever finds half of one.
#![expect(clippy::disallowed_methods, reason = "this is the room that owns the data folder")]

use crate::StoreError;
use crate::database::open;
use crate::migrations;
use crate::relocate::absent_is_fine;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// A complete database under a name of its own; it goes with this, unless it has been published: another
/// thread may use the name again then.
pub(crate) struct Draft {
    path: PathBuf,
    is_published: bool,
}

impl Draft {
    /// Made beside the file that it is to become, for the owner alone: its journals get the same
    /// permissions.
    pub(crate) fn create(file: &Path) -> Result<Self, StoreError> {
        let draft = reserve(file).map_err(|error| StoreError::disk(file, error))?;
        let failed = |error| StoreError::database(&draft.path, error);
        let mut connection = open(&draft.path).map_err(failed)?;
        migrations::migrate(&mut connection).map_err(failed)?;
        connection.close().map_err(|(_, error)| failed(error))?;
        Ok(draft)
    }

    /// Gives it its name, unless another process was first: then theirs stays.
    pub(crate) fn publish(mut self, folder: &Path, file: &Path) -> Result<(), StoreError> {
        self.rename(folder, file).map_err(|error| StoreError::disk(file, error))
    }

    fn rename(&mut self, folder: &Path, file: &Path) -> io::Result<()> {
        // Locked as long as it is open, so that one process at a time looks and renames.
        let folder = File::open(folder)?;
        folder.lock()?;
        if file.exists() {
            return Ok(());
        }
        // Journals of a database that was deleted would be taken for this one's.
        for journal in ["-wal", "-shm", "-journal"] {
            absent_is_fine(fs::remove_file(beside(file, journal)))?;
        }
        fs::rename(&self.path, file)?;
        self.is_published = true;
        // A name survives a power cut once its folder is on the disk.
        folder.sync_all()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.is_published {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// An empty file with a name that nobody uses.
fn reserve(file: &Path) -> io::Result<Draft> {
    let mut number = 0;
    loop {
        let path = beside(file, &format!(".new-{}-{number}", std::process::id()));
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        match made {
            Ok(_) => {
                return Ok(Draft { path, is_published: false });
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// The file whose name goes on with this.
fn beside(file: &Path, more: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(more);
    name.into()
}
