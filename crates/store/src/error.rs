//! Why something could not be kept or found, and the way out.

use std::io;
use std::path::{Path, PathBuf};

use model::shorten_path;
use rusqlite::ErrorCode;

use crate::limits::{KEYS_PER_MODULE, LARGEST_MODULE, LARGEST_VALUE, LONGEST_KEY};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("a key of {size} bytes; a key has 1 to {}", LONGEST_KEY)]
    KeySize { size: usize },

    #[error("the value of `{key}` has {size} bytes as JSON; one value may have {}", LARGEST_VALUE)]
    ValueSize { key: String, size: usize },

    #[error("the value of `{key}` could not be read back: {source}")]
    Unfit { key: String, source: serde_json::Error },

    #[error(
        "module `{module}` would keep {keys} keys; one module may keep {}: delete some first",
        KEYS_PER_MODULE
    )]
    ModuleKeys { module: String, keys: u64 },

    #[error(
        "module `{module}` would keep {size} bytes; one module may keep {}: delete something first",
        LARGEST_MODULE
    )]
    ModuleSize { module: String, size: u64 },

    #[error(
        "what module `{module}` keeps as `{key}` is not JSON ({source}); set it again or delete it"
    )]
    Unreadable { module: String, key: String, source: serde_json::Error },

    #[error(
        "cannot use `{}` for data: {source}; make it writable, or name another folder: `data_dir` under \
         [server] in larkspur.toml",
        path.display()
    )]
    Disk { path: PathBuf, source: io::Error },

    #[error(
        "`{}` has lost its data, or never had any: bring back a copy of it, or delete it to start \
         afresh",
        path.display()
    )]
    Empty { path: PathBuf },

    #[error(
        "`{}` is not a database of Larkspur: move it away, or use another data folder",
        path.display()
    )]
    Foreign { path: PathBuf },

    #[error(
        "`{}` was written by a newer version (its schema is {found}, this one knows up to {known}): \
         update, or use another data folder",
        path.display()
    )]
    Newer { path: PathBuf, found: usize, known: usize },

    #[error(
        "`{}` is not a database or is damaged ({source}): move it away to start afresh, or bring back a copy",
        path.display()
    )]
    Damaged { path: PathBuf, source: rusqlite::Error },

    #[error("`{}` is in use by others for too long ({source}): try again", path.display())]
    Busy { path: PathBuf, source: rusqlite::Error },

    #[error("cannot use `{}`: {source}; may it be written, and is there room on its disk?", path.display())]
    Database { path: PathBuf, source: rusqlite::Error },
}

impl StoreError {
    /// The text for callers, who do not learn where the server keeps its data.
    pub fn without_path(&self) -> String {
        match self {
            Self::Disk { path, .. }
            | Self::Newer { path, .. }
            | Self::Empty { path }
            | Self::Foreign { path }
            | Self::Damaged { path, .. }
            | Self::Busy { path, .. }
            | Self::Database { path, .. } => shorten_path(&self.to_string(), path),
            Self::KeySize { .. }
            | Self::ValueSize { .. }
            | Self::Unfit { .. }
            | Self::ModuleKeys { .. }
            | Self::ModuleSize { .. }
            | Self::Unreadable { .. } => self.to_string(),
        }
    }

    pub(crate) fn disk(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self::Disk { path, source }
    }

    pub(crate) fn database(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                Self::Damaged { path, source }
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                Self::Busy { path, source }
            }
            _ => Self::Database { path, source },
        }
    }
}
