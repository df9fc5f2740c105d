//! A loaded file: what it offers, and calling it from any thread.

use crate::compactor::Compactor;
use crate::convert::{Unwritable, float_from_json};
use crate::engine::Evaluated;
use crate::error::{SourceMap, raised};
use crate::gauge::Gauge;
use crate::hooks::Hooks;
use crate::loader::FileId;
use crate::prompt::ScriptPrompt;
use crate::resource::ScriptResource;
use crate::result::output;
use crate::signature::Kind;
use crate::stage::Stage;
use crate::started::Started;
use crate::stdlib::Patterns;
use crate::stdlib::context::Context;
use crate::stdlib::prelude::*;
use model::{
    Args, Caller, Cancel, Fault, Grant, Host, Limits, MemoryShare, ModuleName, Output, Permissions,
    Rights, Stop, Structured, Tool, ToolName,
};
use serde_json::Value as Json;
use starlark::environment::{FrozenModule, Module};
use starlark::values::OwnedFrozenValue;
use starlark::values::tuple::AllocTuple;
use std::collections::BTreeSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

/// A frozen file. `Send + Sync`: any number of calls run at once, each on a heap of its own.
pub struct Script {
    pub file: FileId,
    pub declared: Declared,
    pub tools: Vec<ScriptTool>,
    pub resources: Vec<ScriptResource>,
    pub prompts: Vec<ScriptPrompt>,
    /// Files it loads, directly or not.
    pub loads: BTreeSet<FileId>,
    pub(crate) hooks: Hooks,
    pub(crate) frozen: FrozenModule,
    pub(crate) sources: SourceMap,
    /// The types that it and the files it loads have named.
    pub(crate) ledgers: Vec<OwnedFrozenValue>,
    /// The folder that paths in it are relative to.
    pub(crate) base: String,
}

/// What a file says about itself.
#[derive(Debug, Clone, Default)]
pub struct Declared {
    pub name: Option<ModuleName>,
    pub version: Option<String>,
    pub description: Option<String>,
    pub allowed_exec: Vec<String>,
    /// By `permissions(…)`.
    pub permissions: Option<Permissions>,
    /// Is it in starlark-mcp's form, with starlark-mcp's default permissions?
    pub is_extension: bool,
    /// Is there anything to offer, or is it a library for other files?
    pub is_module: bool,
    /// Things worth knowing that did not keep it from loading.
    pub notes: Vec<String>,
    /// Tools that are not served, and why; the others are.
    pub invalid: Vec<Fault>,
}

impl Declared {
    /// What a single file that declares this may reach.
    pub fn rights(&self, module: &ModuleName, grant: Option<&Grant>) -> Rights {
        let (module, exec) = (module.as_str(), &self.allowed_exec);
        if self.is_extension {
            return Rights::of_extension(module, exec, grant);
        }
        Rights::of_file(module, self.permissions.as_ref(), exec, grant)
    }
}

#[derive(Debug, Clone)]
pub struct ScriptTool {
    pub tool: Tool,
    pub(crate) handler: OwnedFrozenValue,
    pub(crate) binding: Binding,
    pub(crate) compact: Option<Compactor>,
}

impl ScriptTool {
    /// Declared by a function's signature, not by `describe_extension`.
    pub fn is_typed(&self) -> bool {
        matches!(self.binding, Binding::Typed { .. })
    }
}

/// What a call did to its module's tools.
#[derive(Debug, Clone)]
pub enum ToolChange {
    Add(Box<ScriptTool>),
    Remove(ToolName),
}

/// How a handler gets its arguments.
#[derive(Debug, Clone)]
pub(crate) enum Binding {
    /// One dict, as starlark-mcp does it.
    Dict { ctx: bool },
    /// By name, each in the form its type asks for.
    Typed { ctx: bool, kinds: Vec<(String, Kind)>, positional: usize, output: bool },
}

/// What one call runs with.
pub struct Turn<'a> {
    pub host: &'a dyn Host,
    pub limits: &'a Limits,
    pub cancel: Cancel,
    /// Pauses it while the whole process has too little memory.
    pub memory: Option<&'a MemoryShare>,
    pub structured: Structured,
    pub caller: &'a Caller,
    /// What the module was started with, and what its `start` gave.
    pub started: &'a Started,
    /// Give up at the first host call or long loop, before anything has happened.
    pub trial: bool,
    /// Where the loop turns and calls that were taken are added up.
    pub ticks: Option<&'a AtomicU64>,
    /// What a test plays with.
    pub stage: Option<&'a Arc<dyn Stage>>,
}

static LOCAL: LazyLock<Caller> = LazyLock::new(Caller::default);
static UNSTARTED: LazyLock<Started> = LazyLock::new(Started::default);

impl<'a> Turn<'a> {
    /// A turn that is no trial, of a module that needs no start.
    pub fn new(host: &'a dyn Host, limits: &'a Limits) -> Self {
        Self {
            host,
            limits,
            cancel: Cancel::default(),
            memory: None,
            structured: Structured::Data,
            caller: &LOCAL,
            started: &UNSTARTED,
            trial: false,
            ticks: None,
            stage: None,
        }
    }
}

/// What a script raised with `error(kind, message, …)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Raised {
    pub kind: String,
    pub message: String,
    pub data: Json,
}

impl Raised {
    /// The message with its kind and data, for logs and status.
    pub fn with_kind(&self) -> String {
        let data = match self.data.as_object() {
            Some(data) if data.is_empty() => String::new(),
            _ => format!(" {}", self.data),
        };
        format!("{} [{}{data}]", self.message, self.kind)
    }
}

impl fmt::Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Raised {}

/// Why a call gave no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum CallFailure {
    /// The script failed; the fault is for its author, its message for the caller.
    Failed { fault: Fault, raised: Option<Raised> },
    /// A limit or the caller ended it.
    Stopped { stop: Stop, fault: Fault },
    /// A trial was given up: call again without `trial`, on a thread that may be held.
    NeedsThread,
    /// The script has questions that its client hears now: call again with the answers.
    Asks,
}

/// What a call holds is kept with the functions it adds, level by level: a bound on the first
/// bounds how deep that goes.
pub(crate) const MOST_KEPT: usize = 4 << 20;

impl Script {
    pub(crate) fn new(file: &FileId, evaluated: &Evaluated) -> Result<Self, Fault> {
        let offer = crate::offer::read(file, evaluated)?;
        Ok(Self {
            file: file.clone(),
            hooks: Hooks::find(&evaluated.frozen, &offer),
            declared: offer.declared,
            tools: offer.tools,
            resources: offer.resources,
            prompts: offer.prompts,
            loads: evaluated.loads.clone(),
            frozen: evaluated.frozen.clone(),
            sources: evaluated.sources.clone(),
            ledgers: evaluated.ledgers.clone(),
            base: evaluated.base.clone(),
        })
    }

    /// Calls a tool with arguments that its schema has accepted.
    pub fn call(
        &self,
        tool: &ScriptTool,
        args: &Args,
        turn: &Turn<'_>,
    ) -> Result<(Output, Vec<ToolChange>), CallFailure> {
        let work = |eval: &mut Evaluator<'_, '_, '_>| tool.invoke(args, turn, eval);
        let (output, noted) = self.on_fresh_heap(turn, MOST_KEPT, work)?;
        let changes = match noted {
            Some(frozen) => self.tool_changes(&frozen)?,
            None => Vec::new(),
        };
        Ok((output, changes))
    }

    /// What the tool's author makes of a result, where he makes something of it.
    pub fn compact(
        &self,
        tool: &ScriptTool,
        result: &Json,
        turn: &Turn<'_>,
    ) -> Option<Result<Json, CallFailure>> {
        let compactor = tool.compact.as_ref()?;
        Some(self.compact_by(compactor, result, turn))
    }

    /// Evaluates where tools stay as they are.
    pub(crate) fn evaluate<T>(
        &self,
        turn: &Turn<'_>,
        work: impl for<'v> FnOnce(&mut Evaluator<'v, '_, '_>) -> starlark::Result<T>,
    ) -> Result<T, CallFailure> {
        match self.on_fresh_heap(turn, MOST_KEPT, work)? {
            (outcome, None) => Ok(outcome),
            (_, Some(_)) => Err(unkept("ctx.tools works in tools and in `start` only".into())),
        }
    }

    /// The tools that an evaluation has added and removed, in order.
    pub(crate) fn tool_changes(
        &self,
        frozen: &FrozenModule,
    ) -> Result<Vec<ToolChange>, CallFailure> {
        crate::offer::changes(self, frozen)
            .map_err(|fault| CallFailure::Failed { fault, raised: None })
    }

    /// Evaluates on a heap of its own. What the evaluation noted is kept, frozen, if the whole heap
    /// is not larger than this.
    pub(crate) fn on_fresh_heap<T>(
        &self,
        turn: &Turn<'_>,
        most_kept: usize,
        work: impl for<'v> FnOnce(&mut Evaluator<'v, '_, '_>) -> starlark::Result<T>,
    ) -> Result<(T, Option<FrozenModule>), CallFailure> {
        let attempt = catch_unwind(AssertUnwindSafe(|| {
            Module::with_temp_heap(|module| {
                let gauge =
                    Gauge::new(turn.limits, turn.cancel.clone(), turn.memory.cloned(), turn.trial);
                let cx = Cx {
                    host: turn.host,
                    gauge: gauge.clone(),
                    base: &self.base,
                    loading: None,
                    patterns: Patterns::default(),
                    stage: turn.stage,
                    sources: Some(&self.sources),
                };
                let outcome = {
                    let mut eval = Evaluator::new(&module);
                    eval.extra = Some(&cx);
                    let worked = gauge
                        .install(&mut eval)
                        .map_err(starlark::Error::from)
                        .and_then(|()| work(&mut eval));
                    if let Some(ticks) = turn.ticks {
                        ticks.fetch_add(eval.get_total_tick_count(), Ordering::Relaxed);
                    }
                    worked.map_err(|error| self.failure(&error, &gauge, &eval, turn))?
                };
                if module.extra_value().is_none() {
                    return Ok((outcome, None));
                }
                if module.heap().allocated_bytes() > most_kept {
                    let most = most_kept >> 20;
                    return Err(unkept(format!(
                        "a call that adds or removes tools may use {most} MiB"
                    )));
                }
                let frozen = module.freeze();
                let frozen = frozen.map_err(|why| unkept(format!("cannot be kept: {why:?}")))?;
                Ok((outcome, Some(frozen)))
            })
        }));
        attempt.unwrap_or_else(|_| {
            let fault = Fault::new("the engine gave up on this call");
            Err(CallFailure::Failed { fault, raised: None })
        })
    }

    fn failure(
        &self,
        error: &starlark::Error,
        gauge: &Gauge,
        eval: &Evaluator<'_, '_, '_>,
        turn: &Turn<'_>,
    ) -> CallFailure {
        if gauge.trial_failed(eval) {
            return CallFailure::NeedsThread;
        }
        if gauge.is_handed_over() {
            return CallFailure::Asks;
        }
        let mut fault = self.sources.fault(error);
        if fault.place.is_none() {
            fault.place = gauge.last_statement().and_then(|span| self.sources.place(&span));
        }
        if let Some(stop) = gauge.stopped(eval) {
            fault.message = stop.sentence(turn.limits);
            CallFailure::Stopped { stop, fault }
        } else {
            CallFailure::Failed { fault, raised: raised(error).cloned() }
        }
    }
}

impl ScriptTool {
    fn invoke(
        &self,
        args: &Args,
        turn: &Turn<'_>,
        eval: &mut Evaluator<'_, '_, '_>,
    ) -> starlark::Result<Output> {
        let value = self.binding.call(&self.handler, args, turn, eval)?;
        let typed = match &self.binding {
            Binding::Dict { .. } => self.tool.output.is_some(),
            Binding::Typed { output, .. } => *output,
        };
        Ok(output(value, typed, turn.structured, eval.heap(), Budget::from(turn.limits))
            .map_err(anyhow::Error::from)?)
    }
}

impl Binding {
    /// Calls a handler with its arguments in the form it takes them.
    pub(crate) fn call<'v>(
        &self,
        handler: &OwnedFrozenValue,
        args: &Args,
        turn: &Turn<'_>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let heap = eval.heap();
        let handler = heap.access_owned_frozen_value(handler);
        let context = || heap.alloc(Context::new(turn));
        let mut receiver = Receiver::new(heap);
        match self {
            Binding::Dict { ctx } => {
                let mut entries = Vec::with_capacity(args.len());
                for (name, json) in args {
                    let value = receiver.field(json).map_err(|why| unread(name, &why))?;
                    entries.push((name.as_str(), value));
                }
                let params = heap.alloc(AllocDict(entries));
                if *ctx {
                    eval.eval_function(handler, &[params, context()], &[])
                } else {
                    eval.eval_function(handler, &[params], &[])
                }
            }
            Binding::Typed { ctx, kinds, positional, .. } => {
                let mut by_position: Vec<Value> = if *ctx { vec![context()] } else { Vec::new() };
                let mut by_name = Vec::with_capacity(args.len());
                for (name, json) in args {
                    let place = kinds.iter().position(|(known, _)| known == name);
                    let kind = place.map_or(&Kind::Plain, |i| &kinds[i].1);
                    let value = build(json, kind, &mut receiver, eval);
                    let value = value.map_err(|error| match error {
                        Unbuilt::Unread(why) => unread(name, &why),
                        Unbuilt::Raised(error) => error,
                    })?;
                    match place {
                        Some(i) if i < *positional => by_position.push(value),
                        _ => by_name.push((name.as_str(), value)),
                    }
                }
                eval.eval_function(handler, &by_position, &by_name)
            }
        }
    }
}

fn unkept(why: String) -> CallFailure {
    CallFailure::Failed { fault: Fault::new(why), raised: None }
}

fn unread(argument: &str, why: &Unwritable) -> starlark::Error {
    anyhow::anyhow!("`{argument}`: {why}").into()
}

/// Why an argument did not become a value.
enum Unbuilt {
    Unread(Unwritable),
    /// The constructor of its type raised it.
    Raised(starlark::Error),
}

impl From<Unwritable> for Unbuilt {
    fn from(why: Unwritable) -> Self {
        Self::Unread(why)
    }
}

impl From<starlark::Error> for Unbuilt {
    fn from(error: starlark::Error) -> Self {
        Self::Raised(error)
    }
}

/// JSON in the form a type asks for: ints as floats, strings as enum values, objects as records.
fn build<'v>(
    json: &Json,
    kind: &Kind,
    receiver: &mut Receiver<'v>,
    eval: &mut Evaluator<'v, '_, '_>,
) -> Result<Value<'v>, Unbuilt> {
    let heap = eval.heap();
    Ok(match (kind, json) {
        (Kind::Float, Json::Number(number)) => {
            let float = heap.alloc(float_from_json(number)?);
            receiver.items(&[float])?;
            float
        }
        (Kind::List(item), Json::Array(items)) if !item.is_plain() => {
            let items = items.iter().map(|i| build(i, item, receiver, eval));
            let items: Result<Vec<Value>, _> = items.collect();
            heap.alloc(AllocList(items?))
        }
        (Kind::Tuple(kinds), Json::Array(items)) => {
            let mut values = Vec::with_capacity(items.len());
            for (i, item) in items.iter().enumerate() {
                let kind = kinds.get(i).unwrap_or(&Kind::Plain);
                values.push(build(item, kind, receiver, eval)?);
            }
            heap.alloc(AllocTuple(values))
        }
        (Kind::Dict(item), Json::Object(map)) if !item.is_plain() => {
            let mut entries = Vec::with_capacity(map.len());
            for (key, value) in map {
                let value = build(value, item, receiver, eval)?;
                entries.push((receiver.key(key)?, value));
            }
            heap.alloc(AllocDict(entries))
        }
        (Kind::Enum(constructor), json) => {
            let constructor = heap.access_owned_frozen_value(constructor);
            let value = receiver.field(json)?;
            eval.eval_function(constructor, &[value], &[])?
        }
        (Kind::Record(constructor, kinds), Json::Object(map)) => {
            let constructor = heap.access_owned_frozen_value(constructor);
            let mut named = Vec::with_capacity(map.len());
            for (key, value) in map {
                let kind = kinds
                    .iter()
                    .find(|(name, _)| name == key)
                    .map_or(&Kind::Plain, |(_, kind)| kind);
                named.push((key.as_str(), build(value, kind, receiver, eval)?));
            }
            eval.eval_function(constructor, &[], &named)?
        }
        (Kind::Union(kinds), json) => {
            let fits = |schema: &model::Schema| {
                let mut wrong = Vec::new();
                schema.accept(json.clone(), "", &mut wrong);
                wrong.is_empty()
            };
            // 3 is an int of `int | float`, though a float could be made of it.
            let exact = kinds.iter().find(|(schema, _)| schema.is_exactly(json));
            match exact.or_else(|| kinds.iter().find(|(schema, _)| fits(schema))) {
                Some((_, kind)) => build(json, kind, receiver, eval)?,
                None => receiver.field(json)?,
            }
        }
        (_, json) => receiver.field(json)?,
    })
}
