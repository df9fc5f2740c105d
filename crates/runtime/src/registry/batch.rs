//! `batch`: several calls that use each other's results. The plan is a pure machine; here it gets its
//! calls made, each down the one road, and is told the time.

use super::batch_answer::{BatchAnswer, Reader};
use super::call::find;
use super::meta::Meta;
use super::shape::Shape;
use crate::audit::Trail;
use crate::catalog::{Catalog, Handle};
use crate::request::{Call, Lines, RequestError, RequestErrorKind};
use crate::runtime::Runtime;
use crate::scopes::check_scope;
use model::plan::{
    Failure, Halt, Job, Passing, Plan, PlanLimits, PlannedTool, Refused, Report, Run, Stage, Start,
    Task,
};
use model::{Args, Caller, Limits, Output, Stop, ToolPath};
use serde_json::Value;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Sees a batch as it goes on.
pub type Watch = Arc<dyn Fn(&Run) + Send + Sync>;

/// A batch, whichever door it came by.
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
                let (done, of, words) = words(run);
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
        let denied = |path: &ToolPath, error: &RequestError| {
            self.note_unread(&path.to_string(), &batch.caller, &batch.trail, error);
        };
        let plan = planned(&catalog, &batch.tasks, self.limits(), &may, &denied)?;
        let (begin, limits) = (Instant::now(), *plan.limits());
        let report = Drive {
            runtime: self,
            batch: &batch,
            catalog: &catalog,
            begin,
            run: Run::new(plan),
            jobs: Jobs::default(),
        }
        .run()
        .await;
        // Authors' functions have what is left of the batch's time, and at least the time of one call.
        let until = (begin + limits.batch_time).max(Instant::now() + self.limits().time);
        let mut answer = BatchAnswer::new(report, catalog.rules.showing.result_tokens, reader);
        while let Some(next) = answer.next_to_write() {
            let (module, tool) = (next.tool.module.as_str(), next.tool.tool.as_str());
            let Ok(handle) = find(&catalog, module, tool) else {
                answer.set(next.place, None);
                continue;
            };
            let (cancel, time) = (
                batch.cancel.clone(),
                until.saturating_duration_since(Instant::now()),
            );
            let written =
                self.say_within(&handle, next.value, next.asked, cancel, time, next.tokens);
            answer.set(next.place, Some(written.await));
        }
        Ok(answer)
    }
}

pub(crate) fn tasks(meta: Meta, name: &str, args: Args) -> Result<Value, RequestError> {
    let accepted = meta.accept(args);
    let mut args = accepted.map_err(|rejected| {
        let signature = Some(format!("batch({})", Meta::Batch.input().signature()));
        RequestErrorKind::Rejected {
            rejected,
            signature,
        }
        .of(name)
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
    let limits = PlanLimits {
        copied_bytes: limits.result_bytes,
        ..PlanLimits::default()
    };
    Plan::read(tasks, limits, &lookup)
}

/// What a caller reads of a plan of which nothing was run.
pub(super) fn show_refused(refused: &Refused) -> String {
    format!("nothing was called:\n{refused}")
}

struct Drive<'d> {
    runtime: &'d Runtime,
    batch: &'d Batch,
    catalog: &'d Arc<Catalog>,
    begin: Instant,
    run: Run,
    /// Dropping them ends the calls.
    jobs: Jobs<'d>,
}

/// Calls under way, in the batch's own task: what takes its time runs on threads of its own, and for the
/// rest a task would cost more than the call.
#[derive(Default)]
struct Jobs<'d>(Vec<Pin<Box<dyn Future<Output = Ended> + Send + 'd>>>);

/// A job, its result, and what the tool's `compact` function made of the result, if references need it.
type Ended = (Job, Result<Value, Failure>, Option<Value>);

impl Jobs<'_> {
    /// The next that ends. While there are none, nothing does.
    async fn next(&mut self) -> Ended {
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

impl Drive<'_> {
    async fn run(mut self) -> Report {
        let limit = self.run.plan().limits().batch_time;
        while !self.run.is_done() {
            for start in self.run.start(self.begin.elapsed()) {
                self.begin_job(start);
            }
            if self.run.is_done() {
                break;
            }
            self.tell();
            let nap = self.run.wake().map_or(limit, |wake| wake.min(limit));
            tokio::select! {
                // What ends at once needs no timer, and setting one wakes a thread.
                biased;
                (job, result, compact) = self.jobs.next() => {
                    self.run.set_compact(job, compact);
                    self.run.ended(job, result, self.begin.elapsed());
                }
                () = self.batch.cancel.cancelled() => self.halt(Halt::Cancelled),
                () = tokio::time::sleep_until((self.begin + nap).into()) => {
                    if self.begin.elapsed() >= limit {
                        self.halt(Halt::OutOfTime);
                    }
                }
            }
        }
        self.tell();
        self.run.report(self.begin.elapsed())
    }

    fn begin_job(&mut self, Start { job, args }: Start) {
        let task = self.run.task(job);
        let timeout = task.timeout;
        let call = Call {
            shape: Shape::Raw,
            lines: self.batch.lines.clone(),
            caller: self.batch.caller.clone(),
            cancel: self.batch.cancel.child_token(),
            trail: self.batch.trail.clone(),
            timeout: Some(timeout),
            ..Call::new(task.tool.to_string(), args)
        };
        let (runtime, paths) = (self.runtime, self.run.referenced_paths(job));
        let author = find_author(self.catalog, task);
        let cancel = self.batch.cancel.child_token();
        let work = async move {
            let begin = Instant::now();
            let called = runtime.call(call).await;
            let stop = called.as_ref().err().and_then(RequestError::stop);
            let result = if stop == Some(Stop::Deadline) && begin.elapsed() >= timeout {
                Err(too_slow(timeout))
            } else {
                heard(called)
            };
            let Ok(value) = &result else {
                return (job, result, None);
            };
            let author = author.filter(|_| !paths.are_in(value));
            let compact = match author {
                Some(handle) => runtime.compact_value(&handle, value, cancel, timeout).await,
                None => None,
            };
            (job, result, compact)
        };
        self.jobs.0.push(Box::pin(work));
    }

    /// What is under way is ended; what has ended is told.
    fn halt(&mut self, halt: Halt) {
        self.jobs.0.clear();
        self.run.halt(halt, self.begin.elapsed());
    }

    fn tell(&self) {
        if let Some(watch) = &self.batch.watch {
            watch(&self.run);
        }
    }
}

/// The task's tool, if its author wrote a `compact` function.
pub(super) fn find_author(catalog: &Arc<Catalog>, task: &Task) -> Option<Handle> {
    let found = find(catalog, task.tool.module.as_str(), task.tool.tool.as_str()).ok();
    // References follow the names of a `select` without it.
    found.filter(|handle| handle.tool().tool.is_compact() && handle.tool().tool.select.is_none())
}

/// How many have ended, of how many, and which are under way.
fn words(run: &Run) -> (f64, f64, String) {
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

/// What a plan hears of a call.
pub(super) fn heard(called: Result<Output, RequestError>) -> Result<Value, Failure> {
    match called {
        Ok(output) if output.is_error => Err(Failure::new("tool_error", output.plain_text())),
        Ok(output) => Ok(output.into_json()),
        Err(error) => Err(Failure::from(&error)),
    }
}

pub(super) fn too_slow(timeout: Duration) -> Failure {
    let time = model::show_duration(timeout);
    let why = format!("stopped after {time}, the time this task may take (`timeout_ms`)");
    Failure::new("timeout", why).passing(Passing::Timeout)
}
