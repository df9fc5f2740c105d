//! Names and arguments of the meta tools.

use crate::catalog::Handle;
use crate::request::{RequestError, RequestErrorKind};
use model::{Args, Field, Hints, Input, Problem, Rejected, Schema, normalize_call};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::LazyLock;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meta {
    /// Finds modules and tools, and says what they take.
    Schema,
    /// Calls one tool.
    Call,
    /// Calls one tool or several, if all are declared read-only.
    CallReadonly,
    /// Calls several, which may use each other's results.
    Batch,
}

impl Meta {
    /// In the order of the alphabet, as lists are.
    pub const ALL: [Self; 4] = [Self::Batch, Self::Call, Self::CallReadonly, Self::Schema];

    pub fn named(name: &str) -> Option<Self> {
        match name {
            "get_module_schema" => Some(Self::Schema),
            "call" | "call_module_tool" => Some(Self::Call),
            "call_readonly" => Some(Self::CallReadonly),
            "batch" => Some(Self::Batch),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Schema => "get_module_schema",
            Self::Call => "call",
            Self::CallReadonly => "call_readonly",
            Self::Batch => "batch",
        }
    }

    /// For people.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Schema => "Find tools",
            Self::Call => "Call a tool",
            Self::CallReadonly => "Call read-only tools",
            Self::Batch => "Call several tools",
        }
    }

    /// Those that call tools may do whatever the tools do.
    pub(super) fn hints(self) -> Hints {
        let is_read_only = matches!(self, Self::Schema | Self::CallReadonly);
        Hints {
            read_only: Some(is_read_only),
            destructive: Some(!is_read_only),
            idempotent: None,
            open_world: Some(self != Self::Schema),
        }
    }

    /// Does it run tasks, by what it is called with?
    pub(crate) fn is_batch(self, args: &Args) -> bool {
        let has_tasks = || args.contains_key("tasks") || args.contains_key("commands");
        self == Self::Batch || self == Self::CallReadonly && has_tasks()
    }

    /// May it call this tool?
    pub(crate) fn check_tool(self, handle: &Handle) -> Result<(), RequestError> {
        if self != Self::CallReadonly || handle.tool().tool.hints.read_only == Some(true) {
            return Ok(());
        }
        Err(RequestErrorKind::NotReadOnly.of(handle.to_string()))
    }

    pub fn input(self) -> &'static Input {
        static SCHEMA: LazyLock<Input> = LazyLock::new(|| input(Meta::Schema));
        static CALL: LazyLock<Input> = LazyLock::new(|| input(Meta::Call));
        static READONLY: LazyLock<Input> = LazyLock::new(|| input(Meta::CallReadonly));
        static BATCH: LazyLock<Input> = LazyLock::new(|| input(Meta::Batch));
        match self {
            Self::Schema => &SCHEMA,
            Self::Call => &CALL,
            Self::CallReadonly => &READONLY,
            Self::Batch => &BATCH,
        }
    }

    /// Arguments in the form they are read in, other spellings of theirs included.
    pub(crate) fn accept(self, mut args: Args) -> Result<Args, Rejected> {
        // Models write null for what they leave out.
        args.retain(|_, value| !value.is_null());
        if self.is_batch(&args) {
            return accept_tasks(self, args);
        }
        match self {
            Self::Schema => accept_schema(args),
            _ => accept_call(args),
        }
    }
}

fn accept_schema(mut args: Args) -> Result<Args, Rejected> {
    if !args.contains_key("modules")
        && let Some(module) = args.remove("module")
    {
        args.insert("modules".to_owned(), module);
    }
    accept_beside_text(Meta::Schema, "modules", args)
}

fn accept_call(args: Args) -> Result<Args, Rejected> {
    let mut args = Cow::Owned(args);
    normalize_call(&mut args);
    accept_beside_text(Meta::Call, "select", args.into_owned())
}

/// Where a list is wanted a text is taken too, though schemas do not say so: that saves tokens.
fn accept_beside_text(meta: Meta, list: &str, mut args: Args) -> Result<Args, Rejected> {
    let text = args.get_mut(list).filter(|value| value.is_string());
    let text = text.map(|value| std::mem::replace(value, Value::Array(Vec::new())));
    let mut args = meta.input().accept(args)?;
    if let Some(text) = text {
        args.insert(list.to_owned(), text);
    }
    Ok(args)
}

/// The tasks, in whatever form: the plan says what is wrong with them.
fn accept_tasks(meta: Meta, mut args: Args) -> Result<Args, Rejected> {
    let tasks = args.shift_remove("tasks");
    let tasks = tasks.or_else(|| args.shift_remove("commands"));
    let tool = args.keys().find(|name| ["module", "tool", "params"].contains(&name.as_str()));
    if let (Meta::CallReadonly, Some(name)) = (meta, tool) {
        let message = "stands beside `tasks`: name one tool, or give tasks that name theirs";
        let (field, message) = (name.clone(), message.to_owned());
        return Err(Rejected(vec![Problem { field, message }]));
    }
    // Checks for other names, and for tasks that are not there.
    let shown = tasks.iter().map(|_| ("tasks".to_owned(), Value::Array(Vec::new())));
    Meta::Batch.input().accept(args.into_iter().chain(shown).collect())?;
    Ok(tasks.map(|tasks| ("tasks".to_owned(), tasks)).into_iter().collect())
}

fn input(meta: Meta) -> Input {
    let texts = || Schema::List(Box::new(Schema::Str));
    let one_of =
        |choices: &[&str]| Schema::OneOf(choices.iter().map(|choice| (*choice).into()).collect());
    let optional = |name: &str, schema| Field::optional(name, schema, None);
    let params = || optional("params", Schema::Dict(Box::new(Schema::Any)));
    let fields = match meta {
        Meta::Schema => vec![
            optional("modules", texts()),
            optional("query", Schema::Str),
            optional("detail", one_of(&["names", "signatures", "full"])),
            optional("format", one_of(&["text", "json"])),
        ],
        Meta::Call => vec![
            Field::required("module", Schema::Str),
            Field::required("tool", Schema::Str),
            params(),
            optional("output", one_of(&["compact", "json", "toon", "markdown"])),
            optional("select", texts()),
        ],
        Meta::CallReadonly => {
            let tasks = Schema::List(Box::new(Schema::Dict(Box::new(Schema::Any))));
            let names = ["module", "tool"].map(|name| optional(name, Schema::Str));
            names.into_iter().chain([params(), optional("tasks", tasks)]).collect()
        }
        Meta::Batch => vec![Field::required("tasks", Schema::List(Box::new(task_item())))],
    };
    // It takes what the others take: that is checked when one of them is meant, and not listed twice.
    Input::typed(fields, meta == Meta::CallReadonly)
}

/// One task of a batch, with every field it can have. What a field takes besides is in its error.
fn task_item() -> Schema {
    let optional = |name: &str, schema| Field::optional(name, schema, None);
    let texts = || Schema::List(Box::new(Schema::Str));
    let fields = vec![
        Field::required("id", Schema::Str),
        Field::required("module", Schema::Str),
        Field::required("tool", Schema::Str),
        optional("params", Schema::Dict(Box::new(Schema::Any))),
        optional("after", texts()),
        optional("output", Schema::Bool),
        optional("raw_output", Schema::Bool),
        optional("select", texts()),
        optional("foreach", Schema::Any),
        optional("when", Schema::Str),
        optional("on_error", Schema::OneOf(vec!["fail".into(), "continue".into()])),
        optional("retry", Schema::Int),
        optional("timeout_ms", Schema::Int),
    ];
    let name = "task".to_owned();
    Schema::Record { name, fields }
}
