//! `batch`: several calls that use each other's results. The plan is a pure machine; here it gets its
//! calls made, each down the one road, and is told the time.

use super::call::find;
use super::meta::Meta;
use super::shape::{Asked, ForeachResults, Shape};
use crate::audit::Trail;
use crate::call::{Call, CallError, Lines};
use crate::catalog::{Catalog, Handle};
use crate::runtime::Runtime;
use crate::scopes::check_scope;
use model::plan::{
    Failure, Halt, Job, Passing, Plan, PlanLimits, PlannedTool, Report, Run, Shown, Stage, Start,
    Task,
};
use model::{Args, Caller, Compact, Limits, Output, Stop, ToolPath, Ways};
use script::Raised;
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
    /// A list, or text with a task a line.
    pub tasks: Value,
    pub watch: Option<Watch>,
    pub lines: Option<Lines>,
    pub caller: Caller,
    pub cancel: CancellationToken,
    pub trail: Trail,
}

impl Runtime {
    pub(crate) async fn call_batch(&self, call: Call) -> Result<Output, CallError> {
        let tasks = tasks(&call.name, call.args)?;
        let progress = call.progress.map(|progress| -> Watch {
            Arc::new(move |run| {
                let (done, of, words) = words(run);
                progress(done, Some(of), Some(&words));
            })
        });
        self.batch(Batch {
            tasks,
            watch: progress,
            lines: call.lines,
            caller: call.caller,
            cancel: call.cancel,
            trail: call.trail,
        })
        .await
    }

    /// Runs a batch to its end. What is wrong with the plan is the answer, and nothing was called.
    pub async fn batch(&self, mut batch: Batch) -> Result<Output, CallError> {
        batch.trail = batch.trail.via(Meta::Batch.name());
        let catalog = self.view(&batch.caller);
        let may = |handle: &Handle| check_scope(&catalog, handle, &batch.caller);
        let denied = |path: &ToolPath, error: &CallError| {
            self.note_unread(&path.to_string(), &batch.caller, &batch.trail, error);
        };
        let plan = match planned(&catalog, &batch.tasks, self.limits(), &may, &denied) {
            Ok(plan) => plan,
            Err(refused) => return Ok(refused),
        };
        let (begin, limits) = (Instant::now(), *plan.limits());
        let report = Drive {
            runtime: self,
            batch: &batch,
            begin,
            run: Run::new(plan),
            jobs: Jobs::default(),
        }
        .run()
        .await;
        // Authors' functions have what is left of the batch's time, and at least the time of one call.
        let until = (begin + limits.batch_time).max(Instant::now() + self.limits().time);
        let mut said = Vec::new();
        for (task, value, asked) in wanted(&report) {
            if let Ok(handle) = find(&catalog, task.tool.module.as_str(), task.tool.tool.as_str()) {
                let (cancel, value) = (batch.cancel.clone(), Arc::clone(value));
                let time = until.saturating_duration_since(Instant::now());
                let compact = self.say_within(&handle, value, asked, cancel, time).await;
                said.push((task.id.to_string(), compact));
            }
        }
        Ok(answer(report, said))
    }
}

pub(crate) fn tasks(name: &str, args: Args) -> Result<Value, CallError> {
    let accepted = Meta::Batch.accept(args);
    let mut args = accepted.map_err(|rejected| CallError::Rejected {
        tool: name.to_owned(),
        rejected,
        schema: Some(Meta::Batch.input().to_json().clone()),
    })?;
    Ok(args.remove("tasks").unwrap_or_default())
}

/// The plan, or what is wrong with it.
pub(crate) fn planned(
    catalog: &Arc<Catalog>,
    tasks: &Value,
    limits: &Limits,
    may: &(dyn Fn(&Handle) -> Result<(), CallError> + Sync),
    denied: &(dyn Fn(&ToolPath, &CallError) + Sync),
) -> Result<Plan, Output> {
    let lookup = |path: &ToolPath| {
        let found = find(catalog, path.module.as_str(), path.tool.as_str());
        let found = found.and_then(|found| may(&found).map(|()| found));
        let found = found.inspect_err(|error| denied(path, error));
        let found = found.map_err(|error| error.to_string())?;
        let tool = &found.tool().tool;
        Ok(PlannedTool {
            hints: tool.hints,
            input: tool.input.clone(),
        })
    };
    let limits = PlanLimits {
        copied_bytes: limits.result_bytes,
        ..PlanLimits::default()
    };
    let plan = Plan::read(tasks, limits, &lookup);
    plan.map_err(|refused| Output::error(format!("nothing was called:\n{refused}")))
}

struct Drive<'d> {
    runtime: &'d Runtime,
    batch: &'d Batch,
    begin: Instant,
    run: Run,
    /// Dropping them ends the calls.
    jobs: Jobs<'d>,
}

/// Calls under way, in the batch's own task: what takes its time runs on threads of its own, and for the
/// rest a task would cost more than the call.
#[derive(Default)]
struct Jobs<'d>(Vec<Pin<Box<dyn Future<Output = Ended> + Send + 'd>>>);

type Ended = (Job, Result<Value, Failure>);

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
                (job, result) = self.jobs.next() => self.run.ended(job, result, self.begin.elapsed()),
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
            ..Call::new(task.tool.to_string(), args)
        };
        let runtime = self.runtime;
        let work = async move {
            let called = tokio::time::timeout(timeout, runtime.call(call)).await;
            let result = called.map_or_else(|_| Err(too_slow(timeout)), heard);
            (job, result)
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
pub(super) fn heard(called: Result<Output, CallError>) -> Result<Value, Failure> {
    match called {
        Ok(output) if output.is_error => Err(Failure::new("tool_error", output.plain_text())),
        Ok(output) => Ok(output.into_json()),
        Err(error) => Err(failure(&error)),
    }
}

/// HTTP's word for one who comes too often.
const TOO_MANY: u16 = 429;

fn failure(error: &CallError) -> Failure {
    let sentence = error.to_string();
    match error {
        CallError::Unknown { .. } | CallError::Ambiguous { .. } | CallError::Missing { .. } => {
            Failure::new("unknown_tool", sentence)
        }
        CallError::Rejected { .. } => Failure::new("rejected", sentence),
        CallError::Scope { .. } => Failure::new("scope", sentence),
        CallError::Denied(_) => Failure::new("denied", sentence),
        CallError::Failed { raised, .. } => failed(raised.as_ref(), sentence),
        CallError::Stopped {
            stop: Stop::Deadline,
            ..
        } => Failure::new("timeout", sentence).passing(Passing::Timeout),
        CallError::Stopped { .. } => Failure::new("stopped", sentence),
        CallError::Asks { .. } => Failure::new("asks", sentence),
        CallError::Limited(limited) => Failure::new("limited", sentence)
            .passing(Passing::Status(TOO_MANY))
            .retry_after(Some(limited.retry_after)),
        CallError::Unaudited | CallError::Unrecorded => Failure::new("unaudited", sentence),
        CallError::Busy { .. } => Failure::new("busy", sentence),
    }
}

/// An error of an author's own, or of `http`, which says the status it got.
fn failed(raised: Option<&Raised>, sentence: String) -> Failure {
    let Some(raised) = raised else {
        return Failure::new("failed", sentence);
    };
    let failure = Failure::new(raised.kind.clone(), sentence);
    let status = raised.data.get("status").and_then(Value::as_u64);
    let status = status.and_then(|status| u16::try_from(status).ok());
    let retry_after = raised.data.get("retry_after").and_then(seconds);
    // Who says when to come back says that it may pass.
    match status.or(retry_after.map(|_| TOO_MANY)) {
        Some(status) => failure
            .passing(Passing::Status(status))
            .retry_after(retry_after),
        None => failure,
    }
}

/// `60`, `1.5`, `"60s"`.
fn seconds(value: &Value) -> Option<Duration> {
    match value {
        Value::String(text) => model::parse_duration(text).ok(),
        Value::Number(number) => model::parse_duration(&number.to_string()).ok(),
        _ => None,
    }
}

pub(super) fn too_slow(timeout: Duration) -> Failure {
    let time = model::show_duration(timeout);
    let why = format!("stopped after {time}, the time this task may take (`timeout_ms`)");
    Failure::new("timeout", why).passing(Passing::Timeout)
}

/// Results that are shown as text, and how.
pub(super) fn wanted(report: &Report) -> impl Iterator<Item = (&Task, &Arc<Value>, Asked)> {
    report.shown().filter_map(|shown| {
        let Shown::As(format) = shown.task.shown else {
            return None;
        };
        let foreach = shown.failed.map(|failed| ForeachResults {
            failed: failed.to_vec(),
        });
        let asked = Asked {
            format,
            select: shown.task.select.clone(),
            ways: Ways::BATCH,
            foreach,
        };
        Some((shown.task, shown.value, asked))
    })
}

/// The whole answer; beside a task that was said in other words stands which they are.
pub(super) fn answer(report: Report, said: Vec<(String, Compact)>) -> Output {
    let is_error = report.is_error();
    let mut notes = Vec::new();
    let forms = said.into_iter().map(|(id, said)| {
        notes.push((id.clone(), said.format, said.note));
        (id, Value::String(said.body))
    });
    let forms = forms.collect();
    let mut answer = report.answer(forms);
    for (id, format, note) in notes {
        let task = &mut answer["tasks"][&id];
        task["format"] = format.to_string().into();
        if let Some(note) = note {
            task["note"] = note.into();
        }
    }
    let text = Output::text(answer.to_string());
    Output { is_error, ..text }
}
