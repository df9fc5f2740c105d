//! Calls that a script makes of other tools: on its own thread, within its own time.

use super::finish::RequestAccount;
use super::tool_call::ToolRequest;
use super::{Asking, RequestError, RequestErrorKind};
use crate::answers::ResultTracker;
use crate::audit::Trail;
use crate::catalog::{Catalog, Handle, Lookup};
use crate::errand::CallThread;
use crate::permit::Permit;
use crate::registry::{Meta, Shape};
use crate::runtime::Runtime;
use model::{
    Args, Asker, Caller, HostError, Limits, Output, PossibleWrite, ReadOnlyCall, Unanswered,
};
use script::Cancel;
use std::fmt::Display;
use std::sync::Arc;
use std::time::Instant;

/// Depth of calls in calls, at most.
const DEEPEST: usize = 8;

/// A running script that may call other tools.
pub(crate) struct Within<'a> {
    pub(crate) runtime: &'a Runtime,
    /// Served when the outermost request came.
    pub(crate) catalog: &'a Arc<Catalog>,
    pub(crate) caller: &'a Caller,
    pub(crate) asker: Option<&'a Arc<dyn Asker>>,
    pub(crate) limits: &'a Limits,
    /// Receives log lines of the outermost request and of all that it calls.
    pub(crate) lines: Option<&'a super::Lines>,
    /// Number of calls that this one is nested in.
    pub(crate) depth: usize,
    /// The thread they all run on; there is none for an inline run.
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
            None => self.request(tool, args, Shape::Raw, None),
        };
        result.map_err(|error| match &error.kind {
            RequestErrorKind::Asks => Unanswered::Later,
            _ => HostError(describe(tool, &error)).into(),
        })
    }

    /// The driver of requests on the thread of a script, which waits.
    pub(crate) fn request(
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
        let target = ToolRequest::new(tool.to_owned(), args, shape);
        let asking = Asking {
            lines: self.lines.cloned(),
            asker: self.asker.cloned(),
            caller: self.caller.clone(),
            trail,
            ..Asking::default()
        };
        let mut account = RequestAccount::begin(self.runtime, &target);
        let result = self.run(target, asking, &mut account);
        account.finish_blocking(result)
    }

    fn run(
        &self,
        target: ToolRequest,
        asking: Asking,
        account: &mut RequestAccount<'_>,
    ) -> Result<Output, RequestError> {
        account.open(&target, &asking)?;
        self.check_permitted(&target.name)?;
        let catalog = Arc::clone(self.catalog);
        let mut prepared = self.runtime.prepare(target, asking, catalog, account)?;
        let left = self.until.saturating_duration_since(Instant::now());
        prepared.depth = self.depth + 1;
        prepared.tracker = self.tracker.cloned();
        prepared.limits = Arc::new(Limits {
            time: prepared.limits.time.min(left),
            // Both are in memory at the same time.
            heap_bytes: self.limits.heap_bytes / 2,
            ..(*prepared.limits).clone()
        });
        if let Some(output) = account.begin_run(&mut prepared) {
            return Ok(output);
        }
        account.start_blocking()?;
        let visit = prepared.visit.take();
        let _inside = visit.and_then(|visit| Some(self.thread?.enter(visit)));
        let result = prepared.run_here(self.cancel.clone(), self.thread, false);
        result.map_err(|failure| prepared.report(failure.into()))
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
