//! `ctx`: what a call knows about itself, and what it may ask of its module.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]
#![allow(
    clippy::unnecessary_wraps,
    clippy::elidable_lifetime_names,
    reason = "starlark's macros ask for it"
)]

use crate::convert::{Budget, from_json, to_json};
use crate::cx::Cx;
use crate::script::Turn;
use crate::started::Started;
use crate::stdlib::asking;
use crate::stdlib::secret::Secret;
use crate::stdlib::state::State;
use crate::stdlib::tools::Tools;
use allocative::Allocative;
use model::{Args, Cancel};
use starlark::any::ProvidesStaticType;
use starlark::environment::{GlobalsBuilder, Methods, MethodsBuilder};
use starlark::eval::Evaluator;
use starlark::values::dict::{AllocDict, DictRef};
use starlark::values::float::StarlarkFloat;
use starlark::values::none::{NoneOr, NoneType};
use starlark::values::{
    Heap, NoSerialize, StarlarkPagablePanic, StarlarkValue, Value, ValueLike, starlark_value,
};
use starlark::{starlark_module, starlark_simple_value};
use std::fmt;
use std::sync::LazyLock;

#[derive(Debug, ProvidesStaticType, NoSerialize, Allocative, StarlarkPagablePanic)]
pub(crate) struct Context {
    #[allocative(skip)]
    cancel: Cancel,
    #[allocative(skip)]
    started: Started,
    caller: String,
}

impl Context {
    pub(crate) fn new(turn: &Turn<'_>) -> Self {
        Self {
            cancel: turn.cancel.clone(),
            started: turn.started.clone(),
            caller: turn.caller.name.to_string(),
        }
    }
}

starlark_simple_value!(Context);

impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ctx")
    }
}

#[starlark_value(type = "ctx")]
impl<'v> StarlarkValue<'v> for Context {
    fn get_methods() -> Option<&'static Methods> {
        Some(METHODS.methods())
    }
}

starlark::methods_static!(METHODS = all);

fn all(builder: &mut MethodsBuilder) {
    methods(builder);
    asking::methods(builder);
}

/// `ctx.log` is the library `log`.
static LOG: LazyLock<starlark::environment::Globals> = LazyLock::new(|| {
    GlobalsBuilder::new().with(|b| b.namespace("log", super::log::natives)).build()
});

#[starlark_module]
fn methods(builder: &mut MethodsBuilder) {
    /// Tells the client how far the call has come: so much, of how much, and what is going on.
    ///
    /// A client that did not ask for it is told nothing.
    ///
    /// Examples:
    /// ```python
    /// >>> ctx.progress(3, 10, "counting")
    /// None
    /// ```
    fn progress<'v>(
        this: Value<'v>,
        #[starlark(require = pos)] done: Value<'v>,
        #[starlark(default = NoneOr::None)] total: NoneOr<Value<'v>>,
        #[starlark(default = NoneOr::None)] message: NoneOr<&str>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        let _ = this;
        let done = number("progress", done)?;
        let total = total.into_option();
        let total = total.map(|total| number("progress", total)).transpose()?;
        Cx::host(eval)?.progress(done, total, message.into_option());
        Ok(NoneType)
    }

    /// Tells whoever has subscribed to a resource that it is not what it was.
    ///
    /// Examples:
    /// ```python
    /// >>> ctx.resource_updated("notes://today")
    /// None
    /// ```
    fn resource_updated<'v>(
        this: Value<'v>,
        #[starlark(require = pos)] uri: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        let _ = this;
        Cx::host(eval)?.resource_updated(uri);
        Ok(NoneType)
    }

    /// Has the client taken the call back? It is ended anyway, at its next step.
    ///
    /// Examples:
    /// ```python
    /// >>> ctx.cancelled
    /// False
    /// ```
    #[starlark(attribute)]
    fn cancelled(this: &Context) -> anyhow::Result<bool> {
        Ok(this.cancel.is_cancelled())
    }

    /// The module's configuration, merged from all layers and checked, as a dict.
    #[starlark(attribute)]
    fn config<'v>(this: &Context, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        Ok(this.started.config(heap))
    }

    /// What the modules that this one depends on returned from `start`, as a dict by name.
    #[starlark(attribute)]
    fn deps<'v>(this: &Context, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        Ok(this.started.deps(heap))
    }

    /// What the module's `start` returned; it cannot be changed.
    #[starlark(attribute)]
    fn instance<'v>(this: &Context, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        Ok(this.started.instance(heap))
    }

    /// Who is calling, as a dict with `name`.
    ///
    /// Examples:
    /// ```python
    /// >>> ctx.caller["name"]
    /// "local"
    /// ```
    #[starlark(attribute)]
    fn caller<'v>(this: &Context, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        Ok(heap.alloc(AllocDict([("name", heap.alloc(this.caller.as_str()))])))
    }

    /// What the module keeps across calls, reloads and restarts: see `ctx.state`.
    #[starlark(attribute)]
    fn state<'v>(this: Value<'v>, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        let _ = this;
        Ok(heap.alloc(State))
    }

    /// The module's tools, which may come and go: see `ctx.tools`.
    #[starlark(attribute)]
    fn tools<'v>(this: Value<'v>, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        let _ = this;
        Ok(heap.alloc(Tools))
    }

    /// Calls another tool, within what is left of this call's time; its answer as data.
    ///
    /// The tool is named as `module.tool`, its arguments are a dict. Tools of other modules need
    /// `depends_on`, `optional_deps` or `calls` under `[permissions]`. If it fails, so does this call;
    /// `attempt` goes on.
    ///
    /// Examples:
    /// ```python
    /// >>> ctx.call("other.echo", {"query": "screws"})
    /// {"query": "screws"}
    /// >>> ctx.call("other.fails")
    /// error: other.fails: it failed
    /// ```
    fn call<'v>(
        this: Value<'v>,
        #[starlark(require = pos)] tool: &str,
        #[starlark(require = pos)] args: Option<DictRef<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let _ = this;
        let host = Cx::host(eval)?;
        let budget = Budget::from(&Cx::of(eval)?.gauge.limits);
        let mut given = Args::new();
        for (key, value) in args.iter().flat_map(|args| args.iter().collect::<Vec<_>>()) {
            let Some(name) = key.unpack_str() else {
                anyhow::bail!("arguments are named by strings, not by a {}", key.get_type());
            };
            given.insert(name.to_owned(), to_json(value, eval.heap(), budget)?);
        }
        let output = host.call(tool, given);
        let output = output.map_err(|why| asking::unwound(why, eval))?;
        if output.is_error {
            anyhow::bail!("{tool}: {}", output.plain_text());
        }
        Ok(from_json(&output.into_json(), eval.heap())?)
    }

    /// A secret that the manifest names under `[secrets]`, to be handed to `http` as `auth`.
    ///
    /// A script holds its name alone: it cannot become part of a text or of a result, and lines of the log
    /// show its name. As `auth` it is sent as a bearer token, among `headers` as that header, and only to
    /// its `hosts`.
    ///
    /// Examples:
    /// ```python
    /// >>> http.get("https://api.example.org/items/3", auth = ctx.secret("token"))["status"]
    /// 200
    /// >>> "Bot %s" % ctx.secret("token")
    /// error: the secret `token` cannot become text: a script has its name, not its value
    /// ```
    fn secret<'v>(
        this: Value<'v>,
        #[starlark(require = pos)] name: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Secret> {
        let _ = this;
        Cx::host(eval)?.secret(name)?;
        Ok(Secret::new(name))
    }

    /// Lines for the server's log: the library `log`.
    #[starlark(attribute)]
    fn log<'v>(this: Value<'v>, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        let log = LOG.iter().find(|(name, _)| *name == "log").map(|(_, value)| value.to_value());
        let _ = (this, heap);
        log.ok_or_else(|| anyhow::anyhow!("the log library is not there"))
    }
}

pub(super) fn number(what: &str, value: Value<'_>) -> anyhow::Result<f64> {
    match (value.unpack_i32(), value.downcast_ref::<StarlarkFloat>()) {
        (Some(int), _) => Ok(f64::from(int)),
        (None, Some(float)) => Ok(float.0),
        _ => anyhow::bail!("{what} takes numbers, not a {}", value.get_type()),
    }
}
