//! Batches: tasks that use each other's results, proved sound before anything runs.
//!
//! - a **plan** is what was sent and found sound, its **tasks** in the order they were written;
//! - a task **needs** those it names in `after` and those its **references** name;
//! - a **run** says what may start, hears what ended, and ends in a **report**;
//! - a **job** is one try of one task, or of one **item** of its `foreach`.

mod active;
mod budget;
mod compact_names;
mod compare;
mod condition;
mod cursor;
mod draft;
mod ended;
mod entry;
mod failure;
mod fields;
mod follow;
mod limits;
mod misspelt;
mod problem;
mod proof;
mod reading;
mod reference;
mod report;
mod retry;
mod run;
mod scope;
mod source;
mod state;
mod task;
mod template;

pub use compact_names::ReferencedPaths;
pub use ended::{Halt, Status};
pub use failure::{Failure, Passing};
pub use limits::PlanLimits;
pub use problem::{PlanProblem, Refused};
pub use proof::{Lookup, PlannedTool};
pub use report::{EndedTask, Report};
pub use retry::{On, Retry};
pub use run::{Job, Run, Start};
pub use state::Stage;
pub use task::{OnError, Shown, Task, TaskId};

use draft::Draft;
use proof::Proof;
use serde_json::Value;

/// Tasks that can be run: every reference has its task, every tool was found, nothing waits for itself.
#[derive(Debug, Clone)]
pub struct Plan {
    tasks: Vec<Task>,
    /// Places in `tasks`, needs first.
    order: Vec<usize>,
    limits: PlanLimits,
}

impl Plan {
    /// Reads a JSON array of tasks, or text with one task a line.
    pub fn read(tasks: &Value, limits: PlanLimits, lookup: &Lookup<'_>) -> Result<Self, Refused> {
        let mut problems = Vec::new();
        let entries = source::entries(tasks, limits.tasks, &mut problems);
        let is_whole = problems.is_empty();
        let ids = entries.iter().filter_map(source::Entry::id);
        let ids: Vec<&str> = ids.collect();
        let entries = entries.iter();
        let drafts: Vec<Draft> =
            entries.map(|entry| Draft::read(entry, &ids, &limits, &mut problems)).collect();
        let proved = Proof::new(&drafts, is_whole, &mut problems).prove(lookup);
        if !problems.is_empty() {
            return Err(Refused(problems));
        }
        let drafts = drafts.into_iter().zip(proved.needs).zip(proved.selects);
        Ok(Self {
            tasks: drafts
                .filter_map(|((draft, needs), declared)| draft.finish(needs, declared))
                .collect(),
            order: proved.order,
            limits,
        })
    }

    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    pub fn limits(&self) -> &PlanLimits {
        &self.limits
    }

    /// Those that have to end before it starts, in the plan's order.
    pub fn needs<'p>(&'p self, task: &'p Task) -> impl Iterator<Item = &'p Task> {
        task.needs.iter().filter_map(|need| self.tasks.get(need.task))
    }
}

#[cfg(test)]
impl From<model::Hints> for PlannedTool {
    /// A tool that takes any parameters.
    fn from(hints: model::Hints) -> Self {
        let input = model::Input::typed(Vec::new(), true);
        Self { hints, input, select: None }
    }
}

#[cfg(test)]
mod dice;
#[cfg(test)]
mod odd_tests;
#[cfg(test)]
mod plan_tests;
#[cfg(test)]
mod random_tests;
#[cfg(test)]
mod run_tests;
#[cfg(test)]
mod wild_tests;
