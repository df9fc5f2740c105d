//! What the meta tools are called, and what they take.

use model::{Args, Field, Hints, Input, Rejected, Schema};
use serde_json::Value;
use std::sync::LazyLock;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meta {
    /// Finds modules and tools, and says what they take.
    Schema,
    /// Calls one tool.
    Call,
    /// Calls several, which may use each other's results.
    Batch,
}

impl Meta {
    /// In the order of the alphabet, as lists are.
    pub const ALL: [Self; 3] = [Self::Batch, Self::Call, Self::Schema];

    pub fn named(name: &str) -> Option<Self> {
        match name {
            "get_module_schema" => Some(Self::Schema),
            "call" | "call_module_tool" => Some(Self::Call),
            "batch" => Some(Self::Batch),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Schema => "get_module_schema",
            Self::Call => "call",
            Self::Batch => "batch",
        }
    }

    /// For people.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Schema => "Find tools",
            Self::Call => "Call a tool",
            Self::Batch => "Call several tools",
        }
    }

    /// Those that call tools may do whatever the tools do.
    pub(super) fn hints(self) -> Hints {
        let is_search = self == Self::Schema;
        Hints {
            read_only: Some(is_search),
            destructive: Some(!is_search),
            idempotent: None,
            open_world: Some(!is_search),
        }
    }

    pub fn input(self) -> &'static Input {
        static SCHEMA: LazyLock<Input> = LazyLock::new(|| input(Meta::Schema));
        static CALL: LazyLock<Input> = LazyLock::new(|| input(Meta::Call));
        static BATCH: LazyLock<Input> = LazyLock::new(|| input(Meta::Batch));
        match self {
            Self::Schema => &SCHEMA,
            Self::Call => &CALL,
            Self::Batch => &BATCH,
        }
    }

    /// Arguments in the form they are read in, other spellings of theirs included.
    pub(crate) fn accept(self, mut args: Args) -> Result<Args, Rejected> {
        // Models write null for what they leave out.
        args.retain(|_, value| !value.is_null());
        for (other, ours) in self.other_names() {
            if !args.contains_key(*ours)
                && let Some(value) = args.remove(*other)
            {
                args.insert((*ours).to_owned(), value);
            }
        }
        // Where a list is wanted a text is taken too, though lists do not say so: that saves tokens.
        let text = args.get_mut(self.list()).filter(|value| value.is_string());
        let text = text.map(|value| std::mem::replace(value, Value::Array(Vec::new())));
        let mut args = self.input().accept(args)?;
        if let Some(text) = text {
            args.insert(self.list().to_owned(), text);
        }
        Ok(args)
    }

    fn list(self) -> &'static str {
        match self {
            Self::Schema => "modules",
            Self::Call => "select",
            Self::Batch => "tasks",
        }
    }

    /// How they are spelt elsewhere.
    fn other_names(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Schema => &[("module", "modules")],
            Self::Call => &[("tool_name", "tool")],
            Self::Batch => &[("commands", "tasks")],
        }
    }
}

fn input(meta: Meta) -> Input {
    let texts = || Schema::List(Box::new(Schema::Str));
    let one_of =
        |choices: &[&str]| Schema::OneOf(choices.iter().map(|choice| (*choice).into()).collect());
    let optional = |name: &str, schema| Field::optional(name, schema, None);
    let fields = match meta {
        Meta::Schema => vec![
            optional("modules", texts()),
            optional("query", Schema::Str),
            optional("detail", one_of(&["names", "signatures", "full"])),
        ],
        Meta::Call => vec![
            Field::required("module", Schema::Str),
            Field::required("tool", Schema::Str),
            optional("params", Schema::Dict(Box::new(Schema::Any))),
            optional("output", one_of(&["compact", "json", "toon", "markdown"])),
            optional("select", texts()),
        ],
        Meta::Batch => vec![Field::required(
            "tasks",
            Schema::List(Box::new(Schema::Dict(Box::new(Schema::Any)))),
        )],
    };
    Input::typed(fields, false)
}
