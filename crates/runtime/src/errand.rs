//! A script's work on a thread of the pool: a place among the others, a deadline, and a caller who
//! may go away.

use crate::abandoned::{NestedVisit, ThreadLease};
use crate::life::Visit;
use crate::request::RequestErrorKind;
use crate::runtime::{Place, Runtime};
use crate::supervised::GRACE;
use model::{Caller, Limits, MemoryShare, ModuleName, Stop};
use script::{CallFailure, Cancel};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tracing::Span;

/// What the thread of a call holds.
type CallLease = ThreadLease<Place>;

/// The thread that a call runs on, for the calls that it makes itself.
pub(crate) struct CallThread {
    lease: CallLease,
    pub(crate) memory: MemoryShare,
}

impl CallThread {
    /// A call that this thread makes of another module.
    pub(crate) fn enter(&self, visit: Visit) -> NestedVisit<'_, Place> {
        self.lease.enter(visit)
    }
}

pub(crate) struct Errand {
    pub(crate) runtime: Runtime,
    /// Keeps the module from being stopped.
    pub(crate) visit: Option<Visit>,
    /// Whose call, and of which module: both may have few places. Nobody's, where it only ends one.
    pub(crate) of: Option<(Caller, ModuleName)>,
    pub(crate) limits: Arc<Limits>,
    /// What the log calls it.
    pub(crate) name: String,
    pub(crate) cancel: CancellationToken,
}

type Answer<T> = Result<Result<T, CallFailure>, oneshot::error::RecvError>;

impl Errand {
    /// Runs the work no longer than this, the wait for a thread included.
    pub(crate) async fn run_within<T: Send + 'static>(
        self,
        timeout: Option<Duration>,
        work: impl FnOnce(Cancel, &CallThread) -> Result<T, CallFailure> + Send + 'static,
    ) -> Result<T, RequestErrorKind> {
        let Some(time) = timeout else {
            return self.run(work).await;
        };
        let limits = Arc::clone(&self.limits);
        let result = tokio::time::timeout(time, self.run(work)).await;
        result.unwrap_or_else(|_| {
            let limits = Limits { time, ..(*limits).clone() };
            Err(RequestErrorKind::stopped(Stop::Deadline, &limits))
        })
    }

    pub(crate) async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce(Cancel, &CallThread) -> Result<T, CallFailure> + Send + 'static,
    ) -> Result<T, RequestErrorKind> {
        let place = tokio::select! {
            place = self.runtime.admit(self.of.as_ref(), self.limits.time) => place?,
            () = self.cancel.cancelled() => return Err(RequestErrorKind::stopped(Stop::Cancelled, &self.limits)),
        };
        let memory = place.memory.clone();
        let (lease, thread) = ThreadLease::new(place, self.visit);
        let watchdog = Watchdog {
            runtime: self.runtime,
            name: self.name,
            lease: lease.clone(),
            cancel: Cancel::default(),
        };
        let (answer, mut answered) = oneshot::channel();
        let (name, told) = (watchdog.name.clone(), watchdog.cancel.clone());
        let span = Span::current();
        let slot = watchdog.runtime.pool().slot(told.clone());
        let started = watchdog.runtime.pool().run(move || {
            let computing = slot.begin();
            // Left before the answer is given: whoever logs the end of the request comes last.
            let here = CallThread { lease, memory };
            let result = span.in_scope(|| work(told, &here));
            drop(span);
            drop(computing);
            drop(thread);
            if answer.send(result).is_err() {
                tracing::debug!(tool = %name, "a call ended after its caller had gone");
            }
        });
        if let Err(error) = started {
            return Err(RequestErrorKind::failed(format!(
                "no thread could be started for the call: {error}"
            )));
        }
        let cancelled = tokio::select! {
            result = &mut answered => return received(result),
            () = self.cancel.cancelled() => true,
            () = tokio::time::sleep(self.limits.time) => false,
        };
        watchdog.cancel.cancel();
        let result = tokio::time::timeout(GRACE, &mut answered).await;
        let stop = if cancelled { Stop::Cancelled } else { Stop::Deadline };
        match result {
            Ok(result) if cancelled => received(result),
            Ok(result) => stopped_or(result, &self.limits),
            Err(_) => {
                watchdog.abandon();
                Err(RequestErrorKind::stopped(stop, &self.limits))
            }
        }
    }
}

/// A script that was told to end when its time was up reports a cancel; the caller sees the deadline.
fn stopped_or<T>(answer: Answer<T>, limits: &Limits) -> Result<T, RequestErrorKind> {
    match received(answer) {
        Err(RequestErrorKind::Stopped { stop: Stop::Cancelled, mut fault }) => {
            fault.message = Stop::Deadline.sentence(limits);
            Err(RequestErrorKind::Stopped { stop: Stop::Deadline, fault })
        }
        other => other,
    }
}

fn received<T>(answer: Answer<T>) -> Result<T, RequestErrorKind> {
    match answer {
        Ok(result) => result.map_err(RequestErrorKind::from),
        Err(_) => Err(RequestErrorKind::failed("the call's thread ended without an answer")),
    }
}

/// Watches the thread of a call. A caller that goes away ends its call; the thread is abandoned if it
/// does not react.
struct Watchdog {
    runtime: Runtime,
    /// What the log calls it.
    name: String,
    lease: CallLease,
    cancel: Cancel,
}

impl Watchdog {
    fn abandon(&self) {
        abandon(&self.runtime, &self.lease, &self.name);
    }
}

fn abandon(runtime: &Runtime, lease: &CallLease, name: &str) {
    if lease.abandon(|life| runtime.abandon(life)) {
        tracing::warn!(tool = %name, "call ignores timeout or cancellation; abandoned its thread");
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        if !self.lease.is_working() {
            return;
        }
        self.cancel.cancel();
        let (runtime, lease) = (self.runtime.clone(), self.lease.clone());
        let name = std::mem::take(&mut self.name);
        if let Ok(executor) = Handle::try_current() {
            executor.spawn(async move {
                tokio::time::sleep(GRACE).await;
                abandon(&runtime, &lease, &name);
            });
        }
    }
}
