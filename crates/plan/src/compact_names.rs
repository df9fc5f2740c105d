//! References by the names that a result has in its compact form, which is what callers have seen.

use super::follow::{holds, reach};
use super::run::{Job, Run};
use super::scope::{Scope, steps_into};
use super::state::State;
use super::task::Task;
use super::template::Template;
use model::select::Step;
use serde_json::Value;

/// The paths that other tasks follow into one task's result.
#[derive(Debug, Clone, Default)]
pub struct ReferencedPaths(Vec<Vec<Step>>);

impl ReferencedPaths {
    /// Does the result have all of them? If not, references may mean its compact form.
    pub fn are_in(&self, result: &Value) -> bool {
        let mut paths = self.0.iter();
        paths.all(|steps| holds(result, steps_into(result, steps)))
    }
}

impl Run {
    /// The paths that other tasks follow into the result of a job.
    pub fn referenced_paths(&self, job: Job) -> ReferencedPaths {
        let task = self.task(job);
        let mut paths = Vec::new();
        for other in &self.plan.tasks {
            collect_paths(other, task.id.as_str(), &mut paths);
        }
        if task.foreach.is_some() {
            // A job has one item of the list.
            paths.retain_mut(steps_of_item);
        }
        ReferencedPaths(paths)
    }

    /// Keeps the compact form of the result that a job is about to end with.
    pub fn set_compact(&mut self, job: Job, compact: Option<Value>) {
        let is_named = |value: &Value| !value.is_string();
        if let Some(unit) = self.unit_mut(job) {
            unit.compact = compact.filter(is_named);
        }
    }

    /// What the caller's or the author's `select` makes of a result, if references need it.
    pub(super) fn select_for_references(&mut self, job: Job, result: &Value) {
        let task = self.task(job);
        let Some(selection) = task.select.as_ref().or(task.declared.as_ref()) else {
            return;
        };
        if self.referenced_paths(job).are_in(result) {
            return;
        }
        let compact = compact::apply_selection(selection, result);
        if let Some(unit) = self.unit_mut(job) {
            unit.compact.get_or_insert(compact);
        }
    }

    fn unit_mut(&mut self, job: Job) -> Option<&mut super::active::Unit> {
        match self.states.get_mut(job.task_place())? {
            State::Active(active) => active.units.get_mut(job.item()),
            _ => None,
        }
    }
}

/// The paths by which a task refers to another one, also through the items of its `foreach`.
fn collect_paths(task: &Task, id: &str, paths: &mut Vec<Vec<Step>>) {
    let list = task.foreach.as_ref().and_then(Template::whole);
    let list = list.filter(|list| list.root == id);
    let mut visit = |reference: &super::reference::Reference| {
        if reference.root == id {
            paths.push(reference.steps.clone());
        } else if let Some(list) = list.filter(|_| reference.root == "item") {
            let item = [Step::Each];
            let steps = list.steps.iter().chain(&item).chain(&reference.steps);
            paths.push(steps.cloned().collect());
        }
    };
    task.params.visit_references(&mut visit);
    if let Some(when) = &task.when {
        when.condition.references().for_each(&mut visit);
    }
    if let Some(foreach) = &task.foreach {
        foreach.visit_references(&mut visit);
    }
}

/// Takes away the step into the list of results; answers whether the path goes into one of them.
fn steps_of_item(steps: &mut Vec<Step>) -> bool {
    if matches!(steps.first(), Some(Step::Key(name)) if name == "results") {
        steps.remove(0);
    }
    let is_item = matches!(steps.first(), Some(Step::At(_) | Step::Each));
    if is_item {
        steps.remove(0);
    }
    is_item
}

impl<'a> Scope<'a> {
    /// The item in the compact form of the list that a `foreach` goes through. The author's function may
    /// have left out or sorted items, so that it must agree with the item in all fields that both have.
    pub(super) fn compact_item(
        &self,
        foreach: &Template,
        index: usize,
        item: &Value,
    ) -> Option<&'a Value> {
        let list = foreach.whole()?;
        let compact = (self.compacts)(&list.root)?;
        let compact = reach(compact, steps_into(compact, &list.steps))?.get(index)?;
        let (Value::Object(whole), Value::Object(short)) = (item, compact) else {
            return None;
        };
        let mut shared = short.iter().filter_map(|(name, value)| Some((whole.get(name)?, value)));
        let has_shared = shared.clone().next().is_some();
        let agrees = shared.all(|(whole, short)| whole == short);
        (has_shared && agrees).then_some(compact)
    }
}
