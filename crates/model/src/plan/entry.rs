//! Whether a task is let in when those it needs have ended, and with what.

use super::active::Active;
use super::ended::{Ended, Lack};
use super::failure::Failure;
use super::follow::kind;
use super::reading::too_many;
use super::run::Run;
use super::scope::{Item, Scope};
use super::state::State;
use super::task::{OnError, Task};
use crate::Args;
use serde_json::Value;
use std::time::Duration;

impl Run {
    pub(super) fn enter(&self, task: &Task, now: Duration) -> State {
        if let Some((lack, place)) = self.lack(task) {
            return State::Ended(Ended::skipped(lack, place, &self.plan.tasks));
        }
        let failed = |failure| State::Ended(Ended::failed(failure, Duration::ZERO));
        match self.is_wanted(task, None) {
            Ok(true) => {}
            Ok(false) => return State::Ended(Ended::unwanted()),
            Err(failure) => return failed(failure),
        }
        match self.items(task) {
            Ok(None) => State::Active(Active::one(now)),
            Ok(Some(items)) if items.is_empty() => {
                State::Ended(Ended::ok(Value::Array(items), Duration::ZERO))
            }
            Ok(Some(items)) => State::Active(Active::each(items, now)),
            Err(failure) => failed(failure),
        }
    }

    /// The first of its needs that keeps a task from running, and why.
    fn lack(&self, task: &Task) -> Option<(Lack, usize)> {
        task.needs.iter().find_map(|need| {
            let ended = self.ended_at(need.task)?;
            let lack = ended.lack?;
            let goes_on = self.plan.tasks[need.task].on_error == OnError::Continue;
            let harmless = goes_on || lack == Lack::Unwanted;
            (need.result || !harmless).then_some((lack, need.task))
        })
    }

    /// Does `when` hold? One about the item is asked for each item, one about others only once.
    fn is_wanted(&self, task: &Task, item: Option<&Item>) -> Result<bool, Failure> {
        let when = task.when.as_ref();
        let Some(when) = when.filter(|when| when.of_item == item.is_some()) else {
            return Ok(true);
        };
        let holds = self.scoped(item, |scope| when.condition.holds(scope));
        holds.map_err(|why| Failure::new("when", format!("`when`: {why}")))
    }

    fn items(&self, task: &Task) -> Result<Option<Vec<Value>>, Failure> {
        let Some(foreach) = &task.foreach else {
            return Ok(None);
        };
        let failure = |message| Failure::new("foreach", message);
        let list = self.scoped(None, |scope| foreach.fill("foreach", scope));
        match list.map_err(|why| Failure::new("reference", why))? {
            Value::Array(items) if items.len() > self.plan.limits.items => {
                let many = too_many(items.len(), &self.plan.limits);
                Err(failure(format!("`foreach` {many}")))
            }
            Value::Array(items) => Ok(Some(items)),
            other => Err(failure(format!(
                "`foreach` needs a list, not {}",
                kind(&other)
            ))),
        }
    }

    /// The arguments of a call; none if its item is not wanted.
    pub(super) fn args(&self, task: &Task, item: Option<&Item>) -> Result<Option<Args>, Failure> {
        if item.is_some() && !self.is_wanted(task, item)? {
            return Ok(None);
        }
        let params = self.scoped(item, |scope| task.params.fill("params", scope));
        match params.map_err(|why| Failure::new("reference", why))? {
            Value::Object(args) => Ok(Some(args)),
            _ => Ok(Some(Args::new())),
        }
    }

    pub(super) fn ended_at(&self, place: usize) -> Option<&Ended> {
        match self.states.get(place) {
            Some(State::Ended(ended)) => Some(ended),
            _ => None,
        }
    }

    fn scoped<T>(&self, item: Option<&Item>, work: impl FnOnce(&Scope<'_>) -> T) -> T {
        let results = |id: &str| {
            let place = self
                .plan
                .tasks
                .iter()
                .position(|task| task.id.as_str() == id)?;
            self.ended_at(place)?.result.as_ref()
        };
        work(&Scope {
            results: &results,
            item,
        })
    }
}
