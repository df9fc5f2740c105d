//! `batch` as a script calls it, which waits: its tasks run on threads of their own, within the time of
//! the call that started them.

use super::batch::{find_author, heard, planned, show_refused, too_slow};
use super::batch_answer::{BatchAnswer, Reader};
use super::call::find;
use super::meta::Meta;
use super::shape::Shape;
use crate::catalog::Handle;
use crate::request::{RequestError, Within};
use crate::scopes::check_scope;
use model::plan::{Failure, Halt, Job, ReferencedPaths, Report, Run, Start};
use model::{Args, Cancel, Output, ToolPath};
use serde_json::Value;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

/// A script that waits looks this often whether it is still wanted.
const LOOK: Duration = Duration::from_millis(20);
/// Calls nest in the interpreter, and the interpreter recurses.
const STACK: usize = 64 << 20;

/// A result, and what the tool's `compact` function made of it, if references need it.
type CalledTask = (Result<Value, Failure>, Option<Value>);
type Ended = (Job, CalledTask);

impl Within<'_> {
    pub(super) fn call_batch(&self, meta: Meta, tasks: &Value) -> Output {
        let may = |handle: &Handle| {
            self.check_reachable(handle)?;
            check_scope(self.catalog, handle, self.caller)?;
            meta.check_tool(handle)
        };
        let trail = self.trail.via(meta.name());
        let runtime = self.runtime;
        let denied = |path: &ToolPath, error: &RequestError| {
            runtime.note_unread(&path.to_string(), self.caller, &trail, error);
        };
        let plan = match planned(self.catalog, tasks, runtime.limits(), &may, &denied) {
            Ok(plan) => plan,
            Err(refused) => return Output::error(show_refused(&refused)),
        };
        let run = Run::new(plan);
        let report = thread::scope(|scope| Inner::new(self, scope, run, meta).run());
        let tokens = self.catalog.rules.showing.result_tokens;
        let mut answer = BatchAnswer::new(report, tokens, Reader::Program);
        while let Some(next) = answer.next_to_write() {
            let (module, tool) = (next.tool.module.as_str(), next.tool.tool.as_str());
            let handle = find(self.catalog, module, tool).ok();
            let written = handle.map(|handle| self.say(&handle, &next.value, &next.asked));
            answer.set(next.place, written);
        }
        let is_error = answer.is_error();
        let text = Output::text(answer.into_json().to_string());
        Output { is_error, ..text }
    }

    fn call_task(&self, task: Called, args: Args) -> CalledTask {
        let within = Within {
            cancel: task.cancel,
            until: task.until,
            ..*self
        };
        let via = Some(task.meta.name());
        let result = heard(within.request(&task.tool, args, Shape::Raw, via));
        if result.is_err() && Instant::now() >= task.until {
            return (Err(too_slow(task.timeout)), None);
        }
        let author = task
            .author
            .filter(|_| !result.as_ref().is_ok_and(|value| task.paths.are_in(value)));
        let compact = match (&result, author) {
            (Ok(value), Some(handle)) => within.compact_value(&handle, value),
            _ => None,
        };
        (result, compact)
    }
}

/// A task on its way.
struct Called {
    meta: Meta,
    tool: String,
    /// The tool, if it has a `compact` function.
    author: Option<Handle>,
    paths: ReferencedPaths,
    timeout: Duration,
    until: Instant,
    cancel: Cancel,
}

struct Inner<'scope, 'env> {
    within: &'env Within<'env>,
    scope: &'scope Scope<'scope, 'env>,
    begin: Instant,
    until: Instant,
    run: Run,
    meta: Meta,
    /// Ends what is under way when there is no more time for it.
    cancel: Cancel,
    running: usize,
    told: (Sender<Ended>, Receiver<Ended>),
}

impl<'scope, 'env> Inner<'scope, 'env> {
    fn new(
        within: &'env Within<'env>,
        scope: &'scope Scope<'scope, 'env>,
        run: Run,
        meta: Meta,
    ) -> Self {
        let begin = Instant::now();
        Self {
            within,
            scope,
            begin,
            until: within.until.min(begin + run.plan().limits().batch_time),
            run,
            meta,
            cancel: within.cancel.below(),
            running: 0,
            told: channel(),
        }
    }

    fn run(mut self) -> Report {
        while !self.run.is_done() {
            self.halt_if_unwanted();
            let starts = self.run.start(self.begin.elapsed());
            // What nobody runs beside needs no thread of its own. Only the outermost call has some:
            // batches in batches would have as many as they like.
            let here = self.within.depth > 0 || (self.running == 0 && starts.len() == 1);
            let idle = starts.is_empty();
            for start in starts {
                self.begin_job(start, here);
            }
            if (self.running > 0 || idle) && !self.run.is_done() {
                self.wait();
            }
        }
        self.run.report(self.begin.elapsed())
    }

    fn halt_if_unwanted(&mut self) {
        let halt = if self.within.cancel.is_cancelled() {
            Halt::Cancelled
        } else if Instant::now() >= self.until {
            Halt::OutOfTime
        } else {
            return;
        };
        self.cancel.cancel();
        self.run.halt(halt, self.begin.elapsed());
    }

    fn begin_job(&mut self, Start { job, args }: Start, here: bool) {
        let task = self.run.task(job);
        let called = Called {
            meta: self.meta,
            author: find_author(self.within.catalog, task),
            paths: self.run.referenced_paths(job),
            tool: task.tool.to_string(),
            timeout: task.timeout,
            until: self.until.min(Instant::now() + task.timeout),
            cancel: self.cancel.clone(),
        };
        let within = self.within;
        if here {
            let called = within.call_task(called, args);
            self.hear(job, called);
            return;
        }
        let (told, span) = (self.told.0.clone(), tracing::Span::current());
        let work = move || {
            let _inside = span.enter();
            let result = within.call_task(called, args);
            // Nobody listens when the batch has been halted.
            let _ = told.send((job, result));
        };
        let thread = thread::Builder::new()
            .name("batch".into())
            .stack_size(STACK);
        match thread.spawn_scoped(self.scope, work) {
            Ok(_) => self.running += 1,
            Err(error) => {
                let why = format!("there is no thread left to run it on: {error}");
                self.hear(job, (Err(Failure::new("busy", why)), None));
            }
        }
    }

    fn wait(&mut self) {
        let wake = self
            .run
            .wake()
            .map(|wake| wake.saturating_sub(self.begin.elapsed()));
        let nap = wake.map_or(LOOK, |wake| wake.min(LOOK));
        if let Ok((job, called)) = self.told.1.recv_timeout(nap) {
            self.running -= 1;
            self.hear(job, called);
        }
    }

    fn hear(&mut self, job: Job, (result, compact): CalledTask) {
        self.run.set_compact(job, compact);
        self.run.ended(job, result, self.begin.elapsed());
    }
}
