//! One edit of a client's file: shown first, then written, all of it or nothing.
#![expect(clippy::disallowed_methods, reason = "this is the room that writes clients' files")]

use crate::diff::{DiffLine, diff};
use crate::trouble::Trouble;
use crate::{backup, config};
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct Change {
    pub path: PathBuf,
    /// None where there was no file.
    pub(crate) before: Option<String>,
    /// None where there will be none.
    pub(crate) after: Option<String>,
    /// The copy that this brings back; it has done its duty then.
    pub(crate) restored: Option<PathBuf>,
    /// A new file is for its user alone.
    pub(crate) is_private: bool,
}

impl Change {
    pub fn diff(&self) -> Vec<DiffLine<'_>> {
        let before = self.before.as_deref().unwrap_or_default();
        diff(before, self.after.as_deref().unwrap_or_default())
    }

    /// Does the file go as a whole?
    pub fn removes_the_file(&self) -> bool {
        self.after.is_none()
    }

    /// Does the file become what it was before we came?
    pub fn restores(&self) -> bool {
        self.restored.is_some() || self.removes_the_file()
    }

    /// Writes it; answers where the copy of what was there before is.
    pub fn write(&self) -> Result<Option<PathBuf>, Trouble> {
        if config::read(&self.path)? != self.before {
            return Err(Trouble::Overtaken(self.path.clone()));
        }
        let is_link = fs::symlink_metadata(&self.path).is_ok_and(|file| file.is_symlink());
        // A link stays, and what it leads to has nothing left in it.
        let after = self.after.as_deref().or(is_link.then_some(""));
        let Some(after) = after else {
            let removed = fs::remove_file(&self.path);
            removed.map_err(|error| self.trouble("remove", &error))?;
            return Ok(None);
        };
        let real = self.real()?;
        // What restores loses nothing that installing again would not bring back.
        let is_kept = self.before.is_some() && self.restored.is_none();
        let kept = is_kept.then(|| backup::keep(&self.path)).transpose()?;
        let written = replace(&real, after, self.is_private);
        written.map_err(|error| self.trouble("write", &error))?;
        if let Some(copy) = &self.restored {
            let _ = fs::remove_file(copy);
        }
        Ok(kept)
    }

    /// The file itself, where the path is a link; its folder is made if need be.
    fn real(&self) -> Result<PathBuf, Trouble> {
        if self.before.is_none() {
            let folder = self.path.parent().unwrap_or(Path::new("/"));
            let made = fs::create_dir_all(folder);
            made.map_err(|error| self.trouble("make the folder of", &error))?;
            return Ok(self.path.clone());
        }
        let real = fs::canonicalize(&self.path);
        let real = real.map_err(|error| self.trouble("write", &error))?;
        // Replacing a file asks its folder, not the file; whoever has made it read-only means it.
        let metadata = fs::metadata(&real);
        if metadata.is_ok_and(|file| file.permissions().readonly()) {
            let error = io::Error::other("it is read-only");
            return Err(self.trouble("write", &error));
        }
        Ok(real)
    }

    fn trouble(&self, doing: &'static str, error: &io::Error) -> Trouble {
        Trouble::Disk { doing, file: self.path.clone(), why: error.to_string() }
    }
}

/// Whoever reads the file sees the old text or the new one, whatever happens meanwhile.
fn replace(file: &Path, text: &str, is_private: bool) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    let mut aside = tempfile::Builder::new().prefix(".larkspur-").tempfile_in(folder)?;
    aside.write_all(text.as_bytes())?;
    let mode = match fs::metadata(file) {
        Ok(there) => there.permissions(),
        Err(_) => fs::Permissions::from_mode(if is_private { 0o600 } else { 0o644 }),
    };
    aside.as_file().set_permissions(mode)?;
    aside.as_file().sync_all()?;
    aside.persist(file)?;
    Ok(())
}
