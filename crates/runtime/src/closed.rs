//! A world with nothing in it: for those who only look at modules, and for tests of ours.

use model::{
    Egress, ExecRequest, ExecResult, HostError, HttpRequest, HttpResponse, Leash, Secret,
    SecretName, SecretStamp, Source, SqlAnswer, SqlRequest, Surroundings, World,
};
use std::path::{Path, PathBuf};

#[derive(Debug, Default)]
pub struct Closed;

fn closed<T>() -> Result<T, HostError> {
    Err(HostError("there is no world outside here".into()))
}

impl World for Closed {
    fn now_ms(&self) -> i64 {
        0
    }

    fn random(&self, _: usize) -> Result<Vec<u8>, HostError> {
        closed()
    }

    fn http(&self, _: &HttpRequest, _: &Egress, _: &Leash) -> Result<HttpResponse, HostError> {
        closed()
    }

    fn exec(&self, _: &ExecRequest, _: &Surroundings, _: &Leash) -> Result<ExecResult, HostError> {
        closed()
    }

    fn sql(&self, _: &Source, _: &SqlRequest, _: &Leash) -> Result<SqlAnswer, HostError> {
        closed()
    }

    fn env(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    fn secret(&self, _: &SecretName<'_>, _: &Leash) -> Result<Secret, HostError> {
        closed()
    }

    fn has_secret(&self, _: &SecretName<'_>) -> Result<(), HostError> {
        closed()
    }

    fn secret_stamp(&self, _: &SecretName<'_>) -> Result<Option<SecretStamp>, HostError> {
        closed()
    }

    fn file_read(&self, _: &Path) -> Result<String, HostError> {
        closed()
    }

    fn file_list(&self, _: &Path) -> Result<Vec<String>, HostError> {
        closed()
    }

    fn file_exists(&self, _: &Path) -> Result<bool, HostError> {
        closed()
    }

    fn file_write(&self, _: &Path, _: &str) -> Result<(), HostError> {
        closed()
    }

    fn real_path(&self, path: &Path) -> Result<PathBuf, HostError> {
        Ok(path.to_path_buf())
    }
}
