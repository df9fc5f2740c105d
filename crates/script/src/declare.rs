//! How a script says what it offers: `tool(fn, …)`, `param(…)`, and starlark-mcp's `Extension`, `Tool`
//! and `ToolParameter`, which are plain dicts as they are there.

#![allow(
    clippy::too_many_arguments,
    clippy::unnecessary_wraps,
    reason = "the signatures are the original's, and the macro asks for Result"
)]

use crate::kinds::note;
use crate::stdlib::prelude::*;
use model::did_you_mean;
use starlark::codemap::Pos;

/// What `tool(fn, …)` takes besides the function.
const TOOL_OPTIONS: [&str; 20] = [
    "name",
    "title",
    "description",
    "read_only",
    "reads",
    "destructive",
    "idempotent",
    "open_world",
    "select",
    "compact",
    "examples",
    "questions",
    "params",
    "input_schema",
    "output_schema",
    "icons",
    "timeout",
    "task",
    "cache",
    "always",
];

const PARAM_RULES: [(&str, &str); 12] = [
    ("description", "description"),
    ("minimum", "minimum"),
    ("maximum", "maximum"),
    ("min_length", "minLength"),
    ("max_length", "maxLength"),
    ("min_items", "minItems"),
    ("max_items", "maxItems"),
    ("multiple_of", "multipleOf"),
    ("pattern", "pattern"),
    ("format", "format"),
    ("title", "title"),
    ("header", "x-mcp-header"),
];

pub(crate) const PARAM_TYPES: [&str; 12] = [
    "string", "integer", "number", "boolean", "array", "object", "int", "float", "bool", "str",
    "list", "dict",
];

pub(crate) fn add(builder: &mut GlobalsBuilder) {
    natives(builder);
}

pub(crate) fn known<'a>(
    what: &str,
    given: &str,
    there: impl Iterator<Item = &'a str> + Clone,
) -> anyhow::Result<()> {
    if there.clone().any(|name| name == given) {
        return Ok(());
    }
    match did_you_mean(given, there.clone()) {
        Some(near) => bail!("{what} has no `{given}`; did you mean `{near}`?"),
        None => {
            bail!("{what} has no `{given}`; there are {}", there.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A function with its options, as the reader of declarations takes it.
pub(crate) fn tool_entry<'v>(
    what: &str,
    func: Value<'v>,
    options: &DictRef<'v>,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<Value<'v>> {
    let heap = eval.heap();
    if func.get_type() != "function" {
        let write = what.replace(')', "my_function)");
        bail!("{what} takes a function, not a {}; write `{write}`", func.get_type());
    }
    let mut entry = vec![("kind", heap.alloc("tool")), ("fn", func)];
    for (key, value) in options.iter() {
        let key = key.unpack_str().unwrap_or_default();
        known(what, key, TOOL_OPTIONS.into_iter())?;
        entry.push((key, value));
    }
    if let Some(at) = eval.call_stack_top_location() {
        let offset = |at: Pos| i32::try_from(at.get()).unwrap_or_default();
        entry.push(("file", heap.alloc(at.filename())));
        entry.push(("begin", heap.alloc(offset(at.span.begin()))));
        entry.push(("end", heap.alloc(offset(at.span.end()))));
    }
    Ok(heap.alloc(AllocDict(entry)))
}

/// A function with its options; more is added for some kinds.
pub(crate) fn entry<'v>(
    kind: &str,
    func: Value<'v>,
    options: &DictRef<'v>,
    known_options: &[&str],
    more: Option<(&'static str, Value<'v>)>,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<Value<'v>> {
    let heap = eval.heap();
    let mut entry = vec![("kind", heap.alloc(kind)), ("fn", func)];
    entry.extend(more);
    for (key, value) in options.iter() {
        let key = key.unpack_str().unwrap_or_default();
        known(&format!("{kind}()"), key, known_options.iter().copied())?;
        entry.push((key, value));
    }
    Ok(heap.alloc(AllocDict(entry)))
}

#[starlark_module]
fn natives(builder: &mut GlobalsBuilder) {
    /// Offers a function as a tool: its name, docstring and types become what a client sees.
    ///
    /// By name it takes: `name`, `title`, `description`, `read_only`, `destructive`, `idempotent`,
    /// `open_world` (hints for the client), `reads` (below), `select` (the fields of an answer that are worth their
    /// tokens: `["number", "author: user.login", "labels[*].name"]`), `compact` (a function that makes
    /// an answer smaller, or a text of it),
    /// `examples` (a list of arguments), `questions` (requests in the words of users, in every language
    /// they use: tool search finds the tool by them, and no tool list shows them), `params` (a dict of
    /// `param`), `input_schema` (JSON Schema), `output_schema` (JSON Schema, or a type: a record names
    /// fields that a caller may rely on, and the result may have more; `t.call` fails a test whose
    /// result does not match), `icons`, `timeout`, `task`, `cache`, `always` (clients
    /// that load tools on demand are asked to load this one at once). With `task = True` a call that
    /// takes long becomes a task where the client knows tasks: it goes on while the client does
    /// something else and asks how far it is; `"required"` turns other clients away. With `cache = "60s"`
    /// an answer is given again for that long, to the same caller and for the same arguments, without
    /// running the function; with `cache = {"for": "60s", "public": True}` everybody gets it, which is
    /// right only where it is the same for all. During a call of a tool with `read_only = True`, writes of
    /// files and databases, commands, and requests other than GET and HEAD are denied, and `ctx.call`
    /// reaches tools with `read_only = True` only; `ctx.state` stays writable. `reads` lists requests and
    /// commands that only read all the same: `reads = ["POST api.example.org/v1/search", "exec git"]`. In a
    /// path `*` is one segment and `**` the rest; the host may be `*`. A first parameter called `ctx` gets the
    /// call's context and is not part of the schema.
    ///
    /// Examples:
    /// ```python
    /// def restock(pieces: int, at_least: int = 10) -> bool:
    ///     """Must this be bought again?
    ///
    ///     Args:
    ///         pieces: How many are there.
    ///     """
    ///     return pieces < at_least
    ///
    /// tool(
    ///     restock,
    ///     read_only = True,
    ///     questions = ["do we need to order more screws?"],
    ///     params = {"at_least": param(minimum = 1)},
    ///     timeout = "2s",
    /// )
    /// ```
    fn tool<'v>(
        #[starlark(require = pos)] func: Value<'v>,
        #[starlark(kwargs)] options: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let entry = tool_entry("tool()", func, &options, eval)?;
        note(entry, eval)?;
        Ok(func)
    }

    /// Rules for one parameter of a tool, beyond its type.
    ///
    /// By name: `description`, `title`, `minimum`, `maximum`, `min_length`, `max_length`, `min_items`,
    /// `max_items`, `multiple_of`, `pattern`, `format`, `header`.
    ///
    /// Examples:
    /// ```python
    /// >>> param(minimum = 1, max_length = 40)
    /// {"minimum": 1, "maxLength": 40}
    /// >>> param(minimun = 1)
    /// error: param() has no `minimun`; did you mean `minimum`?
    /// ```
    fn param<'v>(
        #[starlark(kwargs)] rules: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let mut entry = Vec::new();
        for (key, value) in rules.iter() {
            let key = key.unpack_str().unwrap_or_default();
            known("param()", key, PARAM_RULES.iter().map(|(ours, _)| *ours))?;
            let json_name =
                PARAM_RULES.iter().find(|(ours, _)| *ours == key).map_or(key, |(_, theirs)| theirs);
            to_json(value, eval.heap(), Budget { depth: 8, bytes: 4 << 10 })?;
            entry.push((json_name, value));
        }
        Ok(eval.heap().alloc(AllocDict(entry)))
    }

    /// What `describe_extension()` returns, as in starlark-mcp: a file's name, version and tools.
    ///
    /// `allowed_exec` names the commands that `exec.run` may run.
    ///
    /// Examples:
    /// ```python
    /// def roll(params):
    ///     return {"content": [{"type": "text", "text": "1 of %d" % params["sides"]}]}
    ///
    /// def describe_extension():
    ///     return Extension(
    ///         name = "dice",
    ///         version = "1.0.0",
    ///         description = "Chances of dice",
    ///         tools = [
    ///             Tool(
    ///                 name = "roll",
    ///                 description = "Chance of one side",
    ///                 parameters = [ToolParameter(name = "sides", param_type = "integer", default = 6)],
    ///                 handler = roll,
    ///             ),
    ///         ],
    ///     )
    /// ```
    #[allow(non_snake_case, reason = "the name is the original's")]
    fn Extension<'v>(
        name: &str,
        version: Option<&str>,
        description: Option<&str>,
        tools: Option<UnpackList<Value<'v>>>,
        allowed_exec: Option<Value<'v>>,
        resources: Option<Value<'v>>,
        prompts: Option<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let heap = eval.heap();
        let tools = tools.map(|t| t.items).unwrap_or_default();
        let list_or_empty = |value: Option<Value<'v>>| match value {
            Some(value) if !value.is_none() => value,
            _ => heap.alloc(AllocList::EMPTY),
        };
        Ok(heap.alloc(AllocDict([
            ("name", heap.alloc(name)),
            ("version", heap.alloc(version.unwrap_or("0.0.0"))),
            ("description", heap.alloc(description.unwrap_or_default())),
            ("tools", heap.alloc(AllocList(tools))),
            ("allowed_exec", list_or_empty(allowed_exec)),
            ("resources", list_or_empty(resources)),
            ("prompts", list_or_empty(prompts)),
        ])))
    }

    /// A tool as in starlark-mcp: parameters by hand, and a handler that gets them as one dict.
    ///
    /// The handler is `handler(params)` or `handler(params, ctx)`, a function of any kind.
    ///
    /// Examples:
    /// ```python
    /// >>> Tool(name = "roll", description = "Roll a die", handler = lambda params: 4)["parameters"]
    /// []
    /// >>> Tool(name = "roll")
    /// error: Tool `roll` has no handler; add handler = my_function
    /// ```
    #[allow(non_snake_case, reason = "the name is the original's")]
    fn Tool<'v>(
        name: &str,
        description: Option<&str>,
        parameters: Option<Value<'v>>,
        handler: Option<Value<'v>>,
        title: Option<Value<'v>>,
        annotations: Option<Value<'v>>,
        output_schema: Option<Value<'v>>,
        questions: Option<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let heap = eval.heap();
        let Some(handler) = handler else {
            bail!("Tool `{name}` has no handler; add handler = my_function")
        };
        if handler.get_type() != "function" {
            bail!("the handler of `{name}` must be a function, not a {}", handler.get_type());
        }
        let none = Value::new_none();
        let parameters = match parameters {
            Some(list) if !list.is_none() => list,
            _ => heap.alloc(AllocList::EMPTY),
        };
        Ok(heap.alloc(AllocDict([
            ("name", heap.alloc(name)),
            ("description", heap.alloc(description.unwrap_or_default())),
            ("parameters", parameters),
            ("handler", handler),
            ("title", title.unwrap_or(none)),
            ("annotations", annotations.unwrap_or(none)),
            ("output_schema", output_schema.unwrap_or(none)),
            ("questions", questions.unwrap_or(none)),
        ])))
    }

    /// A parameter as in starlark-mcp.
    ///
    /// `param_type` is string, integer or int, number or float, boolean or bool, array or object.
    ///
    /// Examples:
    /// ```python
    /// >>> ToolParameter(name = "sides", param_type = "integer", default = 6)["default"]
    /// 6
    /// >>> ToolParameter(name = "sides", param_type = "intger")
    /// error: param_type of `sides` has no `intger`; did you mean `integer`?
    /// ```
    #[allow(non_snake_case, reason = "the name is the original's")]
    fn ToolParameter<'v>(
        name: &str,
        param_type: &str,
        #[starlark(default = false)] required: bool,
        default: Option<Value<'v>>,
        #[starlark(default = "")] description: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        known(&format!("param_type of `{name}`"), param_type, PARAM_TYPES.into_iter())?;
        let heap = eval.heap();
        Ok(heap.alloc(AllocDict([
            ("name", heap.alloc(name)),
            ("param_type", heap.alloc(param_type)),
            ("required", Value::new_bool(required)),
            ("default", default.unwrap_or_else(Value::new_none)),
            ("description", heap.alloc(description)),
        ])))
    }
}
