//! `batch` as a script calls it, which waits: its tasks run on threads of their own, within the time of
//! the call that started them.

use super::batch::show_refused;
use super::batch_answer::{BatchAnswer, Reader};
use super::batch_run::{BatchRun, EndedCall, TaskCall};
use super::call::find;
use super::meta::Meta;
use super::shape::Shape;
use crate::catalog::Handle;
use crate::request::Within;
use crate::scopes::check_scope;
use model::{Args, Cancel, Output};
use plan::{Failure, Halt, Report};
use serde_json::Value;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

/// How often a waiting script looks whether it is cancelled.
const LOOK: Duration = Duration::from_millis(20);
/// Calls nest in the interpreter, and the interpreter recurses.
const STACK: usize = 64 << 20;

impl Within<'_> {
    pub(super) fn call_batch(&self, meta: Meta, tasks: &Value) -> Output {
        let may = |handle: &Handle| {
            self.check_reachable(handle)?;
            check_scope(self.catalog, handle, self.caller)?;
            meta.check_tool(handle)
        };
        let trail = self.trail.via(meta.name());
        let runtime = self.runtime;
        let plan = match runtime.plan_batch(self.catalog, tasks, self.caller, &trail, &may) {
            Ok(plan) => plan,
            Err(refused) => return Output::error(show_refused(&refused)),
        };
        let run = BatchRun::new(self.catalog, plan, Some(self.until));
        let report = thread::scope(|scope| {
            let driver = BlockingBatchDriver {
                within: self,
                scope,
                run,
                meta,
                cancel: self.cancel.below(),
                running: 0,
                ended: channel(),
            };
            driver.run()
        });
        let tokens = self.catalog.rules.server.result_tokens;
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

    fn call_task(&self, task: &TaskCall, args: Args, meta: Meta) -> EndedCall {
        let called = self.request(&task.tool, args, Shape::Raw, Some(meta.name()));
        let result = task.value(called);
        let compact = result.as_ref().ok().and_then(|value| {
            let handle = task.author_of(value)?;
            self.compact_value(handle, value)
        });
        task.ended(result, compact)
    }
}

/// The driver of a batch on the thread of a script.
struct BlockingBatchDriver<'scope, 'env> {
    within: &'env Within<'env>,
    scope: &'scope Scope<'scope, 'env>,
    run: BatchRun<'env>,
    meta: Meta,
    /// Ends the calls under way when there is no more time for them.
    cancel: Cancel,
    running: usize,
    ended: (Sender<EndedCall>, Receiver<EndedCall>),
}

impl BlockingBatchDriver<'_, '_> {
    fn run(mut self) -> Report {
        while !self.run.state().is_done() {
            self.halt_if_unwanted();
            let calls = self.run.start();
            // What nobody runs beside needs no thread of its own. Only the outermost call has some:
            // batches in batches would have as many as they like.
            let here = self.within.depth > 0 || (self.running == 0 && calls.len() == 1);
            let is_idle = calls.is_empty();
            for (task, args) in calls {
                self.begin_call(task, args, here);
            }
            if (self.running > 0 || is_idle) && !self.run.state().is_done() {
                self.wait();
            }
        }
        self.run.report()
    }

    fn halt_if_unwanted(&mut self) {
        let halt = if self.within.cancel.is_cancelled() {
            Halt::Cancelled
        } else if self.run.is_out_of_time() {
            Halt::OutOfTime
        } else {
            return;
        };
        self.cancel.cancel();
        self.run.halt(halt);
    }

    fn begin_call(&mut self, mut task: TaskCall, args: Args, here: bool) {
        // Tasks of one start that run here wait for each other.
        task.begin = Instant::now();
        let within = Within {
            cancel: self.cancel.clone(),
            until: self.run.until().min(task.begin + task.timeout),
            ..*self.within
        };
        let meta = self.meta;
        if here {
            self.run.end(within.call_task(&task, args, meta));
            return;
        }
        let thread = thread::Builder::new().name("batch".into()).stack_size(STACK);
        let (ended, span) = (self.ended.0.clone(), tracing::Span::current());
        let job = task.job;
        let work = move || {
            let _inside = span.enter();
            // Nobody listens when the batch has been halted.
            let _ = ended.send(within.call_task(&task, args, meta));
        };
        match thread.spawn_scoped(self.scope, work) {
            Ok(_) => self.running += 1,
            Err(error) => {
                let why = format!("there is no thread left to run it on: {error}");
                self.run.end(EndedCall::failed(job, Failure::new("busy", why)));
            }
        }
    }

    fn wait(&mut self) {
        let wake = self.run.wake().saturating_duration_since(Instant::now());
        if let Ok(ended) = self.ended.1.recv_timeout(wake.min(LOOK)) {
            self.running -= 1;
            self.run.end(ended);
        }
    }
}
