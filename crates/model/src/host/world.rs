//! What lies outside the process. What is asked here has been judged before: paths are absolute and
//! free of links, as `real_path` gives them, the environment of a child is complete, and a request
//! says whom it may reach.

use super::{ExecRequest, ExecResult, HostError, HttpRequest, HttpResponse, SqlAnswer, SqlRequest};
use crate::{Egress, Leash, Secret, SecretName, SecretStamp};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where a child process runs, and with which variables; nothing else of ours reaches it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    pub cwd: PathBuf,
    pub env: Vec<(String, String)>,
}

/// A database that may be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    Sqlite {
        path: PathBuf,
        writable: bool,
    },
    /// A connection string.
    Postgres {
        url: String,
    },
}

/// Where nothing else is said, nothing is there.
pub trait World: Send + Sync {
    /// Milliseconds since 1970.
    fn now_ms(&self) -> i64 {
        0
    }

    /// Is it asked one thing after the other? Where answers come in turn, requests must as well.
    fn in_turn(&self) -> bool {
        false
    }

    /// Waits so long, or until the leash ends it.
    fn sleep(&self, time: Duration, leash: &Leash) {
        leash.wait(time);
    }

    /// So many bytes that nobody can guess.
    fn random(&self, _: usize) -> Result<Vec<u8>, HostError> {
        nothing_there()
    }

    fn http(&self, _: &HttpRequest, _: &Egress, _: &Leash) -> Result<HttpResponse, HostError> {
        nothing_there()
    }

    fn exec(&self, _: &ExecRequest, _: &Surroundings, _: &Leash) -> Result<ExecResult, HostError> {
        nothing_there()
    }

    fn sql(&self, _: &Source, _: &SqlRequest, _: &Leash) -> Result<SqlAnswer, HostError> {
        nothing_there()
    }

    /// Every variable of our own environment that is text.
    fn env(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// One of them.
    fn variable(&self, name: &str) -> Option<String> {
        let mut all = self.env().into_iter();
        all.find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// What a module's secret is; it goes into requests, and never to a script.
    fn secret(&self, _: &SecretName<'_>, _: &Leash) -> Result<Secret, HostError> {
        nothing_there()
    }

    /// Is it set, so that it could be used?
    fn has_secret(&self, _: &SecretName<'_>) -> Result<(), HostError> {
        nothing_there()
    }

    /// Which value it stands for now, if it is set: results that used another are no longer valid.
    fn secret_stamp(&self, _: &SecretName<'_>) -> Result<Option<SecretStamp>, HostError> {
        nothing_there()
    }

    /// Has anybody set it? For those who tell what is still to be done.
    fn is_secret_set(&self, module: &str, name: &str) -> bool {
        let user = "";
        self.has_secret(&SecretName { module, name, user }).is_ok()
    }

    fn file_read(&self, _: &Path) -> Result<String, HostError> {
        nothing_there()
    }

    fn file_list(&self, _: &Path) -> Result<Vec<String>, HostError> {
        nothing_there()
    }

    fn file_exists(&self, _: &Path) -> Result<bool, HostError> {
        nothing_there()
    }

    fn file_write(&self, _: &Path, _: &str) -> Result<(), HostError> {
        nothing_there()
    }

    /// The path without links and `..`, as far as it exists: whether it lies inside a folder is
    /// decided on this.
    fn real_path(&self, path: &Path) -> Result<PathBuf, HostError> {
        Ok(path.to_path_buf())
    }

    /// Ends what still goes on, since nobody is left to hear of it.
    fn close(&self) {}
}

fn nothing_there<T>() -> Result<T, HostError> {
    Err(HostError("there is no world outside here".into()))
}
