//! One run of a module, from its start to its stop. Whoever uses it holds it: a call while it runs,
//! a dependent module for the whole of its own life. A life that is retired is stopped once nobody
//! holds it any more, so dependents stop first, and a call never sees the floor go.

use crate::gate::Gate;
use crate::ground::Ground;
use crate::permit::Permit;
use crate::stops;
use model::{Caller, Fault, Limits, ModuleName, RaisedError};
use parking_lot::Mutex;
use script::{CallFailure, Hook, Script, Started, Turn};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// No call comes to a retired life any more, apart from those that have just looked it up.
const RETIRED: usize = 1 << (usize::BITS - 1);
/// Its `stop` has begun.
const CLOSED: usize = 1 << (usize::BITS - 2);

const STOP_TIME: Duration = Duration::from_secs(10);

pub(crate) struct Life {
    pub(crate) module: ModuleName,
    pub(crate) script: Arc<Script>,
    pub(crate) started: Started,
    folder: usize,
    /// A single file has no hooks: its functions may have any name.
    has_hooks: bool,
    pub(crate) permit: Arc<Permit>,
    ground: Arc<Ground>,
    /// Later ones have larger numbers.
    pub(crate) born: u64,
    /// How many hold it, and the two marks.
    holds: AtomicUsize,
    /// The lives it was started with; let go when it has stopped.
    leans_on: Mutex<Vec<Visit>>,
    /// Threads of it that ignore their deadline.
    pub(crate) abandoned: AtomicUsize,
    /// What went wrong last in one of its calls.
    last_error: Mutex<Option<LastError>>,
}

/// A call that failed, for status.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LastError {
    /// The tool, the prompt or the URI.
    pub of: String,
    pub message: String,
    /// What the author gave with `error(kind, …)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// With the place and the excerpt.
    pub report: String,
}

/// Keeps a life from being stopped.
pub(crate) struct Visit(Arc<Life>);

impl Life {
    #[expect(clippy::too_many_arguments, reason = "one place makes it, from a plan")]
    pub(crate) fn new(
        module: ModuleName,
        folder: usize,
        script: Arc<Script>,
        has_hooks: bool,
        started: Started,
        leans_on: Vec<Visit>,
        permit: Arc<Permit>,
        ground: Arc<Ground>,
    ) -> Arc<Self> {
        if has_hooks && script.has(Hook::Stop) {
            ground.lives.begin();
        }
        Arc::new(Self {
            module,
            script,
            started,
            folder,
            has_hooks,
            born: ground.stops.birth(),
            permit,
            ground,
            holds: AtomicUsize::new(0),
            leans_on: Mutex::new(leans_on),
            abandoned: AtomicUsize::new(0),
            last_error: Mutex::default(),
        })
    }

    pub(crate) fn failed(&self, error: LastError) {
        *self.last_error.lock() = Some(error);
    }

    pub(crate) fn last_error(&self) -> Option<LastError> {
        self.last_error.lock().clone()
    }

    pub(crate) fn has(&self, hook: Hook) -> bool {
        self.has_hooks && self.script.has(hook)
    }

    /// `None` when it is over: there is a newer one, or none.
    pub(crate) fn enter(self: &Arc<Self>) -> Option<Visit> {
        if self.holds.fetch_add(1, Ordering::AcqRel) & CLOSED == 0 {
            return Some(Visit(Arc::clone(self)));
        }
        self.holds.fetch_sub(1, Ordering::AcqRel);
        None
    }

    /// No newcomers are sent here any more. Call it after the catalog without it is served.
    pub(crate) fn retire(self: &Arc<Self>) {
        self.holds.fetch_or(RETIRED, Ordering::AcqRel);
        self.ground.answers.forget(|key| key.life == self.born);
        self.close_if_unused();
    }

    fn close_if_unused(self: &Arc<Self>) {
        let closed = self.holds.compare_exchange(
            RETIRED,
            RETIRED | CLOSED,
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        if closed.is_err() {
            return;
        }
        if !self.has(Hook::Stop) {
            self.end();
            return;
        }
        stops::stop(&self.ground, self);
    }

    pub(crate) fn stop_time(&self) -> Duration {
        STOP_TIME.min(self.ground.limits.time)
    }

    /// Runs the hook; what goes wrong there is for the log, since nobody can use it any more.
    pub(crate) fn stop(&self) {
        let limits = Limits { time: self.stop_time(), ..(*self.ground.limits).clone() };
        let caller = Caller::default();
        let outcome = self.turn(&limits, &caller, |turn| self.script.stop(turn));
        if let Err(failure) = outcome {
            stops::log_failure(&self.module, &fault(failure));
        }
    }

    /// Lets go of what it was started with.
    pub(crate) fn end(&self) {
        let leans_on = std::mem::take(&mut *self.leans_on.lock());
        drop(leans_on);
        if self.has(Hook::Stop) {
            self.ground.lives.end();
        }
    }

    /// A hook's turn: it may log and keep state, but there is no client to tell of progress.
    pub(crate) fn turn<T>(
        &self,
        limits: &Limits,
        caller: &Caller,
        work: impl FnOnce(&Turn<'_>) -> T,
    ) -> T {
        let folder = &self.ground.folders[self.folder];
        let gate = Gate {
            updates: Some(&self.ground.updates),
            ..Gate::new(self.module.as_str(), folder, &self.permit, &self.ground)
        };
        work(&Turn { caller, started: &self.started, ..Turn::new(&gate, limits) })
    }
}

impl Visit {
    pub(crate) fn life(&self) -> &Arc<Life> {
        &self.0
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        if self.0.holds.fetch_sub(1, Ordering::AcqRel) == RETIRED + 1 {
            self.0.close_if_unused();
        }
    }
}

/// What went wrong in a hook, for its author.
pub(crate) fn fault(failure: CallFailure) -> Fault {
    match failure {
        CallFailure::Failed { mut fault, raised } => {
            if let Some(raised) = raised {
                fault.message = raised.with_kind();
                fault.raised = Some(Box::new(RaisedError { kind: raised.kind, data: raised.data }));
            }
            fault
        }
        CallFailure::Stopped { fault, .. } => fault,
        CallFailure::NeedsThread => Fault::new("a hook was given up as if it were a trial"),
        CallFailure::Asks => Fault::new("a hook has nobody to ask"),
    }
}
