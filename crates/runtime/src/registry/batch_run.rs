//! A batch under way: its plan, its time, and the calls of its tasks, for both drivers.

use super::call::find;
use crate::catalog::{Catalog, Handle};
use crate::request::RequestError;
use model::{Args, Output};
use plan::{Failure, Halt, Job, Passing, Plan, ReferencedPaths, Report, Run, Stage, Start};
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(super) struct BatchRun<'b> {
    catalog: &'b Arc<Catalog>,
    begin: Instant,
    until: Instant,
    run: Run,
}

/// The call of one task, or of one item of its list.
pub(super) struct TaskCall {
    pub(super) job: Job,
    pub(super) tool: String,
    pub(super) timeout: Duration,
    pub(super) begin: Instant,
    /// The tool, if its author wrote a `compact` function.
    author: Option<Handle>,
    paths: ReferencedPaths,
}

/// A job, its result, and what the tool's `compact` function made of the result, if references need it.
pub(super) struct EndedCall {
    job: Job,
    result: Result<Value, Failure>,
    compact: Option<Value>,
}

impl<'b> BatchRun<'b> {
    /// Ends with the plan's time, or before.
    pub(super) fn new(catalog: &'b Arc<Catalog>, plan: Plan, until: Option<Instant>) -> Self {
        let begin = Instant::now();
        let limit = begin + plan.limits().batch_time;
        Self {
            catalog,
            begin,
            until: until.map_or(limit, |until| until.min(limit)),
            run: Run::new(plan),
        }
    }

    pub(super) fn state(&self) -> &Run {
        &self.run
    }

    pub(super) fn until(&self) -> Instant {
        self.until
    }

    /// Calls to make now.
    pub(super) fn start(&mut self) -> Vec<(TaskCall, Args)> {
        let starts = self.run.start(self.begin.elapsed());
        let calls = starts.into_iter();
        calls.map(|Start { job, args }| (self.task_call(job), args)).collect()
    }

    fn task_call(&self, job: Job) -> TaskCall {
        let task = self.run.task(job);
        let found = find(self.catalog, task.tool.module.as_str(), task.tool.tool.as_str());
        TaskCall {
            job,
            tool: task.tool.to_string(),
            timeout: task.timeout,
            begin: Instant::now(),
            // References follow the names of a `select` without it.
            author: found.ok().filter(|handle| {
                let tool = &handle.tool().tool;
                tool.is_compact() && tool.select.is_none()
            }),
            paths: self.run.referenced_paths(job),
        }
    }

    /// When to look again, though nothing has ended.
    pub(super) fn wake(&self) -> Instant {
        let wake = self.run.wake();
        wake.map_or(self.until, |wake| self.until.min(self.begin + wake))
    }

    pub(super) fn is_out_of_time(&self) -> bool {
        Instant::now() >= self.until
    }

    pub(super) fn end(&mut self, ended: EndedCall) {
        self.run.set_compact(ended.job, ended.compact);
        self.run.ended(ended.job, ended.result, self.begin.elapsed());
    }

    pub(super) fn halt(&mut self, halt: Halt) {
        self.run.halt(halt, self.begin.elapsed());
    }

    pub(super) fn report(self) -> Report {
        self.run.report(self.begin.elapsed())
    }
}

impl TaskCall {
    pub(super) fn value(&self, called: Result<Output, RequestError>) -> Result<Value, Failure> {
        match called {
            Ok(output) if output.is_error => Err(Failure::new("tool_error", output.plain_text())),
            Ok(output) => Ok(output.into_json()),
            Err(_) if self.begin.elapsed() >= self.timeout => {
                let time = model::show_duration(self.timeout);
                let why =
                    format!("stopped after {time}, the time this task may take (`timeout_ms`)");
                Err(Failure::new("timeout", why).passing(Passing::Timeout))
            }
            Err(error) => Err(Failure::from(&error)),
        }
    }

    /// The tool whose `compact` function the references need.
    pub(super) fn author_of(&self, value: &Value) -> Option<&Handle> {
        self.author.as_ref().filter(|_| !self.paths.are_in(value))
    }

    pub(super) fn ended(
        &self,
        result: Result<Value, Failure>,
        compact: Option<Value>,
    ) -> EndedCall {
        EndedCall { job: self.job, result, compact }
    }
}

impl EndedCall {
    pub(super) fn failed(job: Job, failure: Failure) -> Self {
        Self { job, result: Err(failure), compact: None }
    }
}

/// How many tasks have ended, of how many, and which are under way.
pub(super) fn describe_progress(run: &Run) -> (f64, f64, String) {
    let (mut done, mut of, mut running) = (0.0, 0.0, Vec::new());
    for (task, stage) in run.stages() {
        of += 1.0;
        match stage {
            Stage::Ended(_) => done += 1.0,
            Stage::Running { .. } => running.push(task.id.as_str()),
            Stage::Waiting => {}
        }
    }
    if running.is_empty() {
        return (done, of, "done".to_owned());
    }
    (done, of, running.join(", "))
}
