//! A script's work on a thread of the pool: a place among the others, a deadline, and a caller who
//! may go away.

use crate::abandoned::{NestedVisit, ThreadLease};
use crate::life::{LastError, Life, Visit};
use crate::overload::Overload;
use crate::runtime::{Place, Runtime};
use crate::supervised::GRACE;
use model::{Caller, Fault, Limits, MemoryShare, ModuleName, Stop};
use script::{CallFailure, Cancel, Raised};
use std::fmt::Display;
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

/// Why there is no result.
pub(crate) enum Ended {
    Failed {
        fault: Fault,
        raised: Option<Raised>,
    },
    Stopped {
        stop: Stop,
        fault: Fault,
    },
    /// It goes on when the client has answered.
    Asks,
    Busy(Overload),
}

impl From<CallFailure> for Ended {
    fn from(failure: CallFailure) -> Self {
        match failure {
            CallFailure::Failed { fault, raised } => Self::Failed { fault, raised },
            CallFailure::Stopped { stop, fault } => Self::Stopped { stop, fault },
            CallFailure::Asks => Self::Asks,
            CallFailure::NeedsThread => {
                Self::failed("the call was given up as if it were a trial".into())
            }
        }
    }
}

impl Ended {
    /// The author reads what the caller does not: the place, and what was raised.
    pub(crate) fn report(&self, name: &impl Display, life: &Life) {
        let (fault, raised) = match self {
            Self::Failed { fault, raised } => (fault, raised.as_ref()),
            Self::Stopped { fault, .. } => (fault, None),
            Self::Asks | Self::Busy(_) => return,
        };
        match raised {
            Some(raised) => {
                tracing::debug!(target: "script", "{name} failed: {fault} {}", raised.with_kind());
            }
            None => tracing::debug!(target: "script", "{name} failed: {fault}"),
        }
        life.failed(LastError {
            of: name.to_string(),
            message: fault.message.clone(),
            kind: raised.map(|raised| raised.kind.clone()),
            data: raised.map(|raised| raised.data.clone()),
            report: fault.to_string(),
        });
    }

    fn failed(message: String) -> Self {
        Self::Failed {
            fault: Fault::new(message),
            raised: None,
        }
    }
}

type Answer<T> = Result<Result<T, CallFailure>, oneshot::error::RecvError>;

impl Errand {
    /// Runs the work no longer than this, the wait for a thread included.
    pub(crate) async fn run_within<T: Send + 'static>(
        self,
        timeout: Option<Duration>,
        work: impl FnOnce(Cancel, &CallThread) -> Result<T, CallFailure> + Send + 'static,
    ) -> Result<T, Ended> {
        let Some(time) = timeout else {
            return self.run(work).await;
        };
        let limits = Arc::clone(&self.limits);
        let result = tokio::time::timeout(time, self.run(work)).await;
        result.unwrap_or_else(|_| {
            let limits = Limits {
                time,
                ..(*limits).clone()
            };
            Err(stopped(Stop::Deadline, &limits))
        })
    }

    pub(crate) async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce(Cancel, &CallThread) -> Result<T, CallFailure> + Send + 'static,
    ) -> Result<T, Ended> {
        let place = tokio::select! {
            place = self.runtime.admit(self.of.as_ref(), self.limits.time) => place?,
            () = self.cancel.cancelled() => return Err(stopped(Stop::Cancelled, &self.limits)),
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
            return Err(Ended::failed(format!(
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
        let stop = if cancelled {
            Stop::Cancelled
        } else {
            Stop::Deadline
        };
        match result {
            Ok(result) if cancelled => received(result),
            Ok(result) => stopped_or(result, &self.limits),
            Err(_) => {
                watchdog.abandon();
                Err(stopped(stop, &self.limits))
            }
        }
    }
}

/// A script that was told to end when its time was up reports a cancel; the caller sees the deadline.
fn stopped_or<T>(answer: Answer<T>, limits: &Limits) -> Result<T, Ended> {
    match received(answer) {
        Err(Ended::Stopped {
            stop: Stop::Cancelled,
            mut fault,
        }) => {
            fault.message = Stop::Deadline.sentence(limits);
            Err(Ended::Stopped {
                stop: Stop::Deadline,
                fault,
            })
        }
        other => other,
    }
}

fn stopped(stop: Stop, limits: &Limits) -> Ended {
    let fault = Fault::new(stop.sentence(limits));
    Ended::Stopped { stop, fault }
}

fn received<T>(answer: Answer<T>) -> Result<T, Ended> {
    match answer {
        Ok(result) => result.map_err(Ended::from),
        Err(_) => Err(Ended::failed(
            "the call's thread ended without an answer".into(),
        )),
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
