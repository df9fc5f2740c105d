//! How a task ended.

use super::failure::Failure;
use super::limits::PlanLimits;
use super::task::Task;
use model::show_duration;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Ok,
    Error,
    Skipped,
    Cancelled,
}

impl Status {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What ends a run before its tasks do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halt {
    /// The caller took it back.
    Cancelled,
    /// It took as long as a batch may.
    OutOfTime,
}

impl Halt {
    fn failure(self, limits: &PlanLimits) -> Failure {
        match self {
            Self::Cancelled => Failure::new("cancelled", "the batch was cancelled"),
            Self::OutOfTime => Failure::new(
                "timeout",
                format!(
                    "the batch was stopped after {}, the time one batch may take",
                    show_duration(limits.batch_time)
                ),
            ),
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Ended {
    pub(super) status: Status,
    pub(super) took: Duration,
    pub(super) result: Option<Arc<Value>>,
    /// The result in compact form, where some reference needs it.
    pub(super) compact: Option<Value>,
    /// Of the whole task, or of single items of its `foreach`.
    pub(super) errors: Vec<(Option<usize>, Failure)>,
    /// Of a `foreach`, the places in its list of results that are null because their item failed.
    pub(super) failed: Vec<usize>,
    /// What those that depend on it are told.
    pub(super) lack: Option<Lack>,
}

/// Why there is no result, for whoever depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lack {
    Failed,
    /// Its `when` does not hold.
    Unwanted,
    /// It was skipped itself, because of the task at this place.
    Behind {
        root: usize,
        failed: bool,
    },
}

impl Ended {
    pub(super) fn ok(result: Value, took: Duration) -> Self {
        Self {
            status: Status::Ok,
            took,
            result: Some(Arc::new(result)),
            compact: None,
            errors: Vec::new(),
            failed: Vec::new(),
            lack: None,
        }
    }

    pub(super) fn failed(failure: Failure, took: Duration) -> Self {
        Self {
            lack: Some(Lack::Failed),
            ..Self::without_result(Status::Error, took, Some(failure))
        }
    }

    pub(super) fn unwanted() -> Self {
        Self {
            lack: Some(Lack::Unwanted),
            ..Self::without_result(Status::Skipped, Duration::ZERO, None)
        }
    }

    pub(super) fn cancelled(halt: Halt, limits: &PlanLimits, took: Duration) -> Self {
        Self::without_result(Status::Cancelled, took, Some(halt.failure(limits)))
    }

    /// Because of what the task at `place` lacks.
    pub(super) fn skipped(lack: Lack, place: usize, tasks: &[Task]) -> Self {
        let name = |place: usize| tasks.get(place).map_or("", |task| task.id.as_str());
        let (root, failed, way) = match lack {
            Lack::Failed => (place, true, String::new()),
            Lack::Unwanted => (place, false, String::new()),
            Lack::Behind { root, failed } => {
                (root, failed, format!("`{}` was skipped: ", name(place)))
            }
        };
        let what = if failed { "failed" } else { "was not wanted by its `when`" };
        let message = format!("skipped because {way}`{}` {what}", name(root));
        Self {
            lack: Some(Lack::Behind { root, failed }),
            ..Self::without_result(
                Status::Skipped,
                Duration::ZERO,
                Some(Failure::new("skipped", message)),
            )
        }
    }

    fn without_result(status: Status, took: Duration, failure: Option<Failure>) -> Self {
        Self {
            status,
            took,
            result: None,
            compact: None,
            errors: failure.map(|failure| (None, failure)).into_iter().collect(),
            failed: Vec::new(),
            lack: None,
        }
    }
}
