//! The world, with somebody who writes down what it answers.

use super::answer::{Answer, Said};
use super::hidden::Hidden;
use super::request::Request;
use super::{Exchange, Recording};
use model::{
    Egress, ExecRequest, ExecResult, HostError, HttpRequest, HttpResponse, Leash, Secret,
    SecretName, Source, SqlAnswer, SqlRequest, Surroundings, World, is_credential,
};
use parking_lot::Mutex;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

    fn take<T: Said>(&self, request: Request, said: Result<T, HostError>) -> Result<T, HostError> {
        let answer = Answer::of(&said, &request);
        self.taken.lock().exchanges.push(Exchange { request, answer });
        said
    }

    /// All that was taken down, without what nobody may read.
    pub(crate) fn recording(&self) -> Result<Recording, String> {
        let taken = self.taken.lock();
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
    fn behind(&self) -> Option<&dyn World> {
        Some(&*self.real)
    }

    fn now_ms(&self) -> i64 {
        let now = self.real.now_ms();
        self.taken.lock().clock.get_or_insert(now);
        now
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

    fn variable(&self, name: &str) -> Option<String> {
        let value = self.real.variable(name)?;
        let stand_in = self.hidden.variable(name, &value);
        self.taken.lock().env.insert(name.to_owned(), stand_in);
        Some(value)
    }

    fn secret(&self, wanted: &SecretName<'_>, leash: &Leash) -> Result<Secret, HostError> {
        let value = self.real.secret(wanted, leash)?;
        let stand_in = self.hidden.secret(wanted.name, value.expose());
        let name = wanted.name.to_owned();
        self.taken.lock().secrets.insert(name, stand_in);
        Ok(value)
    }

    fn close(&self) {
        self.real.close();
    }
}
