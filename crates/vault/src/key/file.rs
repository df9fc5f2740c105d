//! A file with keys, for its owner alone, and not beside what it opens.
#![expect(clippy::disallowed_methods, reason = "this is the room that owns key files")]

use super::text;
use crate::VaultError;
use crate::cipher::Key;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Nobody has so many keys.
const MOST_BYTES: u64 = 64 << 10;

pub(super) struct KeyFile<'a> {
    path: &'a Path,
    data_dir: &'a Path,
}

impl<'a> KeyFile<'a> {
    pub(super) fn new(path: &'a Path, data_dir: &'a Path) -> Self {
        Self { path, data_dir }
    }

    /// What is in it, if it is there and as it should be.
    pub(super) fn read(&self) -> Result<Option<Zeroizing<String>>, VaultError> {
        let about = match fs::metadata(self.path) {
            Ok(about) => about,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.failed(error)),
        };
        if !about.is_file() || about.len() > MOST_BYTES {
            return Err(self.failed(ErrorKind::InvalidInput.into()));
        }
        self.check_place()?;
        if about.permissions().mode() & 0o077 != 0 {
            let path = self.path.to_owned();
            return Err(VaultError::ReadByOthers { path });
        }
        let text = fs::read_to_string(self.path).map_err(|error| self.failed(error))?;
        Ok(Some(Zeroizing::new(text)))
    }

    /// Writes a whole new file and puts it in the place of the old one: at any moment one is there.
    pub(super) fn add(&self, key: &Key) -> Result<(), VaultError> {
        let before = self.read()?.unwrap_or_default();
        let after = text::with(&before, key);
        self.replace(&after).map_err(|error| self.failed(error))?;
        self.check_place()
    }

    fn replace(&self, text: &str) -> io::Result<()> {
        let folder = folder(self.path);
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let new = self.path.with_extension(format!("{}.new", std::process::id()));
        // One that a killed process has left is not appended to.
        match fs::remove_file(&new) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, self.path)?;
        // The name is on the disk when its folder is.
        File::open(&folder)?.sync_all()
    }

    fn check_place(&self) -> Result<(), VaultError> {
        let whole = |path: &Path| fs::canonicalize(path).ok();
        let (here, data) = (whole(&folder(self.path)), whole(self.data_dir));
        let is_beside = here.zip(data).is_some_and(|(here, data)| here.starts_with(data));
        if is_beside {
            let path = self.path.to_owned();
            return Err(VaultError::BesideTheDatabase { path });
        }
        Ok(())
    }

    fn failed(&self, source: io::Error) -> VaultError {
        VaultError::KeyFile { path: self.path.to_owned(), source }
    }
}

fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}
