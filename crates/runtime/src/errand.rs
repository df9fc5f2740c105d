//! A script's work on a thread of the pool: a place among the others, a deadline, and a caller who
//! may go away.

use crate::life::{LastError, Life};
use crate::runtime::Runtime;
use crate::stats::Stats;
use model::{Caller, Fault, Limits, ModuleName, Stop};
use script::{CallFailure, Cancel, Raised};
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tracing::Span;

/// A thread gets this long to notice that its time is up; then nobody waits for it any more.
pub(crate) const GRACE: Duration = Duration::from_millis(500);

pub(crate) struct Errand {
    pub(crate) runtime: Runtime,
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
    Busy {
        waiting: usize,
        limit: &'static str,
    },
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
            Self::Asks | Self::Busy { .. } => return,
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
    pub(crate) async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce(Cancel) -> Result<T, CallFailure> + Send + 'static,
    ) -> Result<T, Ended> {
        let place = tokio::select! {
            place = self.runtime.admit(self.of.as_ref(), self.limits.time) => place?,
            () = self.cancel.cancelled() => return Err(self.stopped(Stop::Cancelled)),
        };
        let cancel = Cancel::default();
        let _ends_with_the_future = CancelOnDrop(cancel.clone());
        let (answer, mut answered) = oneshot::channel();
        let (name, told) = (self.name.clone(), cancel.clone());
        let span = Span::current();
        let started = self.runtime.pool().run(move || {
            // Left before the answer is given: whoever logs the end of the request comes last.
            let result = span.in_scope(|| work(told));
            drop(span);
            // The place is given back when the thread is free, not when the caller stops waiting.
            drop(place);
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
        cancel.cancel();
        if let Ok(result) = tokio::time::timeout(GRACE, &mut answered).await {
            return if cancelled {
                received(result)
            } else {
                self.stopped_or(result)
            };
        }
        Err(self.give_up(answered, cancelled))
    }

    /// The thread does not come back: count it, and answer without it.
    fn give_up<T: Send + 'static>(
        &self,
        answered: oneshot::Receiver<Result<T, CallFailure>>,
        cancelled: bool,
    ) -> Ended {
        let stats = Arc::clone(self.runtime.stats());
        Stats::add(&stats.stuck);
        tracing::warn!(tool = %self.name, "a call does not end; its thread is left behind");
        tokio::spawn(async move {
            let _ = answered.await;
            Stats::sub(&stats.stuck);
        });
        self.stopped(if cancelled {
            Stop::Cancelled
        } else {
            Stop::Deadline
        })
    }

    /// A script that was told to end when its time was up reports a cancel; the caller sees the deadline.
    fn stopped_or<T>(&self, answer: Answer<T>) -> Result<T, Ended> {
        match received(answer) {
            Err(Ended::Stopped {
                stop: Stop::Cancelled,
                mut fault,
            }) => {
                fault.message = Stop::Deadline.sentence(&self.limits);
                Err(Ended::Stopped {
                    stop: Stop::Deadline,
                    fault,
                })
            }
            other => other,
        }
    }

    fn stopped(&self, stop: Stop) -> Ended {
        let fault = Fault::new(stop.sentence(&self.limits));
        Ended::Stopped { stop, fault }
    }
}

fn received<T>(answer: Answer<T>) -> Result<T, Ended> {
    match answer {
        Ok(result) => result.map_err(Ended::from),
        Err(_) => Err(Ended::failed(
            "the call's thread ended without an answer".into(),
        )),
    }
}

/// A caller that goes away ends its call.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
