//! A module's lifecycle in its own words: `start`, `stop` and `status`, each of them optional.

use crate::convert::{Budget, to_json};
use crate::kinds::keep;
use crate::nesting;
use crate::offer::Offer;
use crate::script::{CallFailure, Script, ToolChange, Turn};
use crate::started::{Started, part};
use crate::stdlib::context::Context;
use model::Fault;
use serde_json::Value as Json;
use starlark::environment::FrozenModule;
use starlark::eval::{Evaluator, ParametersSpec};
use starlark::values::dict::{AllocDict, DictRef};
use starlark::values::{Heap, OwnedFrozenValue, Value};
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hook {
    Start,
    Stop,
    Status,
}

impl fmt::Display for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Start => "start",
            Self::Stop => "stop",
            Self::Status => "status",
        })
    }
}

impl Hook {
    const ALL: [Self; 3] = [Self::Start, Self::Stop, Self::Status];

    /// How it is written, and with how many parameters besides `ctx`.
    fn form(self) -> (&'static str, usize) {
        match self {
            Self::Start => ("start(deps, config)", 2),
            Self::Stop => ("stop(instance)", 1),
            Self::Status => ("status(instance)", 1),
        }
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Hooks(Vec<(Hook, OwnedFrozenValue)>);

impl Hooks {
    /// Functions of these names; one that is offered, as a tool say, is that and no hook.
    pub(crate) fn find(frozen: &FrozenModule, offer: &Offer) -> Self {
        let is_hook = |function: &OwnedFrozenValue| {
            let value = function.value();
            value.get_type() == "function" && !offer.has(value)
        };
        let found = Hook::ALL.into_iter().filter_map(|hook| {
            // Not `get`, whose error looks for similar names.
            let function = frozen.get_option(&hook.to_string()).ok().flatten()?;
            is_hook(&function).then_some((hook, function))
        });
        Self(found.collect())
    }

    fn get(&self, wanted: Hook) -> Option<&OwnedFrozenValue> {
        let mut hooks = self.0.iter();
        hooks.find_map(|(hook, function)| (*hook == wanted).then_some(function))
    }
}

/// The last entry of what a `start` keeps.
const STARTED: &str = "started";

impl Script {
    pub fn has(&self, hook: Hook) -> bool {
        self.hooks.get(hook).is_some()
    }

    /// A hook that cannot be called the way hooks are called.
    pub fn check_hooks(&self) -> Result<(), Fault> {
        for (hook, function) in &self.hooks.0 {
            let (form, wanted) = hook.form();
            let spec = function.value().parameters_spec();
            let takes = spec.map_or(0, ParametersSpec::len);
            if takes != wanted && takes != wanted + 1 {
                let message = format!("`{hook}` takes {takes} parameters; write `def {form}:`");
                let help = format!(
                    "a last parameter may take ctx; a function that is no hook needs another name than `{hook}`"
                );
                return Err(self.at_definition(&hook.to_string(), Fault::new(message).help(help)));
            }
        }
        Ok(())
    }

    /// Runs `start`; answers what the module has now, and the tools that came by it.
    pub fn start(&self, turn: &Turn<'_>) -> Result<(Started, Vec<ToolChange>), CallFailure> {
        let started = turn.started.clone();
        let Some(start) = self.hooks.get(Hook::Start) else {
            return Ok((started, Vec::new()));
        };
        let ((), noted) = self.on_fresh_heap(turn, turn.limits.heap_bytes, |eval| {
            let heap = eval.heap();
            let args = [turn.started.deps(heap), turn.started.config(heap)];
            let instance = run(Hook::Start, start, &args, turn, eval)?;
            let entry = [("kind", heap.alloc(STARTED)), ("instance", instance)];
            Ok(keep(heap.alloc(AllocDict(entry)), eval)?)
        })?;
        let Some(frozen) = noted else {
            return Ok((started, Vec::new()));
        };
        let started = started.with_instance(instance(&frozen));
        Ok((started, self.tool_changes(&frozen)?))
    }

    pub fn stop(&self, turn: &Turn<'_>) -> Result<(), CallFailure> {
        self.ask(Hook::Stop, turn, |_, _| Ok(())).map(|_| ())
    }

    /// What `status` says: a dict whose `status` is ok, degraded or error.
    pub fn status(&self, turn: &Turn<'_>) -> Result<Option<Json>, CallFailure> {
        let budget = Budget { depth: 32, bytes: 64 << 10 };
        self.ask(Hook::Status, turn, |value, heap| {
            let json = to_json(value, heap, budget).map_err(anyhow::Error::from)?;
            let word = json.get("status").and_then(Json::as_str);
            if !word.is_some_and(|word| ["ok", "degraded", "error"].contains(&word)) {
                return Err(anyhow::anyhow!(
                    "status() must return a dict with \"status\": \"ok\", \"degraded\" or \"error\", not {json}"
                )
                .into());
            }
            Ok(json)
        })
    }

    fn ask<T>(
        &self,
        hook: Hook,
        turn: &Turn<'_>,
        read: impl for<'v> FnOnce(Value<'v>, Heap<'v>) -> starlark::Result<T>,
    ) -> Result<Option<T>, CallFailure> {
        let Some(function) = self.hooks.get(hook) else {
            return Ok(None);
        };
        let (answer, _) = self.on_fresh_heap(turn, turn.limits.heap_bytes, |eval| {
            let heap = eval.heap();
            let value = run(hook, function, &[turn.started.instance(heap)], turn, eval)?;
            read(value, heap)
        })?;
        Ok(Some(answer))
    }

    /// The fault at the `def` of a function of this file.
    fn at_definition(&self, function: &str, fault: Fault) -> Fault {
        let def = format!("def {function}");
        let place = self.sources.0.get(&self.file).and_then(|source| {
            let source = &source.text;
            let begin = source.find(&format!("{def}("))?;
            Some(nesting::place(&self.file, source, begin, begin + def.len()))
        });
        Fault { place, ..fault }
    }
}

fn run<'v>(
    hook: Hook,
    function: &OwnedFrozenValue,
    args: &[Value<'v>],
    turn: &Turn<'_>,
    eval: &mut Evaluator<'v, '_, '_>,
) -> starlark::Result<Value<'v>> {
    let heap = eval.heap();
    let function = heap.access_owned_frozen_value(function);
    let spec = function.parameters_spec();
    let takes_ctx = spec.is_some_and(|spec| spec.len() > hook.form().1);
    let mut args = args.to_vec();
    if takes_ctx {
        args.push(heap.alloc(Context::new(turn)));
    }
    eval.eval_function(function, &args, &[])
}

fn instance(frozen: &FrozenModule) -> Option<OwnedFrozenValue> {
    let ledger = frozen.owned_extra_value()?;
    let entry = DictRef::from_value(ledger.value())?.values().last()?.unpack_frozen()?;
    part(Some(ledger.map(|_| entry)), "instance")
}
