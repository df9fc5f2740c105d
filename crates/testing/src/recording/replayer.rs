//! The world as it was when it was recorded. Nothing else answers: no server, no command, no database.

use super::answer::{Answer, Said};
use super::hidden::Hidden;
use super::recorder::real_roots;
use super::request::Request;
use super::{Exchange, Recording};
use model::{
    Egress, ExecRequest, ExecResult, Fault, HostError, HttpRequest, HttpResponse, Leash, Secret,
    SecretName, SecretStamp, Source, SqlAnswer, SqlRequest, Surroundings, World, nearest,
};
use parking_lot::Mutex;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) struct Replayer {
    /// For the disk, which is not recorded.
    real: Arc<dyn World>,
    roots: Vec<PathBuf>,
    recording: Recording,
    /// What the test itself gives, and what the recording gives.
    pub(super) hidden: Hidden,
    test: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Which of the exchanges were asked for.
    used: Vec<bool>,
    unanswered: Vec<String>,
}

impl Replayer {
    pub(super) fn new<'r>(
        real: Arc<dyn World>,
        roots: impl Iterator<Item = &'r Path>,
        recording: Recording,
        test: &str,
    ) -> Self {
        let hidden = Hidden::default();
        for stand_in in recording.env.values().chain(recording.secrets.values()) {
            hidden.known(stand_in);
        }
        let state = State { used: vec![false; recording.exchanges.len()], unanswered: Vec::new() };
        Self {
            roots: real_roots(&*real, roots),
            real,
            recording,
            hidden,
            test: test.to_owned(),
            state: Mutex::new(state),
        }
    }

    /// A request that the recording does not answer.
    pub(crate) fn unanswered(&self) -> Option<String> {
        self.state.lock().unanswered.first().cloned()
    }

    /// What was recorded and not asked for.
    pub(crate) fn unused(&self) -> Option<Fault> {
        let state = self.state.lock();
        let all = self.recording.exchanges.iter().zip(&state.used);
        let unused = all.filter(|(_, used)| !**used);
        let mut unused = unused.map(|(exchange, _)| exchange.request.shown());
        let mut lines = vec![format!("the recorded `{}` was never asked for", unused.next()?)];
        lines.extend(unused.map(|other| format!("nor was `{other}`")));
        let fault = Fault::new(lines.join("\n"));
        Some(fault.help(format!("`{}` records anew", self.again())))
    }

    fn again(&self) -> String {
        format!("larkspur test --record -k {}", self.test)
    }

    fn play<T: Said>(&self, request: Request) -> Result<T, HostError> {
        let plain = serde_json::to_value(&request);
        let covered = plain.map(|plain| serde_json::from_value(self.hidden.cover(plain)));
        let request = match covered {
            Ok(Ok(covered)) => covered,
            _ => request,
        };
        let Some(answer) = self.next(&request) else {
            return Err(self.refuse(&request));
        };
        let shown = |answer: &Answer| -> Result<Answer, String> {
            let covered = serde_json::to_value(answer).map_err(|error| error.to_string())?;
            let shown: Value = self.hidden.uncover(covered);
            serde_json::from_value(shown).map_err(|error| error.to_string())
        };
        match shown(&answer).map_err(HostError)? {
            Answer::Error(why) => Err(HostError(why)),
            answer => T::say(&answer, &request).map_err(HostError),
        }
    }

    /// Each that fits in turn, and the last of them from then on.
    fn next(&self, request: &Request) -> Option<Answer> {
        let mut state = self.state.lock();
        let all = self.recording.exchanges.iter().enumerate();
        let fits = |(_, exchange): &(usize, &Exchange)| exchange.request.is_same(request);
        let all: Vec<usize> = all.filter(fits).map(|(at, _)| at).collect();
        let fresh = all.iter().copied().find(|at| !state.used[*at]);
        let at = fresh.or(all.last().copied())?;
        state.used[at] = true;
        Some(self.recording.exchanges[at].answer.clone())
    }

    fn refuse(&self, request: &Request) -> HostError {
        let asked = request.shown();
        let all = self.recording.exchanges.iter().map(|e| &e.request);
        let kin: Vec<String> = all.filter(|r| r.is_kin(request)).map(Request::shown).collect();
        let near = nearest(&asked, kin.iter().map(String::as_str));
        let near = near.first();
        let near = near.map_or_else(String::new, |near| format!("; the nearest is `{near}`"));
        let why = format!(
            "the recording does not answer `{asked}`{near}; `{}` records anew",
            self.again()
        );
        self.state.lock().unanswered.push(why.clone());
        HostError(why)
    }
}

impl World for Replayer {
    fn behind(&self) -> Option<&dyn World> {
        Some(&*self.real)
    }

    fn now_ms(&self) -> i64 {
        let clock = self.recording.clock;
        clock.unwrap_or_else(|| self.real.now_ms())
    }

    fn http(
        &self,
        request: &HttpRequest,
        _: &Egress,
        _: &Leash,
    ) -> Result<HttpResponse, HostError> {
        self.play(Request::http(request))
    }

    fn exec(
        &self,
        request: &ExecRequest,
        _: &Surroundings,
        _: &Leash,
    ) -> Result<ExecResult, HostError> {
        self.play(Request::exec(request, &self.roots))
    }

    fn sql(
        &self,
        source: &Source,
        request: &SqlRequest,
        _: &Leash,
    ) -> Result<SqlAnswer, HostError> {
        self.play(Request::sql(source, request, &self.roots))
    }

    /// No child is started that could read it.
    fn env(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.recording.env.get(name).cloned()
    }

    fn secret(&self, wanted: &SecretName<'_>, _: &Leash) -> Result<Secret, HostError> {
        let SecretName { module, name, .. } = wanted;
        if let Some(stand_in) = self.recording.secrets.get(*name) {
            return Ok(Secret::new(stand_in));
        }
        Err(HostError(format!(
            "the secret `{name}` of module `{module}` is not in the recording; `{}` records anew",
            self.again()
        )))
    }

    /// One that was never sent was never recorded.
    fn has_secret(&self, _: &SecretName<'_>) -> Result<(), HostError> {
        Ok(())
    }

    /// Results are never cached in a test.
    fn secret_stamp(&self, _: &SecretName<'_>) -> Result<Option<SecretStamp>, HostError> {
        Ok(None)
    }
}
