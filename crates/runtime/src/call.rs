//! The one road of a tool call: lookup, arguments, admission, deadline, script.

use crate::catalog::{Catalog, Handle, Lookup};
use crate::gate::Gate;
use crate::lane::{Lane, Trial};
use crate::life::{LastError, Visit};
use crate::runtime::Runtime;
use crate::stats::Stats;
use model::{Args, Caller, Fault, HostError, Limits, Output, Rejected, Stop, Structured, ToolPath};
use script::{CallFailure, Cancel, Raised, Turn};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// Told how far a call has come.
pub type Progress = Arc<dyn Fn(f64, Option<f64>, Option<&str>) + Send + Sync>;

/// Hears of a call that will never answer by itself.
pub type GivenUp = Arc<dyn Fn(CallError) + Send + Sync>;

/// A thread gets this long to notice that its time is up; then nobody waits for it any more.
const GRACE: Duration = Duration::from_millis(500);

/// How often a place for a trial is asked for.
const TRIES: usize = 8;

/// Arguments longer than this are not tried on the caller's thread: reading them alone takes a while.
const TRIAL_ARGUMENTS: usize = 64;

/// One call of one tool, whichever door it came by.
pub struct Call {
    /// As listed, or `module.tool`.
    pub name: String,
    pub args: Args,
    pub structured: Structured,
    pub progress: Option<Progress>,
    /// Takes the answer when the call's own task cannot give it any more.
    pub given_up: Option<GivenUp>,
    pub caller: Caller,
    pub cancel: CancellationToken,
}

impl Call {
    pub fn new(name: impl Into<String>, args: Args) -> Self {
        Self {
            name: name.into(),
            args,
            structured: Structured::Any,
            progress: None,
            given_up: None,
            caller: Caller::default(),
            cancel: CancellationToken::new(),
        }
    }
}

/// Why a call gave no output.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CallError {
    #[error("there is no tool `{name}`{}", near(.available))]
    Unknown {
        name: String,
        available: Vec<String>,
    },
    #[error("several modules have a tool `{name}`: call {}", either(.paths))]
    Ambiguous { name: String, paths: Vec<ToolPath> },
    #[error("{rejected}")]
    Rejected { tool: ToolPath, rejected: Rejected },
    #[error("{}", .fault.message)]
    Failed {
        tool: ToolPath,
        fault: Fault,
        raised: Option<Raised>,
    },
    #[error("{}", .fault.message)]
    Stopped {
        tool: ToolPath,
        stop: Stop,
        fault: Fault,
    },
    #[error("too many calls are waiting ({waiting}); try again in a moment (limit `queue`)")]
    Busy { waiting: usize },
}

fn near(available: &[String]) -> String {
    match available.first() {
        None => "; there are no tools".into(),
        Some(first) => format!("; the nearest is `{first}`"),
    }
}

fn either(paths: &[ToolPath]) -> String {
    paths
        .iter()
        .map(|path| format!("`{path}`"))
        .collect::<Vec<_>>()
        .join(" or ")
}

impl Runtime {
    /// Calls a tool. Dropping the future, or its token, ends the script.
    pub async fn call(&self, call: Call) -> Result<Output, CallError> {
        let stats = self.stats();
        Stats::add(&stats.calls);
        let result = self.call_inner(call).await;
        match &result {
            Ok(output) if output.is_error => Stats::add(&stats.failed),
            Err(error) => {
                Stats::add(&stats.failed);
                if matches!(error, CallError::Stopped { .. }) {
                    Stats::add(&stats.stopped);
                }
            }
            Ok(_) => {}
        }
        result
    }

    async fn call_inner(&self, call: Call) -> Result<Output, CallError> {
        let small = call.args.len() <= TRIAL_ARGUMENTS && call.args.values().all(is_small);
        let cancel = call.cancel.clone();
        let job = Job {
            progress: call.progress,
            given_up: call.given_up,
            structured: call.structured,
            ..self.job(self.catalog(), &call.name, call.args, call.caller)?
        };
        if small && let Some(result) = job.try_here().await {
            return result;
        }
        job.on_a_thread(cancel).await
    }

    /// Looks the tool up and checks its arguments: every call comes through here.
    fn job(
        &self,
        catalog: Arc<Catalog>,
        name: &str,
        args: Args,
        caller: Caller,
    ) -> Result<Job, CallError> {
        let (catalog, handle, visit) = self.find(catalog, name)?;
        let tool = &handle.tool().tool;
        let args = tool.input.accept(args);
        let args = args.map_err(|rejected| CallError::Rejected {
            tool: handle.path(),
            rejected,
        })?;
        let own = handle
            .module
            .manifest
            .as_ref()
            .and_then(|m| m.limits.timeout);
        let timeout = [tool.timeout, own].into_iter().flatten().min();
        Ok(Job {
            limits: self.limits_for(timeout),
            runtime: self.clone(),
            catalog,
            handle,
            _visit: visit,
            args,
            caller,
            structured: Structured::Any,
            progress: None,
            given_up: None,
            depth: 0,
        })
    }

    /// The tool in this catalog, or in the newest if that module has ended since.
    fn find(
        &self,
        mut catalog: Arc<Catalog>,
        name: &str,
    ) -> Result<(Arc<Catalog>, Handle, Visit), CallError> {
        loop {
            match catalog.lookup(name) {
                Lookup::Found(handle) => {
                    if let Some(visit) = handle.module.life.enter() {
                        return Ok((catalog, handle, visit));
                    }
                    catalog = self.catalog();
                }
                Lookup::Ambiguous(paths) => {
                    return Err(CallError::Ambiguous {
                        name: name.to_owned(),
                        paths,
                    });
                }
                Lookup::Unknown(available) => {
                    return Err(CallError::Unknown {
                        name: name.to_owned(),
                        available,
                    });
                }
            }
        }
    }

    fn limits_for(&self, timeout: Option<Duration>) -> Arc<Limits> {
        let limits = self.limits();
        match timeout {
            Some(timeout) if timeout < limits.time => Arc::new(Limits {
                time: timeout,
                ..(**limits).clone()
            }),
            _ => Arc::clone(limits),
        }
    }
}

fn is_small(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::String(text) => text.len() < 4 << 10,
        serde_json::Value::Array(items) => items.len() < 64 && items.iter().all(is_small),
        serde_json::Value::Object(map) => map.len() < 64 && map.values().all(is_small),
        _ => true,
    }
}

/// A call whose arguments are right.
struct Job {
    runtime: Runtime,
    /// What was served when the call came: what it calls itself comes from there too.
    catalog: Arc<Catalog>,
    handle: Handle,
    /// Keeps the module from being stopped.
    _visit: Visit,
    args: Args,
    caller: Caller,
    limits: Arc<Limits>,
    structured: Structured,
    progress: Option<Progress>,
    given_up: Option<GivenUp>,
    /// How many calls this one was made from.
    depth: usize,
}

impl Job {
    fn run(&self, cancel: Cancel, trial: bool) -> Result<Output, CallFailure> {
        let module = &self.handle.module;
        let ground = self.runtime.ground();
        let folder = &ground.folders[module.folder];
        let within = Within {
            job: self,
            cancel: cancel.clone(),
            until: Instant::now() + self.limits.time,
        };
        let gate = Gate {
            progress: self.progress.as_ref(),
            within: Some(within),
            ..Gate::new(module.name.as_str(), folder, &module.life.permit, ground)
        };
        let turn = Turn {
            cancel,
            structured: self.structured,
            caller: &self.caller,
            started: &module.life.started,
            trial,
            ..Turn::new(&gate, &self.limits)
        };
        let started = Instant::now();
        let result = module.script.call(self.handle.tool(), &self.args, &turn);
        if !trial {
            self.lane().ran(started.elapsed(), gate.was_used());
        }
        let (output, changes) = result?;
        if !changes.is_empty() {
            let changed = self.runtime.change_tools(&module.life, changes);
            changed.map_err(|fault| CallFailure::Failed {
                fault,
                raised: None,
            })?;
        }
        Ok(output)
    }

    fn lane(&self) -> &Lane {
        &self.handle.module.lanes[self.handle.index]
    }

    /// A tool known to be quick runs where its call arrived. The trial ends at the first host call
    /// and after a thousand steps, before anything has happened that could not be done again.
    async fn try_here(&self) -> Option<Result<Output, CallError>> {
        if !self.lane().may_try_here() {
            return None;
        }
        // Whoever has the place is done in microseconds; a thread would take longer to start.
        for _ in 0..TRIES {
            if let Some(result) = self.try_now() {
                return result;
            }
            tokio::task::yield_now().await;
        }
        None
    }

    /// `None` when there is no place for a trial now; `Some(None)` when the call needs a thread.
    #[expect(clippy::option_option, reason = "two answers of different kinds")]
    fn try_now(&self) -> Option<Option<Result<Output, CallError>>> {
        let pass = self.runtime.enter_trial(|| self.trial())?;
        let result = self.run(Cancel::default(), true);
        drop(pass);
        if matches!(result, Err(CallFailure::NeedsThread)) {
            self.lane().needs_thread();
            return Some(None);
        }
        Some(Some(self.answer(result)))
    }

    /// What is known of a trial while it runs, for whoever watches it.
    fn trial(&self) -> Trial {
        let given_up = self.given_up.clone();
        let (tool, limits) = (self.handle.path(), Arc::clone(&self.limits));
        Trial {
            since: Instant::now(),
            patience: self.limits.time + GRACE,
            give_up: Box::new(move || {
                if let Some(given_up) = given_up {
                    let fault = Fault::new(Stop::Deadline.sentence(&limits));
                    let stop = Stop::Deadline;
                    given_up(CallError::Stopped { tool, stop, fault });
                }
            }),
        }
    }

    async fn on_a_thread(self, token: CancellationToken) -> Result<Output, CallError> {
        let job = Arc::new(self);
        let place = tokio::select! {
            place = job.runtime.admit(job.limits.time) => place?,
            () = token.cancelled() => return job.stopped(Stop::Cancelled),
        };
        let cancel = Cancel::default();
        let _ends_with_the_future = CancelOnDrop(cancel.clone());
        let (answer, mut answered) = oneshot::channel();
        let worker = (Arc::clone(&job), cancel.clone());
        let started = job.runtime.pool().run(move || {
            let (job, cancel) = worker;
            let result = job.run(cancel, false);
            // The place is given back when the thread is free, not when the caller stops waiting.
            drop(place);
            if answer.send(result).is_err() {
                tracing::debug!(tool = %job.handle.path(), "a call ended after its caller had gone");
            }
        });
        if let Err(error) = started {
            let fault = Fault::new(format!("no thread could be started for the call: {error}"));
            return Err(CallError::Failed {
                tool: job.handle.path(),
                fault,
                raised: None,
            });
        }
        let cancelled = tokio::select! {
            result = &mut answered => return job.received(result),
            () = token.cancelled() => true,
            () = tokio::time::sleep(job.limits.time) => false,
        };
        cancel.cancel();
        if let Ok(result) = tokio::time::timeout(GRACE, &mut answered).await {
            return if cancelled {
                job.received(result)
            } else {
                job.stopped_or(result)
            };
        }
        job.give_up(answered, cancelled)
    }

    /// The thread does not come back: count it, and answer without it.
    fn give_up(
        &self,
        answered: oneshot::Receiver<Result<Output, CallFailure>>,
        cancelled: bool,
    ) -> Result<Output, CallError> {
        let stats = Arc::clone(self.runtime.stats());
        Stats::add(&stats.stuck);
        tracing::warn!(tool = %self.handle.path(), "a call does not end; its thread is left behind");
        tokio::spawn(async move {
            let _ = answered.await;
            Stats::sub(&stats.stuck);
        });
        self.stopped(if cancelled {
            Stop::Cancelled
        } else {
            Stop::Deadline
        })
    }

    fn received(
        &self,
        result: Result<Result<Output, CallFailure>, oneshot::error::RecvError>,
    ) -> Result<Output, CallError> {
        match result {
            Ok(result) => self.answer(result),
            Err(_) => self.answer(Err(CallFailure::Failed {
                fault: Fault::new("the call's thread ended without an answer"),
                raised: None,
            })),
        }
    }

    /// A script that was told to end when its time was up reports a cancel; the caller sees the deadline.
    fn stopped_or(
        &self,
        result: Result<Result<Output, CallFailure>, oneshot::error::RecvError>,
    ) -> Result<Output, CallError> {
        match self.received(result) {
            Err(CallError::Stopped {
                tool,
                stop: Stop::Cancelled,
                mut fault,
            }) => {
                fault.message = Stop::Deadline.sentence(&self.limits);
                Err(CallError::Stopped {
                    tool,
                    stop: Stop::Deadline,
                    fault,
                })
            }
            other => other,
        }
    }

    fn stopped(&self, stop: Stop) -> Result<Output, CallError> {
        let fault = Fault::new(stop.sentence(&self.limits));
        Err(CallError::Stopped {
            tool: self.handle.path(),
            stop,
            fault,
        })
    }

    fn answer(&self, result: Result<Output, CallFailure>) -> Result<Output, CallError> {
        let tool = || self.handle.path();
        let error = match result {
            Ok(output) => return Ok(output),
            Err(CallFailure::Failed { fault, raised }) => CallError::Failed {
                tool: tool(),
                fault,
                raised,
            },
            Err(CallFailure::Stopped { stop, fault }) => CallError::Stopped {
                tool: tool(),
                stop,
                fault,
            },
            Err(CallFailure::NeedsThread) => CallError::Failed {
                tool: tool(),
                fault: Fault::new("the call was given up as if it were a trial"),
                raised: None,
            },
        };
        self.report(&error);
        Err(error)
    }

    /// The author reads what the caller does not: the place, and what was raised.
    fn report(&self, error: &CallError) {
        let (tool, fault, raised) = match error {
            CallError::Failed {
                tool,
                fault,
                raised,
            } => (tool, fault, raised.as_ref()),
            CallError::Stopped { tool, fault, .. } => (tool, fault, None),
            _ => return,
        };
        match raised {
            Some(raised) => {
                tracing::debug!(target: "script", "{tool} failed: {fault} {}", raised.with_kind());
            }
            None => tracing::debug!(target: "script", "{tool} failed: {fault}"),
        }
        self.handle.module.life.failed(LastError {
            tool: tool.to_string(),
            message: fault.message.clone(),
            kind: raised.map(|raised| raised.kind.clone()),
            data: raised.map(|raised| raised.data.clone()),
            report: fault.to_string(),
        });
    }
}

/// How deep calls may be made from calls.
const DEEPEST: usize = 8;

/// The call that a script calls other tools from: on the same thread, within the same time.
pub(crate) struct Within<'a> {
    job: &'a Job,
    cancel: Cancel,
    until: Instant,
}

impl Within<'_> {
    pub(crate) fn call(&self, tool: &str, args: Args) -> Result<Output, HostError> {
        let outer = self.job;
        let runtime = &outer.runtime;
        if outer.depth == DEEPEST {
            let path = outer.handle.path();
            return Err(HostError(format!(
                "{tool} was not called: {path} is already {DEEPEST} calls deep in others"
            )));
        }
        let stats = runtime.stats();
        Stats::add(&stats.calls);
        let result = self.call_inner(tool, args);
        if !result.as_ref().is_ok_and(|output| !output.is_error) {
            Stats::add(&stats.failed);
        }
        result.map_err(|error| match error {
            CallError::Rejected { tool, rejected } => {
                HostError(format!("{tool} was not called: {rejected}"))
            }
            other => HostError(format!("{tool}: {other}")),
        })
    }

    fn call_inner(&self, tool: &str, args: Args) -> Result<Output, CallError> {
        let outer = self.job;
        let catalog = Arc::clone(&outer.catalog);
        let mut job = outer
            .runtime
            .job(catalog, tool, args, outer.caller.clone())?;
        let left = self.until.saturating_duration_since(Instant::now());
        job.depth = outer.depth + 1;
        job.limits = Arc::new(Limits {
            time: job.limits.time.min(left),
            // Both are in memory at the same time.
            heap_bytes: outer.limits.heap_bytes / 2,
            ..(*job.limits).clone()
        });
        job.answer(job.run(self.cancel.clone(), false))
    }
}

/// A caller that goes away ends its call.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
