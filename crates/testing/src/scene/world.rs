//! The world as a test sees it: what the test plays, and beyond that the disk, commands and
//! databases in files. The network is closed, unless the run is live.

use super::database::kind;
use super::props::Props;
use crate::printed::Printed;
use model::{
    Egress, ExecRequest, ExecResult, HostError, HttpRequest, HttpResponse, Leash, Level, Secret,
    SecretName, SecretStamp, Source, SqlAnswer, SqlRequest, Surroundings, World,
};
use parking_lot::{Mutex, MutexGuard};
use script::Kind;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Variables that commands need to run at all.
const NEEDED: [&str; 5] = ["PATH", "HOME", "USER", "LANG", "TMPDIR"];

pub(crate) struct Played {
    props: Mutex<Props>,
    printed: Mutex<Printed>,
    pub(super) real: Arc<dyn World>,
    live: bool,
    /// How many bytes were drawn: the same test draws the same ones each time.
    drawn: AtomicU64,
    /// Has anybody looked at the environment?
    env_read: AtomicBool,
}

impl Played {
    pub(crate) fn new(real: Arc<dyn World>, live: bool) -> Self {
        Self {
            props: Mutex::default(),
            printed: Mutex::default(),
            real,
            live,
            drawn: AtomicU64::new(0),
            env_read: AtomicBool::new(false),
        }
    }

    pub(super) fn props(&self) -> MutexGuard<'_, Props> {
        self.props.lock()
    }

    pub(crate) fn hear(&self, level: Level, message: &str, fields: &Value) {
        let mut printed = self.printed.lock();
        printed.log(level, message, fields);
    }

    /// What was printed and logged, in order.
    pub(crate) fn lines(&self) -> Vec<String> {
        let printed = self.printed.lock();
        printed.lines()
    }

    pub(crate) fn env_was_read(&self) -> bool {
        self.env_read.load(Ordering::Relaxed)
    }

    /// A request that nothing answers: the test fails for it, whatever the script makes of it.
    pub(super) fn unanswered(&self, kind: Kind, request: &str, way_out: &str) -> HostError {
        let mut props = self.props();
        let why = match props.nearest(kind, request) {
            Some(near) => format!("nothing answers `{request}`; the nearest is {near}"),
            None => format!("nothing answers `{request}`: {way_out}"),
        };
        props.unanswered.push(why.clone());
        HostError(why)
    }
}

impl World for Played {
    fn behind(&self) -> Option<&dyn World> {
        Some(&*self.real)
    }

    fn now_ms(&self) -> i64 {
        let props = self.props();
        let stands = props.stands.unwrap_or_else(|| self.real.now_ms());
        stands.saturating_add(props.gone_by)
    }

    fn in_turn(&self) -> bool {
        true
    }

    /// Nobody waits in a test, unless somebody real is waited for; the time goes by all the same.
    fn sleep(&self, time: Duration, leash: &Leash) {
        let millis = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        let mut props = self.props();
        if self.live && props.stands.is_none() {
            drop(props);
            return self.real.sleep(time, leash);
        }
        props.gone_by = props.gone_by.saturating_add(millis);
    }

    fn random(&self, count: usize) -> Result<Vec<u8>, HostError> {
        if self.live {
            return self.real.random(count);
        }
        let draw = |_| scattered(self.drawn.fetch_add(1, Ordering::Relaxed));
        Ok((0..count).map(draw).collect())
    }

    fn http(
        &self,
        request: &HttpRequest,
        egress: &Egress,
        leash: &Leash,
    ) -> Result<HttpResponse, HostError> {
        if self.live && !self.plays_request(request) {
            self.note_request(request);
            return self.real.http(request, egress, leash);
        }
        self.web(request, egress)
    }

    fn exec(
        &self,
        request: &ExecRequest,
        surroundings: &Surroundings,
        leash: &Leash,
    ) -> Result<ExecResult, HostError> {
        self.run(request, surroundings, leash)
    }

    fn sql(
        &self,
        source: &Source,
        request: &SqlRequest,
        leash: &Leash,
    ) -> Result<SqlAnswer, HostError> {
        let kind = kind(source);
        let is_open = kind == Kind::Sqlite || self.live;
        if is_open && !self.props().plays(kind) {
            self.note_statements(source, request);
            return self.real.sql(source, request, leash);
        }
        self.database(source, request)
    }

    /// Of our own, those that commands need; else what the test gives.
    fn env(&self) -> Vec<(String, String)> {
        let real = self.real.env().into_iter();
        let live = self.live;
        let needed = real.filter(|(name, _)| live || NEEDED.contains(&name.as_str()));
        let mut props = self.props();
        let given = props.env.iter_mut();
        let given: Vec<_> = given.map(|(name, given)| (name.clone(), given.take())).collect();
        let is_given = |name: &str| given.iter().any(|(known, _)| known == name);
        let mut all: Vec<_> = needed.filter(|(name, _)| !is_given(name)).collect();
        all.extend(given);
        all
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.env_read.store(true, Ordering::Relaxed);
        if let Some(given) = self.props().env.get_mut(name) {
            return Some(given.take());
        }
        self.live.then(|| self.real.variable(name)).flatten()
    }

    fn secret(&self, wanted: &SecretName<'_>, leash: &Leash) -> Result<Secret, HostError> {
        if let Some(given) = self.props().secrets.get_mut(wanted.name) {
            return Ok(Secret::new(given.take()));
        }
        if self.live {
            return self.real.secret(wanted, leash);
        }
        Err(unplayed(wanted))
    }

    fn has_secret(&self, wanted: &SecretName<'_>) -> Result<(), HostError> {
        if let Some(given) = self.props().secrets.get_mut(wanted.name) {
            given.take();
            return Ok(());
        }
        if self.live {
            return self.real.has_secret(wanted);
        }
        Err(unplayed(wanted))
    }

    /// Results are never cached in a test.
    fn secret_stamp(&self, _: &SecretName<'_>) -> Result<Option<SecretStamp>, HostError> {
        Ok(None)
    }

    fn file_read(&self, path: &Path) -> Result<String, HostError> {
        self.read_file(path)
    }

    fn file_list(&self, path: &Path) -> Result<Vec<String>, HostError> {
        self.list_file(path)
    }

    fn file_exists(&self, path: &Path) -> Result<bool, HostError> {
        self.exists_file(path)
    }

    fn file_write(&self, path: &Path, text: &str) -> Result<(), HostError> {
        self.write_file(path, text)
    }
}

/// A byte that looks like chance and is none: the last step of `SplitMix64`.
fn scattered(number: u64) -> u8 {
    let mut mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed >> 56) as u8
}

fn unplayed(wanted: &SecretName<'_>) -> HostError {
    let SecretName { module, name, .. } = wanted;
    HostError(format!(
        "the secret `{name}` of module `{module}` is not set; t.secret(\"{name}\", \"…\") plays it"
    ))
}
