//! What is the server's own because its operator has put it there. What is ours by its name alone is
//! known to `Rights`.

use model::World;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

#[derive(Debug, Default)]
pub(crate) struct Own {
    folders: BTreeSet<PathBuf>,
    files: BTreeSet<PathBuf>,
    variables: BTreeSet<String>,
    /// The folders and files without links, once somebody has asked.
    real: OnceLock<[Vec<PathBuf>; 2]>,
}

impl Own {
    /// The same, and this.
    pub(crate) fn with(
        &self,
        folders: impl IntoIterator<Item = PathBuf>,
        files: impl IntoIterator<Item = PathBuf>,
    ) -> Self {
        Self {
            folders: self.folders.iter().cloned().chain(folders).collect(),
            files: self.files.iter().cloned().chain(files).collect(),
            variables: self.variables.clone(),
            real: OnceLock::new(),
        }
    }

    /// The same, and these variables, from which it takes secrets.
    pub(crate) fn with_variables(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.variables.extend(names);
        self
    }

    pub(crate) fn has_variable(&self, name: &str) -> bool {
        self.variables.contains(name)
    }

    /// Is it kept from a module that lies in `home`? Neither path leads through links.
    pub(crate) fn holds(&self, path: &Path, home: &Path, world: &dyn World) -> bool {
        let [folders, files] = self.real.get_or_init(|| {
            [&self.folders, &self.files].map(|all| all.iter().map(|p| real(p, world)).collect())
        });
        // Whoever keeps data above the modules has not hidden them from themselves.
        let is_kept = |folder: &PathBuf| path.starts_with(folder) && !home.starts_with(folder);
        folders.iter().any(is_kept) || files.iter().any(|file| is_of(file, path))
    }
}

/// Where they really are is a question of the same names.
impl PartialEq for Own {
    fn eq(&self, other: &Self) -> bool {
        self.folders == other.folders
            && self.files == other.files
            && self.variables == other.variables
    }
}

fn real(path: &Path, world: &dyn World) -> PathBuf {
    let real = world.real_path(path);
    real.unwrap_or_else(|_| path.to_path_buf())
}

/// The file itself, or what lies beside it under its name: a journal, an older one.
fn is_of(file: &Path, path: &Path) -> bool {
    let names = (file.file_name(), path.file_name());
    let (Some(own), Some(name)) = (names.0, names.1) else {
        return false;
    };
    let rest = name.as_encoded_bytes().strip_prefix(own.as_encoded_bytes());
    file.parent() == path.parent()
        && rest.is_some_and(|rest| matches!(rest.first(), None | Some(b'.' | b'-')))
}
