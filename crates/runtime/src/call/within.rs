//! Calls that a script makes of other tools: on its own thread, within its own time.

use super::Lines;
use super::account::{CallAccount, RunTimer};
use crate::answers::ResultTracker;
use crate::audit::{Entry, Trail};
use crate::catalog::{Catalog, Handle, Lookup};
use crate::errand::CallThread;
use crate::permit::Permit;
use crate::quota::RateCharge;
use crate::registry::{Meta, Shape};
use crate::request::{RequestError, RequestErrorKind, Verdict};
use crate::runtime::Runtime;
use model::{
    Args, Asker, Caller, HostError, Limits, Output, PossibleWrite, ReadOnlyCall, Unanswered,
};
use script::Cancel;
use std::fmt::Display;
use std::sync::Arc;
use std::time::Instant;

/// How deep calls may be made from calls.
const DEEPEST: usize = 8;

/// Where a script calls other tools from: on the same thread, within the same time.
pub(crate) struct Within<'a> {
    pub(crate) runtime: &'a Runtime,
    /// What was served when the outermost call came.
    pub(crate) catalog: &'a Arc<Catalog>,
    pub(crate) caller: &'a Caller,
    pub(crate) asker: Option<&'a Arc<dyn Asker>>,
    pub(crate) limits: &'a Limits,
    /// Who hears the outermost call hears what it calls.
    pub(crate) lines: Option<&'a Lines>,
    /// How many calls this one was made from.
    pub(crate) depth: usize,
    /// The thread they all run on; there is none for an inline call.
    pub(crate) thread: Option<&'a CallThread>,
    pub(crate) name: &'a (dyn Display + Sync),
    /// Set while a call of a read-only tool runs: it reaches read-only tools alone.
    pub(crate) read_only: Option<ReadOnlyCall<'a>>,
    /// Of the module whose script calls.
    pub(crate) permit: &'a Permit,
    pub(crate) trail: &'a Trail,
    pub(crate) tracker: Option<&'a ResultTracker>,
    pub(crate) cancel: Cancel,
    pub(crate) until: Instant,
}

impl Within<'_> {
    pub(crate) fn call(&self, tool: &str, args: Args) -> Result<Output, Unanswered> {
        if self.depth == DEEPEST {
            let why = format!(
                "{tool} was not called: {} is already {DEEPEST} calls deep in others",
                self.name
            );
            return Err(HostError(why).into());
        }
        let result = match Meta::named(tool) {
            Some(meta) => self.call_meta(meta, args),
            None => self.call_counted(tool, args, Shape::Raw, None),
        };
        result.map_err(|error| match &error.kind {
            RequestErrorKind::Asks => Unanswered::Later,
            _ => HostError(describe(tool, &error)).into(),
        })
    }

    pub(crate) fn call_counted(
        &self,
        tool: &str,
        args: Args,
        shape: Shape,
        via: Option<&'static str>,
    ) -> Result<Output, RequestError> {
        let account = CallAccount::begin(self.runtime, tool);
        let result = self.call_audited(tool, args, shape, via);
        account.finish(&result);
        result
    }

    fn call_audited(
        &self,
        tool: &str,
        args: Args,
        shape: Shape,
        via: Option<&'static str>,
    ) -> Result<Output, RequestError> {
        let trail = match via {
            Some(via) => self.trail.via(via),
            None if self.runtime.audit().is_on() => self.trail.via(self.name.to_string()),
            None => self.trail.clone(),
        };
        let mut entry = self.runtime.enter(tool, &args, self.caller, &trail)?;
        let result = self.call_inner(tool, args, shape, trail, &mut entry);
        match entry.end(&result) {
            Ok(None) => return result,
            Ok(Some(receipt)) => receipt.wait(),
            Err(unwritten) => Err(unwritten),
        }
        .map_err(|unwritten| RequestErrorKind::from(unwritten).of(tool))?;
        result
    }

    /// A tool that is not there is reported where it is looked up.
    fn check_permitted(&self, tool: &str) -> Result<(), RequestError> {
        match self.catalog.lookup(tool) {
            Lookup::Found(handle) => self.check_reachable(&handle),
            Lookup::Ambiguous(_) | Lookup::Unknown(_) => Ok(()),
        }
    }

    /// May the module's scripts call this tool, from this call?
    pub(crate) fn check_reachable(&self, handle: &Handle) -> Result<(), RequestError> {
        let permitted = self.permit.calls(&handle.path());
        let reachable = permitted.and_then(|()| match &self.read_only {
            Some(call) if !handle.tool().tool.is_read_only() => {
                call.check(&PossibleWrite::Tool(handle))
            }
            _ => Ok(()),
        });
        reachable.map_err(|denied| RequestErrorKind::from(denied).of(handle.to_string()))
    }

    fn call_inner(
        &self,
        tool: &str,
        args: Args,
        shape: Shape,
        trail: Trail,
        entry: &mut Entry,
    ) -> Result<Output, RequestError> {
        self.check_permitted(tool)?;
        let catalog = Arc::clone(self.catalog);
        let caller = self.caller.clone();
        let charged = RateCharge::Nothing;
        let mut job = self
            .runtime
            .job(catalog, tool, (args, shape), caller, charged, entry)?;
        job.trail = trail;
        let left = self.until.saturating_duration_since(Instant::now());
        job.depth = self.depth + 1;
        job.asker = self.asker.cloned();
        job.lines = self.lines.cloned();
        job.tracker = self.tracker.cloned();
        job.limits = Arc::new(Limits {
            time: job.limits.time.min(left),
            // Both are in memory at the same time.
            heap_bytes: self.limits.heap_bytes / 2,
            ..(*job.limits).clone()
        });
        let timer = RunTimer::start(job.meter());
        let keeping = match job.kept() {
            Ok(output) => {
                entry.cached();
                timer.finish(false);
                return Ok(output);
            }
            Err(keeping) => keeping,
        };
        let started = entry.start_blocking();
        started.map_err(|unwritten| RequestErrorKind::from(unwritten).of(tool))?;
        let visit = job.visit.take();
        let _inside = visit.and_then(|visit| Some(self.thread?.enter(visit)));
        let result = job.answer(job.run(self.cancel.clone(), self.thread, false));
        if let Some(keeping) = keeping {
            keeping.keep(self.runtime, &result);
        }
        timer.finish(Verdict::of(&result).is_failure());
        result
    }
}

fn describe(tool: &str, error: &RequestError) -> String {
    let sentence = error.to_string();
    match &error.kind {
        RequestErrorKind::Rejected { .. } => format!("{} was not called: {sentence}", error.target),
        RequestErrorKind::Denied(_) => sentence,
        // Where calls go in a circle, one name says it.
        _ if sentence.starts_with(tool) => sentence,
        _ => format!("{tool}: {sentence}"),
    }
}
