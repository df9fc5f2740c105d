//! `ctx`: what a call knows about itself, and what it may ask of its module.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]

use crate::script::Turn;
use crate::started::Started;
use crate::stdlib::prelude::*;
use crate::stdlib::secret::Secret;
use crate::stdlib::{Natives, asking};
use model::{Args, Cancel};
use starlark::environment::Globals;
use starlark::values::float::StarlarkFloat;
use std::sync::LazyLock;

native_value! {
    pub(crate) struct Context {
        cancel: Cancel,
        started: Started,
        caller: String,
    }
    Context: "ctx", |_, f| f.write_str("ctx"), METHODS = all
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

fn all(builder: &mut MethodsBuilder) {
    asking::methods(builder);
    // The last one says what all of them are for.
    methods(builder);
}

/// What `ctx` has that is the same in every call.
pub(crate) const NAMESPACES: [(&str, Natives); 4] = [
    ("log", super::log::natives),
    ("question", super::question::natives),
    ("state", super::state::natives),
    ("tools", super::tools::natives),
];

pub(super) fn namespace<'v>(name: &str) -> anyhow::Result<Value<'v>> {
    static BUILT: LazyLock<Globals> = LazyLock::new(|| {
        let mut builder = GlobalsBuilder::new();
        for (name, natives) in NAMESPACES {
            builder.namespace(name, natives);
        }
        builder.build()
    });
    let mut namespaces = BUILT.iter();
    let namespace = namespaces.find(|(known, _)| *known == name);
    let namespace = namespace.map(|(_, namespace)| namespace.to_value());
    namespace.ok_or_else(|| anyhow::anyhow!("there is no `ctx.{name}`"))
}

/// What a call knows about itself and may ask of its module; a first parameter called `ctx` gets
/// it.
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
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] done: Value<'v>,
        #[starlark(default = NoneOr::None)] total: NoneOr<Value<'v>>,
        #[starlark(default = NoneOr::None)] message: NoneOr<&str>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
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
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] uri: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
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
    fn state<'v>(this: Value<'v>) -> anyhow::Result<Value<'v>> {
        let _ = this;
        namespace("state")
    }

    /// The module's tools, which may come and go: see `ctx.tools`.
    #[starlark(attribute)]
    fn tools<'v>(this: Value<'v>) -> anyhow::Result<Value<'v>> {
        let _ = this;
        namespace("tools")
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
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] tool: &str,
        #[starlark(require = pos)] args: Option<DictRef<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let host = Cx::host(eval)?;
        let budget = Budget::from(&Cx::of(eval)?.gauge.limits);
        let mut given = Args::new();
        for (key, value) in args.iter().flat_map(|args| args.iter().collect::<Vec<_>>()) {
            let Some(name) = key.unpack_str() else {
                bail!("arguments are named by strings, not by a {}", key.get_type());
            };
            given.insert(name.to_owned(), to_json(value, eval.heap(), budget)?);
        }
        let output = host.call(tool, given);
        let output = output.map_err(|why| asking::unwound(why, eval))?;
        if output.is_error {
            bail!("{tool}: {}", output.plain_text());
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
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] name: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Secret> {
        Cx::host(eval)?.secret(name)?;
        Ok(Secret::new(name))
    }

    /// Lines for the server's log: the library `log`.
    #[starlark(attribute)]
    fn log<'v>(this: Value<'v>) -> anyhow::Result<Value<'v>> {
        let _ = this;
        namespace("log")
    }
}

pub(super) fn number(what: &str, value: Value<'_>) -> anyhow::Result<f64> {
    match (value.unpack_i32(), value.downcast_ref::<StarlarkFloat>()) {
        (Some(int), _) => Ok(f64::from(int)),
        (None, Some(float)) => Ok(float.0),
        _ => bail!("{what} takes numbers, not a {}", value.get_type()),
    }
}
