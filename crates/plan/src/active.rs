//! A task under way: its one call, or one for each item of its `foreach`.

use super::ended::Ended;
use super::failure::Failure;
use super::task::{OnError, Task};
use serde_json::Value;
use std::time::Duration;

#[derive(Debug, Clone)]
pub(super) struct Active {
    pub(super) since: Duration,
    pub(super) units: Vec<Unit>,
    is_list: bool,
}

/// What is tried until it ends: the task, or one item.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    /// Its place in the list of a `foreach`.
    pub(super) item: Option<usize>,
    /// So far, the one under way included.
    pub(super) tries: u64,
    pub(super) phase: Phase,
    /// Memory of its arguments, once they have been made.
    pub(super) weight: usize,
    /// Its result in compact form, where some reference needs it.
    pub(super) compact: Option<Value>,
}

#[derive(Debug, Clone)]
pub(super) enum Phase {
    Ready,
    Running,
    /// Tried again then.
    Paused(Duration),
    Done(Result<Value, Failure>),
    /// The item's `when` does not hold.
    Unwanted,
}

impl Unit {
    fn new(item: Option<usize>) -> Self {
        Self { item, tries: 0, phase: Phase::Ready, weight: 0, compact: None }
    }

    fn is_open(&self) -> bool {
        matches!(self.phase, Phase::Ready | Phase::Paused(_) | Phase::Running)
    }

    fn is_running(&self) -> bool {
        matches!(self.phase, Phase::Running)
    }

    fn may_start(&self, now: Duration) -> bool {
        match self.phase {
            Phase::Ready => true,
            Phase::Paused(until) => until <= now,
            _ => false,
        }
    }
}

impl Active {
    pub(super) fn one(since: Duration) -> Self {
        Self { since, units: vec![Unit::new(None)], is_list: false }
    }

    pub(super) fn each(items: usize, since: Duration) -> Self {
        Self {
            since,
            units: (0..items).map(|index| Unit::new(Some(index))).collect(),
            is_list: true,
        }
    }

    /// The first that may start now.
    pub(super) fn next(&self, task: &Task, now: Duration) -> Option<usize> {
        if self.is_given_up(task) {
            return None;
        }
        self.units.iter().position(|unit| unit.may_start(now))
    }

    /// When the first pause ends.
    pub(super) fn wake(&self, task: &Task) -> Option<Duration> {
        let until = |unit: &Unit| match unit.phase {
            Phase::Paused(until) => Some(until),
            _ => None,
        };
        let pauses = self.units.iter().filter_map(until);
        pauses.min().filter(|_| !self.is_given_up(task))
    }

    /// An item has failed, and the others are not worth starting.
    fn is_given_up(&self, task: &Task) -> bool {
        let has_failed = |unit: &Unit| matches!(unit.phase, Phase::Done(Err(_)));
        task.on_error == OnError::Fail && self.units.iter().any(has_failed)
    }

    /// Is there nothing left to wait for?
    pub(super) fn is_over(&self, task: &Task) -> bool {
        if self.is_given_up(task) {
            return !self.units.iter().any(Unit::is_running);
        }
        !self.units.iter().any(Unit::is_open)
    }

    /// Memory of the arguments of calls under way.
    pub(super) fn weight(&self) -> usize {
        let running = self.units.iter().filter(|unit| unit.is_running());
        running.map(|unit| unit.weight).sum()
    }

    pub(super) fn has_not_begun(&self) -> bool {
        let mut units = self.units.iter();
        units.all(|unit| matches!(unit.phase, Phase::Ready) && unit.tries == 0)
    }

    /// How many have ended, of how many.
    pub(super) fn count(&self) -> (usize, usize) {
        let open = self.units.iter().filter(|unit| unit.is_open()).count();
        (self.units.len() - open, self.units.len())
    }

    pub(super) fn end(self, task: &Task, now: Duration) -> Ended {
        let took = now.saturating_sub(self.since);
        if self.is_list {
            return self.end_of_list(task, took);
        }
        let Some(unit) = self.units.into_iter().next() else {
            return Ended::unwanted();
        };
        match unit.phase {
            Phase::Done(Ok(result)) => Ended { compact: unit.compact, ..Ended::ok(result, took) },
            Phase::Done(Err(failure)) => Ended::failed(failure, took),
            _ => Ended::unwanted(),
        }
    }

    /// Results in the order of the items; null for one that failed and was let go, none for one
    /// that was not wanted.
    fn end_of_list(self, task: &Task, took: Duration) -> Ended {
        let given_up = self.is_given_up(task);
        let (mut results, mut failures, mut failed) = (Vec::new(), Vec::new(), Vec::new());
        let has_compact = self.units.iter().any(|unit| unit.compact.is_some());
        let mut compact = Vec::new();
        for (index, unit) in self.units.into_iter().enumerate() {
            match unit.phase {
                Phase::Done(Ok(result)) => {
                    if has_compact {
                        compact.push(unit.compact.unwrap_or_else(|| result.clone()));
                    }
                    results.push(result);
                }
                Phase::Done(Err(failure)) => {
                    failed.push(results.len());
                    compact.push(Value::Null);
                    results.push(Value::Null);
                    failures.push((Some(index), failure));
                }
                _ => {}
            }
        }
        let is_lost = given_up || failures.len() == results.len();
        match failures.first() {
            Some((Some(index), failure)) if is_lost => {
                let others = failures.len() - 1;
                Ended::failed(failure_of_list(task, *index, failure, others), took)
            }
            _ => Ended {
                errors: failures,
                failed,
                compact: has_compact.then_some(Value::Array(compact)),
                ..Ended::ok(Value::Array(results), took)
            },
        }
    }
}

/// One failure for a list in which no more can be hoped for.
fn failure_of_list(task: &Task, index: usize, failure: &Failure, others: usize) -> Failure {
    let more = match others {
        0 => String::new(),
        1 => "; another item failed too".to_owned(),
        more => format!("; {more} other items failed too"),
    };
    let message = format!("`{}[{index}]`: {}{more}", task.id, failure.message);
    Failure::new(failure.code.clone(), message)
}
