//! The world, with somebody who writes down what it answers.

use super::answer::{Answer, Said};
use super::hidden::Hidden;
use super::request::Request;
use super::{Exchange, Recording};
use model::{
    Egress, ExecRequest, ExecResult, HostError, HttpRequest, HttpResponse, Leash, Secret,
    SecretName, SecretStamp, Source, SqlAnswer, SqlRequest, Surroundings, World, is_credential,
};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Names under which servers give out what proves who is asking.
const GIVEN_OUT: [&str; 8] = [
    "access_token",
    "refresh_token",
    "id_token",
    "client_secret",
    "private_key",
    "api_key",
    "apikey",
    "password",
];

pub struct Recorder {
    real: Arc<dyn World>,
    /// The folders of modules, without links.
    roots: Vec<PathBuf>,
    pub(crate) hidden: Hidden,
    taken: Mutex<Recording>,
}

impl Recorder {
    pub fn new<'r>(real: Arc<dyn World>, roots: impl Iterator<Item = &'r Path>) -> Self {
        Self {
            roots: real_roots(&*real, roots),
            real,
            hidden: Hidden::default(),
            taken: Mutex::default(),
        }
    }

    /// What stands in for a setting, if it may not be read by everybody.
    pub fn stand_in(&self, name: &str, value: &str) -> String {
        self.hidden.variable(name, value)
    }

    fn taken(&self) -> MutexGuard<'_, Recording> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take<T: Said>(&self, request: Request, said: Result<T, HostError>) -> Result<T, HostError> {
        let answer = Answer::of(&said, &request);
        self.taken().exchanges.push(Exchange { request, answer });
        said
    }

    /// All that was taken down, without what nobody may read.
    pub(crate) fn recording(&self) -> Result<Recording, String> {
        let taken = self.taken();
        for exchange in &taken.exchanges {
            if let Answer::Http { body, .. } = &exchange.answer
                && let Some(json) = body.json()
            {
                self.learn(&json);
            }
        }
        let plain = serde_json::to_value(&taken.exchanges).map_err(|error| error.to_string())?;
        let covered = serde_json::from_value(self.hidden.cover(plain));
        Ok(Recording { exchanges: covered.map_err(|error| error.to_string())?, ..taken.clone() })
    }

    fn learn(&self, json: &Value) {
        match json {
            Value::Array(items) => items.iter().for_each(|item| self.learn(item)),
            Value::Object(map) => {
                for (key, value) in map {
                    match value {
                        Value::String(text) if GIVEN_OUT.contains(&key.as_str()) => {
                            self.hidden.given_out(key, text);
                        }
                        inner => self.learn(inner),
                    }
                }
            }
            _ => {}
        }
    }
}

/// As requests name what lies in them.
pub(super) fn real_roots<'r>(
    world: &dyn World,
    roots: impl Iterator<Item = &'r Path>,
) -> Vec<PathBuf> {
    roots
        .flat_map(|root| [world.real_path(root).ok(), Some(root.to_path_buf())])
        .flatten()
        .collect()
}

impl World for Recorder {
    fn now_ms(&self) -> i64 {
        let now = self.real.now_ms();
        self.taken().clock.get_or_insert(now);
        now
    }

    fn sleep(&self, time: Duration, leash: &Leash) {
        self.real.sleep(time, leash);
    }

    fn random(&self, count: usize) -> Result<Vec<u8>, HostError> {
        self.real.random(count)
    }

    fn http(
        &self,
        request: &HttpRequest,
        egress: &Egress,
        leash: &Leash,
    ) -> Result<HttpResponse, HostError> {
        let said = self.real.http(request, egress, leash);
        self.take(Request::http(request), said)
    }

    fn exec(
        &self,
        request: &ExecRequest,
        surroundings: &Surroundings,
        leash: &Leash,
    ) -> Result<ExecResult, HostError> {
        // A child may tell what it was given.
        for (name, value) in &surroundings.env {
            if is_credential(name) {
                self.hidden.variable(name, value);
            }
        }
        let said = self.real.exec(request, surroundings, leash);
        self.take(Request::exec(request, &self.roots), said)
    }

    fn sql(
        &self,
        source: &Source,
        request: &SqlRequest,
        leash: &Leash,
    ) -> Result<SqlAnswer, HostError> {
        if let Source::Postgres { url } = source {
            self.hidden.connection(url);
        }
        let said = self.real.sql(source, request, leash);
        self.take(Request::sql(source, request, &self.roots), said)
    }

    fn env(&self) -> Vec<(String, String)> {
        self.real.env()
    }

    fn variable(&self, name: &str) -> Option<String> {
        let value = self.real.variable(name)?;
        let stand_in = self.hidden.variable(name, &value);
        self.taken().env.insert(name.to_owned(), stand_in);
        Some(value)
    }

    fn secret(&self, wanted: &SecretName<'_>, leash: &Leash) -> Result<Secret, HostError> {
        let value = self.real.secret(wanted, leash)?;
        let stand_in = self.hidden.secret(wanted.name, value.expose());
        let name = wanted.name.to_owned();
        self.taken().secrets.insert(name, stand_in);
        Ok(value)
    }

    fn has_secret(&self, wanted: &SecretName<'_>) -> Result<(), HostError> {
        self.real.has_secret(wanted)
    }

    fn secret_stamp(&self, wanted: &SecretName<'_>) -> Result<Option<SecretStamp>, HostError> {
        self.real.secret_stamp(wanted)
    }

    fn file_read(&self, path: &Path) -> Result<String, HostError> {
        self.real.file_read(path)
    }

    fn file_list(&self, path: &Path) -> Result<Vec<String>, HostError> {
        self.real.file_list(path)
    }

    fn file_exists(&self, path: &Path) -> Result<bool, HostError> {
        self.real.file_exists(path)
    }

    fn file_write(&self, path: &Path, text: &str) -> Result<(), HostError> {
        self.real.file_write(path, text)
    }

    fn real_path(&self, path: &Path) -> Result<PathBuf, HostError> {
        self.real.real_path(path)
    }

    fn close(&self) {
        self.real.close();
    }
}
