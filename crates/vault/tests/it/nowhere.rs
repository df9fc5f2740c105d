//! A world that nobody may need: a text is revealed without it.

use model::{
    Egress, ExecRequest, ExecResult, HostError, HttpRequest, HttpResponse, Leash, Secret,
    SecretName, SecretStamp, Source, SqlAnswer, SqlRequest, Surroundings, World,
};
use std::path::{Path, PathBuf};

pub(crate) struct Nowhere;

impl World for Nowhere {
    fn now_ms(&self) -> i64 {
        unreachable!()
    }

    fn random(&self, _: usize) -> Result<Vec<u8>, HostError> {
        unreachable!()
    }

    fn http(&self, _: &HttpRequest, _: &Egress, _: &Leash) -> Result<HttpResponse, HostError> {
        unreachable!()
    }

    fn exec(&self, _: &ExecRequest, _: &Surroundings, _: &Leash) -> Result<ExecResult, HostError> {
        unreachable!()
    }

    fn sql(&self, _: &Source, _: &SqlRequest, _: &Leash) -> Result<SqlAnswer, HostError> {
        unreachable!()
    }

    fn env(&self) -> Vec<(String, String)> {
        unreachable!()
    }

    fn secret(&self, _: &SecretName<'_>, _: &Leash) -> Result<Secret, HostError> {
        unreachable!()
    }

    fn has_secret(&self, _: &SecretName<'_>) -> Result<(), HostError> {
        unreachable!()
    }

    fn secret_stamp(&self, _: &SecretName<'_>) -> Result<Option<SecretStamp>, HostError> {
        unreachable!()
    }

    fn file_read(&self, _: &Path) -> Result<String, HostError> {
        unreachable!()
    }

    fn file_list(&self, _: &Path) -> Result<Vec<String>, HostError> {
        unreachable!()
    }

    fn file_exists(&self, _: &Path) -> Result<bool, HostError> {
        unreachable!()
    }

    fn file_write(&self, _: &Path, _: &str) -> Result<(), HostError> {
        unreachable!()
    }

    fn real_path(&self, _: &Path) -> Result<PathBuf, HostError> {
        unreachable!()
    }
}
