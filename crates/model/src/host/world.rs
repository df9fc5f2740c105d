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

/// A world answers what it can; the rest is answered by the one behind it, if there is one.
pub trait World: Send + Sync {
    fn behind(&self) -> Option<&dyn World> {
        None
    }

    /// Milliseconds since 1970.
    fn now_ms(&self) -> i64 {
        self.behind().map_or(0, World::now_ms)
    }

    /// Is it asked one thing after the other? Where answers come in turn, requests must as well.
    fn in_turn(&self) -> bool {
        false
    }

    /// Waits so long, or until the leash ends it.
    fn sleep(&self, time: Duration, leash: &Leash) {
        match self.behind() {
            Some(world) => world.sleep(time, leash),
            None => leash.wait(time),
        }
    }

    /// So many bytes that nobody can guess.
    fn random(&self, count: usize) -> Result<Vec<u8>, HostError> {
        self.behind().ok_or_else(closed)?.random(count)
    }

    fn http(
        &self,
        request: &HttpRequest,
        egress: &Egress,
        leash: &Leash,
    ) -> Result<HttpResponse, HostError> {
        self.behind().ok_or_else(closed)?.http(request, egress, leash)
    }

    fn exec(
        &self,
        request: &ExecRequest,
        surroundings: &Surroundings,
        leash: &Leash,
    ) -> Result<ExecResult, HostError> {
        self.behind().ok_or_else(closed)?.exec(request, surroundings, leash)
    }

    fn sql(
        &self,
        source: &Source,
        request: &SqlRequest,
        leash: &Leash,
    ) -> Result<SqlAnswer, HostError> {
        self.behind().ok_or_else(closed)?.sql(source, request, leash)
    }

    /// Every variable of our own environment that is text.
    fn env(&self) -> Vec<(String, String)> {
        self.behind().map(World::env).unwrap_or_default()
    }

    /// One of them.
    fn variable(&self, name: &str) -> Option<String> {
        let mut all = self.env().into_iter();
        all.find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// What a module's secret is; it goes into requests, and never to a script.
    fn secret(&self, wanted: &SecretName<'_>, leash: &Leash) -> Result<Secret, HostError> {
        self.behind().ok_or_else(closed)?.secret(wanted, leash)
    }

    /// Is it set, so that it could be used?
    fn has_secret(&self, wanted: &SecretName<'_>) -> Result<(), HostError> {
        self.behind().ok_or_else(closed)?.has_secret(wanted)
    }

    /// Which value it stands for now, if it is set: results that used another are no longer valid.
    fn secret_stamp(&self, wanted: &SecretName<'_>) -> Result<Option<SecretStamp>, HostError> {
        self.behind().ok_or_else(closed)?.secret_stamp(wanted)
    }

    /// Has anybody set it? For those who tell what is still to be done.
    fn is_secret_set(&self, module: &str, name: &str) -> bool {
        let user = "";
        self.has_secret(&SecretName { module, name, user }).is_ok()
    }

    fn file_read(&self, path: &Path) -> Result<String, HostError> {
        self.behind().ok_or_else(closed)?.file_read(path)
    }

    fn file_list(&self, path: &Path) -> Result<Vec<String>, HostError> {
        self.behind().ok_or_else(closed)?.file_list(path)
    }

    fn file_exists(&self, path: &Path) -> Result<bool, HostError> {
        self.behind().ok_or_else(closed)?.file_exists(path)
    }

    fn file_write(&self, path: &Path, text: &str) -> Result<(), HostError> {
        self.behind().ok_or_else(closed)?.file_write(path, text)
    }

    /// The path without links and `..`, as far as it exists: whether it lies inside a folder is
    /// decided on this.
    fn real_path(&self, path: &Path) -> Result<PathBuf, HostError> {
        self.behind().map_or_else(|| Ok(path.to_path_buf()), |world| world.real_path(path))
    }

    /// Ends what still goes on, since nobody is left to hear of it.
    fn close(&self) {}
}

fn closed() -> HostError {
    HostError("there is no world outside here".into())
}
