//! The one road of a tool call: lookup, arguments, admission, deadline, script.

mod account;
mod again;
mod within;

pub(crate) use within::Within;

use crate::answers::ResultTracker;
use crate::audit::{Entry, Trail};
use crate::catalog::{Catalog, Handle, Lookup};
use crate::errand::{CallThread, Errand};
use crate::gate::Gate;
use crate::lane::Trial;
use crate::life::Visit;
use crate::meter::Meter;
use crate::quota::RateCharge;
use crate::registry::{Meta, Shape, Shaping};
use crate::request::{RequestError, RequestErrorKind, Verdict};
use crate::runtime::Runtime;
use crate::scopes::check_scope;
use crate::supervised::GRACE;
use account::{CallAccount, RunTimer};
use model::{
    Args, Asker, Caller, Level, Limits, Output, ReadOnlyCall, Stop, Structured, StructuredResults,
};
use script::{CallFailure, Cancel, Turn};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Told how far a call has come.
pub type Progress = Arc<dyn Fn(f64, Option<f64>, Option<&str>) + Send + Sync>;

/// Hears what scripts log in a call: the module, how grave it is, the message and its fields.
pub type Lines = Arc<dyn Fn(&str, Level, &str, &serde_json::Value) + Send + Sync>;

/// Hears of a call that will never answer by itself.
pub type GivenUp = Arc<dyn Fn(RequestError) + Send + Sync>;

/// How often a place for a trial is asked for.
const TRIES: usize = 8;

/// Arguments longer than this are not tried on the caller's thread: reading them alone takes a while.
const TRIAL_ARGUMENTS: usize = 64;

/// One call of one tool, whichever door it came by.
pub struct Call {
    /// As listed, or `module.tool`.
    pub name: String,
    pub args: Args,
    /// In which form the answer is wanted.
    pub shape: Shape,
    pub progress: Option<Progress>,
    /// Absent where nobody wants to hear.
    pub lines: Option<Lines>,
    /// Takes the answer when the call's own task cannot give it any more.
    pub given_up: Option<GivenUp>,
    /// Takes the script's questions to the client.
    pub asker: Option<Arc<dyn Asker>>,
    pub caller: Caller,
    pub cancel: CancellationToken,
    /// It may take as long as a task may.
    pub long: bool,
    pub trail: Trail,
    /// What rate limits have counted of it where it came in.
    pub charged: RateCharge,
    /// Shorter than the time limit of its tool: it covers the wait for a thread, too.
    pub timeout: Option<Duration>,
}

impl Call {
    pub fn new(name: impl Into<String>, args: Args) -> Self {
        Self {
            name: name.into(),
            args,
            shape: Shape::default(),
            progress: None,
            lines: None,
            given_up: None,
            asker: None,
            caller: Caller::default(),
            cancel: CancellationToken::new(),
            long: false,
            trail: Trail::default(),
            charged: RateCharge::Nothing,
            timeout: None,
        }
    }
}

impl Runtime {
    /// Calls a tool. Dropping the future, or its token, ends the script.
    pub async fn call(&self, call: Call) -> Result<Output, RequestError> {
        if let Some(meta) = Meta::named(&call.name) {
            // What it calls is counted and seen; it is no call of a tool by itself.
            return Box::pin(self.call_meta(meta, call)).await;
        }
        let account = CallAccount::begin(self, &call.name);
        let result = self.call_audited(call).await;
        account.finish(&result);
        result
    }

    async fn call_audited(&self, call: Call) -> Result<Output, RequestError> {
        let name = call.name.clone();
        let mut entry = self.enter(&name, &call.args, &call.caller, &call.trail)?;
        let result = self.call_inner(call, &mut entry).await;
        match entry.end(&result) {
            Ok(None) => return result,
            Ok(Some(receipt)) => receipt.written().await,
            Err(unwritten) => Err(unwritten),
        }
        .map_err(|unwritten| RequestErrorKind::from(unwritten).of(name))?;
        result
    }

    /// Opens the audit entry of a call.
    pub(crate) fn enter(
        &self,
        name: &str,
        args: &Args,
        caller: &Caller,
        trail: &Trail,
    ) -> Result<Entry, RequestError> {
        let audit = self.audit();
        let begun = audit.begin("tools/call", caller, trail, name, Some(args));
        begun.map_err(|unwritten| RequestErrorKind::from(unwritten).of(name))
    }

    async fn call_inner(&self, call: Call, entry: &mut Entry) -> Result<Output, RequestError> {
        let small = call.args.len() <= TRIAL_ARGUMENTS && call.args.values().all(is_small);
        let (cancel, long, timeout) = (call.cancel.clone(), call.long, call.timeout);
        let mut job = Job {
            progress: call.progress,
            lines: call.lines,
            given_up: call.given_up,
            asker: call.asker,
            trail: call.trail,
            ..self.job(
                self.view(&call.caller),
                &call.name,
                (call.args, call.shape),
                call.caller,
                call.charged,
                entry,
            )?
        };
        if long {
            job.limits = job.long_limits();
        }
        let timer = RunTimer::start(job.meter());
        let keeping = match job.kept() {
            Ok(output) => {
                entry.cached();
                timer.finish(false);
                return Ok(output);
            }
            Err(keeping) => keeping,
        };
        let started = entry.start().await;
        started
            .map_err(|unwritten| RequestErrorKind::from(unwritten).of(job.handle.to_string()))?;
        let result = match job.try_here(small && !long).await {
            Some(result) => result,
            None => Box::pin(job.on_a_thread(cancel, timeout)).await,
        };
        if let Some(keeping) = keeping {
            keeping.keep(self, &result);
        }
        timer.finish(Verdict::of(&result).is_failure());
        result
    }

    /// Looks the tool up and checks its arguments: every call comes through here.
    fn job(
        &self,
        catalog: Arc<Catalog>,
        name: &str,
        (mut args, shape): (Args, Shape),
        caller: Caller,
        charged: RateCharge,
        entry: &mut Entry,
    ) -> Result<Job, RequestError> {
        if charged == RateCharge::Nothing {
            let charged = self.charge_caller(&caller);
            charged.map_err(|limited| RequestErrorKind::from(limited).of(name))?;
        }
        let found = self.find(catalog, name, &caller);
        let (catalog, handle, visit) = found.inspect_err(|_| self.note_missing(entry, name))?;
        entry.found(&catalog, &handle.module, handle.tool().tool.name.as_str());
        if charged != RateCharge::CallerAndModule {
            let charged = self.charge_module(&catalog, &handle.module);
            charged.map_err(|limited| RequestErrorKind::from(limited).of(handle.to_string()))?;
        }
        check_scope(&catalog, &handle, &caller)?;
        let rejected = |rejected| RequestErrorKind::rejected(rejected).of(handle.to_string());
        let tool = &handle.tool().tool;
        let shape = shape.of_tool(tool, &mut args).map_err(rejected)?;
        let args = tool.input.accept(args).map_err(rejected)?;
        Ok(Job {
            limits: self.limits_for(own_timeout(&handle)),
            runtime: self.clone(),
            catalog,
            handle,
            visit: Some(visit),
            args,
            caller,
            shape,
            progress: None,
            lines: None,
            given_up: None,
            asker: None,
            depth: 0,
            trail: Trail::default(),
            tracker: None,
        })
    }

    /// Whoever reads the log may know what this caller may not.
    pub(crate) fn note_missing(&self, entry: &mut Entry, name: &str) {
        entry.missing(|| {
            let catalog = self.catalog();
            let Lookup::Found(handle) = catalog.lookup(name) else {
                return None;
            };
            let tool = handle.tool().tool.name.to_string();
            Some((catalog, handle.module, tool))
        });
    }

    /// The tool in this catalog, or in the newest if that module has ended since.
    fn find(
        &self,
        mut catalog: Arc<Catalog>,
        name: &str,
        caller: &Caller,
    ) -> Result<(Arc<Catalog>, Handle, Visit), RequestError> {
        loop {
            match catalog.lookup(name) {
                Lookup::Found(handle) => {
                    if let Some(visit) = handle.module.life.enter() {
                        return Ok((catalog, handle, visit));
                    }
                    catalog = self.view(caller);
                }
                Lookup::Ambiguous(paths) => {
                    let paths = paths.iter().map(ToString::to_string).collect();
                    return Err(RequestErrorKind::AmbiguousTool { paths }.of(name));
                }
                Lookup::Unknown(available) => {
                    let unknown = RequestErrorKind::UnknownTool { available }.of(name);
                    return Err(catalog.halted_or(name, unknown));
                }
            }
        }
    }

    pub(crate) fn limits_for(&self, timeout: Option<Duration>) -> Arc<Limits> {
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

/// What the author allows, where that is less than the server does.
fn own_timeout(handle: &Handle) -> Option<Duration> {
    let manifest = handle.module.manifest.as_ref();
    let own = manifest.and_then(|manifest| manifest.limits.timeout);
    [handle.tool().tool.timeout, own]
        .into_iter()
        .flatten()
        .min()
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
    /// Keeps the module from being stopped, until a thread's lease does.
    visit: Option<Visit>,
    args: Args,
    caller: Caller,
    limits: Arc<Limits>,
    shape: Shape,
    progress: Option<Progress>,
    lines: Option<Lines>,
    given_up: Option<GivenUp>,
    asker: Option<Arc<dyn Asker>>,
    /// How many calls this one was made from.
    depth: usize,
    trail: Trail,
    /// Records what a result relies on that may be cached: this one, or that of a call around it.
    tracker: Option<ResultTracker>,
}

impl Job {
    fn run(
        &self,
        cancel: Cancel,
        thread: Option<&CallThread>,
        trial: bool,
    ) -> Result<Output, CallFailure> {
        let module = &self.handle.module;
        let until = Instant::now() + self.limits.time;
        let ground = self.runtime.ground();
        let folder = &ground.folders[module.folder];
        let tool = &self.handle.tool().tool;
        let read_only = tool.is_read_only().then_some(ReadOnlyCall {
            tool: &self.handle,
            reads: &tool.reads,
        });
        let within = Within {
            runtime: &self.runtime,
            read_only,
            catalog: &self.catalog,
            caller: &self.caller,
            asker: self.asker.as_ref(),
            limits: &self.limits,
            lines: self.lines.as_ref(),
            depth: self.depth,
            thread,
            name: &self.handle,
            permit: &module.life.permit,
            trail: &self.trail,
            tracker: self.tracker.as_ref(),
            cancel: cancel.clone(),
            until,
        };
        let gate = Gate {
            progress: self.progress.as_ref(),
            asker: self.asker.as_deref(),
            lines: self.lines.as_ref(),
            updates: Some(&ground.updates),
            within: Some(within),
            read_only,
            ..Gate::new(module.name.as_str(), folder, &module.life.permit, ground)
        };
        let turn = Turn {
            cancel,
            memory: thread.map(|thread| &thread.memory),
            structured: self.structured(),
            caller: &self.caller,
            started: &module.life.started,
            trial,
            ticks: Some(&self.runtime.stats().ticks),
            ..Turn::new(&gate, &self.limits)
        };
        let started = Instant::now();
        let result = module.script.call(self.handle.tool(), &self.args, &turn);
        let result = result.and_then(|(output, changes)| {
            let output = self.shaped(output, &turn, until)?;
            Ok((output, changes))
        });
        if !trial {
            self.handle.lane().ran(started.elapsed(), gate.was_used());
        }
        let (output, changes) = result?;
        if !changes.is_empty() {
            self.tracker.iter().for_each(ResultTracker::forbid_caching);
            let changed = self.runtime.change_tools(&module.life, changes);
            changed.map_err(|fault| CallFailure::Failed {
                fault,
                raised: None,
            })?;
        }
        Ok(output)
    }

    /// What the script makes of its result.
    fn structured(&self) -> Structured {
        let results = self.catalog.rules.showing.structured;
        match self.shape {
            Shape::Raw | Shape::Compact(_) => Structured::Data,
            Shape::Declared if results == StructuredResults::Always => Structured::Both,
            Shape::Declared if self.handle.tool().tool.listed_output(results).is_some() => {
                Structured::Both
            }
            Shape::Declared => Structured::Text,
        }
    }

    fn shaped(
        &self,
        output: Output,
        turn: &Turn<'_>,
        until: Instant,
    ) -> Result<Output, CallFailure> {
        let showing = self.catalog.rules.showing;
        let shaping = Shaping {
            handle: &self.handle,
            budget: showing.result_tokens,
            results: showing.structured,
            turn,
            until,
        };
        match &self.shape {
            Shape::Raw => Ok(output),
            Shape::Declared => shaping.declared(output),
            Shape::Compact(asked) => shaping.compact(output, asked),
        }
    }

    fn meter(&self) -> Arc<Meter> {
        let handle = &self.handle;
        let meters = &self.runtime.stats().meters;
        meters.of(&handle.module.name, &handle.tool().tool.name)
    }

    fn long_limits(&self) -> Arc<Limits> {
        let most = self.runtime.bounds().task_time;
        let time = own_timeout(&self.handle).map_or(most, |own| own.min(most));
        Arc::new(Limits {
            time,
            ..(*self.limits).clone()
        })
    }

    /// A tool known to be quick runs where its call arrived. The trial ends at the first host call
    /// and after a thousand steps, before anything has happened that could not be done again.
    async fn try_here(&self, small: bool) -> Option<Result<Output, RequestError>> {
        if !small || !self.handle.lane().may_try_here() {
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
    fn try_now(&self) -> Option<Option<Result<Output, RequestError>>> {
        let pass = self.runtime.enter_trial(|| self.trial())?;
        let result = self.run(Cancel::default(), None, true);
        drop(pass);
        if matches!(result, Err(CallFailure::NeedsThread)) {
            self.handle.lane().needs_thread();
            return Some(None);
        }
        Some(Some(self.answer(result)))
    }

    /// What is known of a trial while it runs, for whoever watches it.
    fn trial(&self) -> Trial {
        let (runtime, given_up) = (self.runtime.clone(), self.given_up.clone());
        let (handle, limits) = (self.handle.clone(), Arc::clone(&self.limits));
        let give_up = move || {
            handle.lane().needs_thread();
            let thread = runtime.abandon(Some(&handle.module.life));
            if let Some(given_up) = given_up {
                let stopped = RequestErrorKind::stopped(Stop::Deadline, &limits);
                given_up(stopped.of(handle.to_string()));
            }
            thread
        };
        Trial {
            since: Instant::now(),
            patience: self.limits.time + GRACE,
            give_up: Some(Box::new(give_up)),
            abandoned: None,
        }
    }

    async fn on_a_thread(
        mut self,
        token: CancellationToken,
        timeout: Option<Duration>,
    ) -> Result<Output, RequestError> {
        let handle = self.handle.clone();
        let errand = Errand {
            runtime: self.runtime.clone(),
            visit: self.visit.take(),
            of: Some((self.caller.clone(), handle.module.name.clone())),
            limits: Arc::clone(&self.limits),
            name: handle.to_string(),
            cancel: token,
        };
        let work = move |cancel, thread: &CallThread| self.run(cancel, Some(thread), false);
        let result = errand.run_within(timeout, work).await;
        result.map_err(|kind| reported(&handle, kind))
    }

    fn answer(&self, result: Result<Output, CallFailure>) -> Result<Output, RequestError> {
        result.map_err(|failure| reported(&self.handle, failure.into()))
    }
}

/// Tells the author, and names the tool to the caller.
fn reported(handle: &Handle, kind: RequestErrorKind) -> RequestError {
    kind.report(handle, &handle.module.life);
    kind.of(handle.to_string())
}
