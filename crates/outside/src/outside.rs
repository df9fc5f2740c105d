//! The world itself. A clone shares connections.
#![expect(
    clippy::disallowed_methods,
    reason = "this is where the environment of scripts comes from"
)]

use crate::executor::Executor;
use crate::files;
use crate::http::Http;
use crate::process::Processes;
use crate::sql::Databases;
use model::{
    Egress, ExecRequest, ExecResult, HostError, HttpRequest, HttpResponse, Leash, Secret,
    SecretName, SecretStamp, Secrets, Source, SqlAnswer, SqlRequest, Surroundings, World,
};
use settings::Bounds;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

pub struct Outside {
    /// How large a file may be that is read.
    file_bytes: usize,
    executor: Executor,
    http: Http,
    databases: Databases,
    processes: Processes,
    /// Where secrets come from, if anywhere.
    secrets: Option<Arc<dyn Secrets>>,
}

impl Outside {
    pub fn new(bounds: &Bounds) -> Self {
        Self {
            file_bytes: bounds.file_bytes,
            executor: Executor::default(),
            http: Http::new(bounds),
            databases: Databases::new(bounds),
            processes: Processes::new(bounds),
            secrets: None,
        }
    }

    /// The same, with secrets.
    #[must_use]
    pub fn with_secrets(self, secrets: Arc<dyn Secrets>) -> Self {
        Self { secrets: Some(secrets), ..self }
    }

    /// The same, with a program that starts commands: one whose `main` is `sandbox::run_launcher`.
    #[must_use]
    pub fn with_launcher(self, program: PathBuf) -> Self {
        Self { processes: self.processes.with_launcher(program), ..self }
    }
}

impl Default for Outside {
    fn default() -> Self {
        Self::new(&Bounds::default())
    }
}

impl World for Outside {
    fn now_ms(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let millis = since.unwrap_or_default().as_millis();
        i64::try_from(millis).unwrap_or(i64::MAX)
    }

    fn random(&self, count: usize) -> Result<Vec<u8>, HostError> {
        let mut bytes = vec![0; count];
        getrandom::fill(&mut bytes)
            .map_err(|error| HostError(format!("the system gives no random bytes: {error}")))?;
        Ok(bytes)
    }

    fn http(
        &self,
        request: &HttpRequest,
        egress: &Egress,
        leash: &Leash,
    ) -> Result<HttpResponse, HostError> {
        self.http.send(&self.executor, request, egress, leash)
    }

    fn exec(
        &self,
        request: &ExecRequest,
        surroundings: &Surroundings,
        leash: &Leash,
    ) -> Result<ExecResult, HostError> {
        self.processes.run(request, surroundings, leash)
    }

    fn sql(
        &self,
        source: &Source,
        request: &SqlRequest,
        leash: &Leash,
    ) -> Result<SqlAnswer, HostError> {
        self.databases.ask(&self.executor, source, request, leash)
    }

    fn env(&self) -> Vec<(String, String)> {
        let all = std::env::vars_os();
        all.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect()
    }

    fn secret(&self, wanted: &SecretName<'_>, leash: &Leash) -> Result<Secret, HostError> {
        let secrets = self.secrets.as_ref().ok_or_else(|| wanted.not_set())?;
        secrets.reveal(wanted, self, leash)
    }

    fn has_secret(&self, wanted: &SecretName<'_>) -> Result<(), HostError> {
        let secrets = self.secrets.as_ref().ok_or_else(|| wanted.not_set())?;
        secrets.has(wanted)
    }

    fn secret_stamp(&self, wanted: &SecretName<'_>) -> Result<Option<SecretStamp>, HostError> {
        match &self.secrets {
            Some(secrets) => secrets.stamp(wanted),
            None => Ok(None),
        }
    }

    fn is_secret_set(&self, module: &str, name: &str) -> bool {
        let secrets = self.secrets.as_ref();
        secrets.is_some_and(|secrets| secrets.is_set(module, name).unwrap_or(false))
    }

    fn file_read(&self, path: &Path) -> Result<String, HostError> {
        files::read(path, self.file_bytes)
    }

    fn file_list(&self, path: &Path) -> Result<Vec<String>, HostError> {
        files::list(path)
    }

    fn file_exists(&self, path: &Path) -> Result<bool, HostError> {
        files::exists(path)
    }

    fn file_write(&self, path: &Path, text: &str) -> Result<(), HostError> {
        files::write(path, text)
    }

    fn real_path(&self, path: &Path) -> Result<PathBuf, HostError> {
        files::real_path(path)
    }

    fn close(&self) {
        self.processes.close();
    }
}
