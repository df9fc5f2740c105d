//! Calls of tools.

use super::finish::RequestAccount;
use super::target::{FoundTarget, ScriptOutcome, TargetType};
use super::{Asking, GivenUp, RequestError, RequestErrorKind, TargetKind};
use crate::audit::Trail;
use crate::catalog::{Catalog, Handle, Lookup, Module};
use crate::lane::Lane;
use crate::meter::Meter;
use crate::registry::{Shape, Shaping};
use crate::runtime::Runtime;
use model::{Args, Cache, Caller, Limits, Output, ReadOnlyCall, Rejected, Structured};
use script::Turn;
use serde_json::Value;
use settings::StructuredResults;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A call with more arguments does not run inline: reading them alone takes a while.
const INLINE_ARGUMENTS: usize = 64;

pub(crate) struct ToolRequest {
    /// As listed, or `module.tool`.
    pub(crate) name: String,
    pub(crate) args: Args,
    pub(crate) shape: Shape,
    pub(crate) given_up: Option<GivenUp>,
    /// It may take as long as a task may.
    pub(crate) long: bool,
    pub(crate) timeout: Option<Duration>,
}

impl Runtime {
    /// Counts a call that could not be read.
    pub(crate) fn reject_call(
        &self,
        name: String,
        caller: &Caller,
        trail: &Trail,
        error: RequestError,
    ) -> RequestError {
        let target = ToolRequest::new(name, Args::new(), Shape::Raw);
        let (caller, trail) = (caller.clone(), trail.clone());
        let asking = Asking { caller, trail, ..Asking::default() };
        RequestAccount::begin(self, &target).reject(&target, &asking, error)
    }
}

impl ToolRequest {
    pub(super) fn new(name: String, args: Args, shape: Shape) -> Self {
        Self { name, args, shape, given_up: None, long: false, timeout: None }
    }
}

impl TargetType for ToolRequest {
    const METHOD: &'static str = "tools/call";
    type Reply = Output;
    type Found = Handle;

    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.name)
    }

    fn arguments(&self) -> Option<&Args> {
        Some(&self.args)
    }

    fn find(&self, catalog: &Catalog) -> Result<Handle, RequestError> {
        match catalog.lookup(&self.name) {
            Lookup::Found(handle) => Ok(handle),
            Lookup::Ambiguous(paths) => {
                let paths = paths.iter().map(ToString::to_string).collect();
                Err(RequestErrorKind::Ambiguous(TargetKind::Tool, paths).of(&self.name))
            }
            Lookup::Unknown(available) => {
                let unknown = RequestErrorKind::Unknown(TargetKind::Tool, available);
                let unknown = unknown.of(&self.name);
                Err(catalog.halted_or(&self.name, unknown))
            }
        }
    }

    fn error_target(&self, found: &Handle) -> String {
        found.to_string()
    }

    fn accept(&mut self, found: &mut Handle) -> Result<(), Rejected> {
        let tool = &found.tool().tool;
        let mut args = std::mem::take(&mut self.args);
        self.shape = std::mem::take(&mut self.shape).of_tool(tool, &mut args)?;
        self.args = tool.input.accept(args)?;
        Ok(())
    }

    fn limits(&self, runtime: &Runtime, found: &Handle) -> Arc<Limits> {
        let own = own_timeout(found);
        if !self.long {
            return runtime.limits_for(own);
        }
        let most = runtime.bounds().task_time;
        Arc::new(Limits {
            time: own.map_or(most, |own| own.min(most)),
            ..(**runtime.limits()).clone()
        })
    }

    fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    fn meter(runtime: &Runtime, found: &Handle) -> Option<Arc<Meter>> {
        let tool = &found.tool().tool.name;
        Some(runtime.stats().meters.of(&found.module.name, tool))
    }

    fn cache(found: &Handle) -> Option<Cache> {
        found.tool().tool.cache
    }

    fn cache_key(&self, found: &Handle, catalog: &Catalog) -> (String, String) {
        let shape = format!("{:?} {:?}", self.shape, self.structured(found, catalog));
        (found.tool().tool.name.to_string(), shape)
    }

    fn cache_args(&self) -> &Args {
        &self.args
    }

    fn read_only(found: &Handle) -> Option<ReadOnlyCall<'_>> {
        let tool = &found.tool().tool;
        tool.is_read_only().then_some(ReadOnlyCall { tool: found, reads: &tool.reads })
    }

    fn structured(&self, found: &Handle, catalog: &Catalog) -> Structured {
        let results = catalog.rules.server.structured;
        match self.shape {
            Shape::Raw | Shape::Compact(_) => Structured::Data,
            Shape::Declared if results == StructuredResults::Always => Structured::Both,
            Shape::Declared if results.listed_schema(&found.tool().tool).is_some() => {
                Structured::Both
            }
            Shape::Declared => Structured::Text,
        }
    }

    fn lane(found: &Handle) -> Option<&Lane> {
        Some(found.lane())
    }

    fn is_quick(&self, found: &Handle) -> bool {
        !self.long
            && found.lane().may_try_here()
            && self.args.len() <= INLINE_ARGUMENTS
            && self.args.values().all(is_small)
    }

    fn given_up(&self) -> Option<&GivenUp> {
        self.given_up.as_ref()
    }

    fn evaluate(
        &self,
        found: &Handle,
        catalog: &Catalog,
        turn: &Turn<'_>,
        until: Instant,
    ) -> ScriptOutcome<Output> {
        let (output, changes) = found.module.script.call(found.tool(), &self.args, turn)?;
        let shaping = Shaping {
            handle: found,
            budget: catalog.rules.server.result_tokens,
            results: catalog.rules.server.structured,
            turn,
            until,
        };
        let output = match &self.shape {
            Shape::Raw => output,
            Shape::Declared => shaping.declared(output)?,
            Shape::Compact(asked) => shaping.compact(output, asked)?,
        };
        Ok((output, changes))
    }
}

impl FoundTarget for Handle {
    fn module(&self) -> &Arc<Module> {
        &self.module
    }

    fn own_name(&self) -> &str {
        self.tool().tool.name.as_str()
    }
}

/// The author's time limit, of the tool or of its module.
fn own_timeout(handle: &Handle) -> Option<Duration> {
    let manifest = handle.module.manifest.as_ref();
    let own = manifest.and_then(|manifest| manifest.limits.timeout);
    let timeouts = [handle.tool().tool.timeout, own];
    timeouts.into_iter().flatten().min()
}

fn is_small(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() < 4 << 10,
        Value::Array(items) => items.len() < 64 && items.iter().all(is_small),
        Value::Object(map) => map.len() < 64 && map.values().all(is_small),
        _ => true,
    }
}
