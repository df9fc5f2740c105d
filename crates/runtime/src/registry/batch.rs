//! `batch`: several calls that use each other's results.

use super::batch_answer::{BatchAnswer, Reader};
use super::batch_run::{BatchRun, EndedCall, TaskCall, describe_progress};
use super::call::find;
use super::meta::Meta;
use super::shape::Shape;
use crate::audit::Trail;
use crate::catalog::{Catalog, Handle};
use crate::request::{Call, Lines, RequestError, RequestErrorKind};
use crate::runtime::Runtime;
use crate::scopes::check_scope;
use model::{Args, Caller, Limits, Output, ToolPath};
use plan::{Halt, Plan, PlanLimits, PlannedTool, Refused, Report, Run};
use serde_json::Value;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// Sees a batch as it goes on.
pub type Watch = Arc<dyn Fn(&Run) + Send + Sync>;

/// A batch, on any transport.
pub struct Batch {
    /// The meta tool that runs it.
    pub meta: Meta,
    /// A list, or text with one task per line.
    pub tasks: Value,
    pub watch: Option<Watch>,
    pub lines: Option<Lines>,
    pub caller: Caller,
    pub cancel: CancellationToken,
    pub trail: Trail,
}

impl Runtime {
    pub(super) async fn call_batch(&self, meta: Meta, tasks: Value, call: Call) -> Output {
        let progress = call.progress.map(|progress| -> Watch {
            Arc::new(move |run| {
                let (done, of, words) = describe_progress(run);
                progress(done, Some(of), Some(&words));
            })
        });
        let answer = self.run_batch(
            Batch {
                meta,
                tasks,
                watch: progress,
                lines: call.lines,
                caller: call.caller,
                cancel: call.cancel,
                trail: call.trail,
            },
            Reader::Model,
        );
        match answer.await {
            Ok(answer) => answer.into_output(),
            Err(refused) => Output::error(show_refused(&refused)),
        }
    }

    /// Runs a batch for a program to its end, unless its plan is refused: then nothing was called.
    pub async fn batch(&self, batch: Batch) -> Result<BatchAnswer, Refused> {
        self.run_batch(batch, Reader::Program).await
    }

    async fn run_batch(&self, mut batch: Batch, reader: Reader) -> Result<BatchAnswer, Refused> {
        batch.trail = batch.trail.via(batch.meta.name());
        let catalog = self.view(&batch.caller);
        let may = |handle: &Handle| {
            check_scope(&catalog, handle, &batch.caller)?;
            batch.meta.check_tool(handle)
        };
        let plan = self.plan_batch(&catalog, &batch.tasks, &batch.caller, &batch.trail, &may)?;
        let run = BatchRun::new(&catalog, plan, None);
        let until = run.until();
        let driver = BatchDriver { runtime: self, batch: &batch, run, calls: TaskCalls::default() };
        let report = driver.run().await;
        // Authors' functions have what is left of the batch's time, and at least the time of one call.
        let until = until.max(Instant::now() + self.limits().time);
        let mut answer = BatchAnswer::new(report, catalog.rules.server.result_tokens, reader);
        while let Some(next) = answer.next_to_write() {
            let (module, tool) = (next.tool.module.as_str(), next.tool.tool.as_str());
            let Ok(handle) = find(&catalog, module, tool) else {
                answer.set(next.place, None);
                continue;
            };
            let (cancel, time) =
                (batch.cancel.clone(), until.saturating_duration_since(Instant::now()));
            let written =
                self.say_within(&handle, next.value, next.asked, cancel, time, next.tokens);
            answer.set(next.place, Some(written.await));
        }
        Ok(answer)
    }

    /// Plans a batch; the calls that it may not make are counted as failed.
    pub(super) fn plan_batch(
        &self,
        catalog: &Arc<Catalog>,
        tasks: &Value,
        caller: &Caller,
        trail: &Trail,
        may: &(dyn Fn(&Handle) -> Result<(), RequestError> + Sync),
    ) -> Result<Plan, Refused> {
        let denied = |path: &ToolPath, error: &RequestError| {
            self.reject_call(path.to_string(), caller, trail, error.clone());
        };
        planned(catalog, tasks, self.limits(), may, &denied)
    }
}

pub(crate) fn tasks(meta: Meta, name: &str, args: Args) -> Result<Value, RequestError> {
    let accepted = meta.accept(args);
    let mut args = accepted.map_err(|rejected| {
        let signature = Some(format!("batch({})", Meta::Batch.input().signature()));
        RequestErrorKind::Rejected { rejected, signature }.of(name)
    })?;
    Ok(args.remove("tasks").unwrap_or_default())
}

/// The plan, or what is wrong with it.
pub(crate) fn planned(
    catalog: &Arc<Catalog>,
    tasks: &Value,
    limits: &Limits,
    may: &(dyn Fn(&Handle) -> Result<(), RequestError> + Sync),
    denied: &(dyn Fn(&ToolPath, &RequestError) + Sync),
) -> Result<Plan, Refused> {
    let lookup = |path: &ToolPath| {
        let found = find(catalog, path.module.as_str(), path.tool.as_str());
        let found = found.and_then(|found| may(&found).map(|()| found));
        let found = found.inspect_err(|error| denied(path, error));
        let found = found.map_err(|error| error.to_string())?;
        let tool = &found.tool().tool;
        Ok(PlannedTool {
            hints: tool.hints,
            input: tool.input.clone(),
            select: tool.select.clone(),
        })
    };
    let limits = PlanLimits { copied_bytes: limits.result_bytes, ..PlanLimits::default() };
    Plan::read(tasks, limits, &lookup)
}

/// What a caller reads of a plan of which nothing was run.
pub(super) fn show_refused(refused: &Refused) -> String {
    format!("nothing was called:\n{refused}")
}

/// The driver of a batch that nobody blocks a thread for.
struct BatchDriver<'d> {
    runtime: &'d Runtime,
    batch: &'d Batch,
    run: BatchRun<'d>,
    /// Dropping them ends the calls.
    calls: TaskCalls<'d>,
}

/// Calls under way, in the batch's own task: what takes its time runs on threads of its own, and for the
/// rest a task would cost more than the call.
#[derive(Default)]
struct TaskCalls<'d>(Vec<Pin<Box<dyn Future<Output = EndedCall> + Send + 'd>>>);

impl TaskCalls<'_> {
    /// The next that ends. While there are none, nothing does.
    async fn next(&mut self) -> EndedCall {
        poll_fn(|context| {
            for place in 0..self.0.len() {
                if let Poll::Ready(ended) = self.0[place].as_mut().poll(context) {
                    drop(self.0.swap_remove(place));
                    return Poll::Ready(ended);
                }
            }
            Poll::Pending
        })
        .await
    }
}

impl BatchDriver<'_> {
    async fn run(mut self) -> Report {
        while !self.run.state().is_done() {
            for (task, args) in self.run.start() {
                self.begin_call(task, args);
            }
            if self.run.state().is_done() {
                break;
            }
            self.tell();
            tokio::select! {
                // What ends at once needs no timer, and setting one wakes a thread.
                biased;
                ended = self.calls.next() => self.run.end(ended),
                () = self.batch.cancel.cancelled() => self.halt(Halt::Cancelled),
                () = tokio::time::sleep_until(self.run.wake().into()) => {
                    if self.run.is_out_of_time() {
                        self.halt(Halt::OutOfTime);
                    }
                }
            }
        }
        self.tell();
        self.run.report()
    }

    fn begin_call(&mut self, task: TaskCall, args: Args) {
        let call = Call {
            shape: Shape::Raw,
            lines: self.batch.lines.clone(),
            caller: self.batch.caller.clone(),
            cancel: self.batch.cancel.child_token(),
            trail: self.batch.trail.clone(),
            timeout: Some(task.timeout),
            ..Call::new(task.tool.clone(), args)
        };
        let (runtime, cancel) = (self.runtime, call.cancel.clone());
        let work = async move {
            let result = task.value(runtime.call(call).await);
            let value = result.as_ref().ok();
            let author = value.and_then(|value| Some((task.author_of(value)?, value)));
            let compact = match author {
                Some((handle, value)) => {
                    let time = task.timeout;
                    runtime.compact_value(handle, value, cancel, time).await
                }
                None => None,
            };
            task.ended(result, compact)
        };
        self.calls.0.push(Box::pin(work));
    }

    /// Ends the calls under way, and tells what has ended.
    fn halt(&mut self, halt: Halt) {
        self.calls.0.clear();
        self.run.halt(halt);
    }

    fn tell(&self) {
        if let Some(watch) = &self.batch.watch {
            watch(self.run.state());
        }
    }
}
