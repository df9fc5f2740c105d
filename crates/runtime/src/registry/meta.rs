//! What the meta tools are called, and what they take.

use model::{Args, Field, Input, Rejected, Schema};
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
        for (other, ours) in self.other_names() {
            if !args.contains_key(*ours)
                && let Some(value) = args.remove(*other)
            {
                args.insert((*ours).to_owned(), value);
            }
        }
        self.input().accept(args)
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
            optional("modules", Schema::Union(vec![texts(), Schema::Str])),
            optional("query", Schema::Str),
            optional("detail", one_of(&["names", "signatures", "full"])),
        ],
        Meta::Call => vec![
            Field::required("module", Schema::Str),
            Field::required("tool", Schema::Str),
            optional("params", Schema::Dict(Box::new(Schema::Any))),
            optional("output", one_of(&["compact", "json", "toon", "markdown"])),
            optional("select", Schema::Union(vec![texts(), Schema::Str])),
        ],
        Meta::Batch => vec![Field::required(
            "tasks",
            Schema::Union(vec![
                Schema::List(Box::new(Schema::Dict(Box::new(Schema::Any)))),
                Schema::Str,
            ]),
        )],
    };
    Input::typed(fields, false)
}
