//! The world as a test sees it: its folder can be read, what it prints is kept, and so is the state
//! it keeps, as long as the test runs.

use model::{
    Ability, Args, Database, ExecRequest, ExecResult, Host, HostError, HttpRequest, HttpResponse,
    Leash, Level, Output, Question, SqlAnswer, SqlRequest, Stored, Unanswered,
};
use script::Sources;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Bytes kept of what one test prints.
const MOST_OUTPUT: usize = 64 << 10;

pub(crate) struct Fake<'a> {
    files: &'a (dyn Sources + Sync),
    printed: Mutex<Printed>,
    state: Mutex<BTreeMap<String, Stored>>,
    /// How many bytes were drawn: the same test draws the same ones each time.
    drawn: AtomicU64,
}

#[derive(Default)]
struct Printed {
    lines: Vec<String>,
    bytes: usize,
    left_out: usize,
}

impl<'a> Fake<'a> {
    pub(crate) fn new(files: &'a (dyn Sources + Sync)) -> Self {
        Self {
            files,
            printed: Mutex::default(),
            state: Mutex::default(),
            drawn: AtomicU64::new(0),
        }
    }

    fn state(&self) -> MutexGuard<'_, BTreeMap<String, Stored>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was printed and logged, in order.
    pub(crate) fn into_lines(self) -> Vec<String> {
        let printed = self
            .printed
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let mut lines = printed.lines;
        if printed.left_out > 0 {
            lines.push(format!("… and {} more lines", printed.left_out));
        }
        lines
    }
}

impl Printed {
    fn add(&mut self, line: String) {
        if self.left_out > 0 || self.bytes + line.len() > MOST_OUTPUT {
            self.left_out += 1;
            return;
        }
        self.bytes += line.len();
        self.lines.push(line);
    }
}

impl Host for Fake<'_> {
    fn log(&self, level: Level, message: &str, fields: &Value) {
        let line = match fields.as_object() {
            // `print` has no level and no fields.
            None => message.to_owned(),
            Some(fields) if fields.is_empty() => format!("{} {message}", word(level)),
            Some(_) => format!("{} {message} {fields}", word(level)),
        };
        self.printed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .add(line);
    }

    fn progress(&self, _done: f64, _total: Option<f64>, _message: Option<&str>) {}

    fn resource_updated(&self, _uri: &str) {}

    fn read(&self, path: &str) -> Result<String, HostError> {
        self.files
            .read(&path.to_owned())
            .map_err(|why| HostError(format!("cannot read {path}: {why}")))
    }

    fn now_ms(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |time| i64::try_from(time.as_millis()).unwrap_or(0))
    }

    /// Tests do not wait.
    fn sleep(&self, _time: Duration, _leash: &Leash) {}

    fn random(&self, count: usize) -> Result<Vec<u8>, HostError> {
        let draw = |_| scattered(self.drawn.fetch_add(1, Ordering::Relaxed));
        Ok((0..count).map(draw).collect())
    }

    fn http(&self, request: &HttpRequest, _leash: &Leash) -> Result<HttpResponse, HostError> {
        Err(HostError(format!(
            "there is no network here to reach {}",
            request.url
        )))
    }

    fn exec(&self, request: &ExecRequest, _leash: &Leash) -> Result<ExecResult, HostError> {
        Err(HostError(format!("there is no `{}` here", request.command)))
    }

    fn sql(
        &self,
        _database: &Database,
        _request: &SqlRequest,
        _leash: &Leash,
    ) -> Result<SqlAnswer, HostError> {
        Err(HostError("there are no databases here".into()))
    }

    fn env(&self, _name: &str) -> Result<Option<String>, HostError> {
        Ok(None)
    }

    fn file_read(&self, path: &str) -> Result<String, HostError> {
        Err(HostError(format!("there is no {path}")))
    }

    fn file_list(&self, path: &str) -> Result<Vec<String>, HostError> {
        Err(HostError(format!("there is no {path}")))
    }

    fn file_exists(&self, _path: &str) -> Result<bool, HostError> {
        Ok(false)
    }

    fn file_write(&self, path: &str, _text: &str) -> Result<(), HostError> {
        Err(HostError(format!("{path} cannot be written here")))
    }

    fn state_get(&self, key: &str) -> Result<Option<Stored>, HostError> {
        Ok(self.state().get(key).cloned())
    }

    fn state_put(
        &self,
        key: &str,
        value: &Value,
        expected: Option<u64>,
    ) -> Result<bool, HostError> {
        let mut state = self.state();
        let version = state.get(key).map_or(0, |stored| stored.version);
        if expected.is_some_and(|expected| expected != version) {
            return Ok(false);
        }
        let stored = Stored {
            value: value.clone(),
            version: version + 1,
        };
        state.insert(key.to_owned(), stored);
        Ok(true)
    }

    fn state_delete(&self, key: &str) -> Result<bool, HostError> {
        Ok(self.state().remove(key).is_some())
    }

    fn state_list(&self, prefix: &str) -> Result<Vec<String>, HostError> {
        let state = self.state();
        let keys = state.keys().filter(|key| key.starts_with(prefix));
        Ok(keys.cloned().collect())
    }

    fn call(&self, tool: &str, _args: Args) -> Result<Output, Unanswered> {
        Err(Unanswered::from(HostError(format!(
            "{tool} is not there: a test has no other tools"
        ))))
    }

    fn can_ask(&self, _ability: Ability) -> bool {
        false
    }

    fn ask(&self, _questions: &[Question], _leash: &Leash) -> Result<Vec<Value>, Unanswered> {
        Err(HostError("a test has no client whom it could ask".into()).into())
    }
}

/// A byte that looks like chance and is none: the last step of `SplitMix64`.
fn scattered(number: u64) -> u8 {
    let mut mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed >> 56) as u8
}

fn word(level: Level) -> &'static str {
    match level {
        Level::Debug => "debug",
        Level::Info => "info",
        Level::Warn => "warn",
        Level::Error => "error",
    }
}
