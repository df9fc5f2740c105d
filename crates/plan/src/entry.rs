//! Whether a task is let in when those it needs have ended, and with what.

use super::active::Active;
use super::budget::CopyBudget;
use super::ended::{Ended, Lack};
use super::failure::Failure;
use super::reading::too_many;
use super::run::Run;
use super::scope::{Item, Scope};
use super::state::State;
use super::task::{OnError, Task};
use model::Args;
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
        match self.count_items(task) {
            Ok(None) => State::Active(Active::one(now)),
            Ok(Some(0)) => State::Ended(Ended::ok(Value::Array(Vec::new()), Duration::ZERO)),
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
    fn is_wanted(&self, task: &Task, item: Option<usize>) -> Result<bool, Failure> {
        let when = task.when.as_ref();
        let Some(when) = when.filter(|when| when.of_item == item.is_some()) else {
            return Ok(true);
        };
        self.scoped(task, item, "when", |scope, budget| {
            let holds = when.condition.holds(scope, budget);
            holds.map_err(|why| format!("`when`: {why}"))
        })
    }

    fn count_items(&self, task: &Task) -> Result<Option<usize>, Failure> {
        let Some(foreach) = &task.foreach else {
            return Ok(None);
        };
        let failure = |message| Failure::new("foreach", message);
        let count = self
            .scoped(task, None, "reference", |scope, budget| foreach.count_items(scope, budget));
        match count? {
            Ok(items) if items > self.plan.limits.items => {
                let many = too_many(items, &self.plan.limits);
                Err(failure(format!("`foreach` {many}")))
            }
            Ok(items) => Ok(Some(items)),
            Err(kind) => Err(failure(format!("`foreach` needs a list, not {kind}"))),
        }
    }

    /// The arguments of a call and the memory they take; none if its item is not wanted.
    pub(super) fn args(
        &self,
        task: &Task,
        item: Option<usize>,
    ) -> Result<Option<(Args, usize)>, Failure> {
        if item.is_some() && !self.is_wanted(task, item)? {
            return Ok(None);
        }
        let (params, weight) = self.scoped(task, item, "reference", |scope, budget| {
            let params = task.params.fill("params", scope, budget)?;
            Ok((params, budget.total()))
        })?;
        match params {
            Value::Object(args) => Ok(Some((args, weight))),
            _ => Ok(Some((Args::new(), weight))),
        }
    }

    pub(super) fn ended_at(&self, place: usize) -> Option<&Ended> {
        match self.states.get(place) {
            Some(State::Ended(ended)) => Some(ended),
            _ => None,
        }
    }

    fn ended_task(&self, id: &str) -> Option<&Ended> {
        let mut tasks = self.plan.tasks.iter();
        let place = tasks.position(|task| task.id.as_str() == id)?;
        self.ended_at(place)
    }

    /// Resolves references of a task, or of one of its items. `code` is the failure's unless the budget is
    /// exceeded.
    fn scoped<T>(
        &self,
        task: &Task,
        item: Option<usize>,
        code: &str,
        work: impl FnOnce(&Scope<'_>, &mut CopyBudget<'_>) -> Result<T, String>,
    ) -> Result<T, Failure> {
        let of_list = |id: &str| self.ended_task(id)?.result.as_deref();
        let compact_list = |id: &str| self.ended_task(id)?.compact.as_ref();
        let outer = Scope { results: &of_list, compacts: &compact_list, item: None };
        let mut budget = CopyBudget::new(task.id.as_str(), self.plan.limits.copied_bytes);
        // An item belongs to no call's arguments.
        let item = resolve_item(task, item, &outer, &mut budget.renewed());
        let resolved = item.and_then(|item| {
            let of_item = |id: &str| self.ended_task(id)?.result.as_deref();
            let compact_item = |id: &str| self.ended_task(id)?.compact.as_ref();
            let inner = Scope { results: &of_item, compacts: &compact_item, item: item.as_ref() };
            work(&inner, &mut budget)
        });
        resolved.map_err(|why| {
            let code = if budget.is_exceeded() { TOO_LARGE } else { code };
            Failure::new(code, why)
        })
    }
}

/// Code of a task whose references copy too much.
const TOO_LARGE: &str = "too_large";

fn resolve_item<'s>(
    task: &'s Task,
    index: Option<usize>,
    scope: &'s Scope<'_>,
    budget: &mut CopyBudget<'_>,
) -> Result<Option<Item<'s>>, String> {
    let (Some(index), Some(foreach)) = (index, &task.foreach) else {
        return Ok(None);
    };
    let value = foreach.item(index, scope, budget)?;
    let compact = scope.compact_item(foreach, index, &value);
    Ok(Some(Item { index, value, compact }))
}
