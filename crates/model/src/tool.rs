//! A tool as a client may see it: plain data.

use crate::{Cache, DeclaredRead, Input, Selection, TaskUse, ToolName};
use serde_json::{Value, json};
use std::time::Duration;

/// The parameter with which a call by a tool's own name chooses fields of the result.
pub const FIELDS: &str = "fields";

#[derive(Debug, Clone)]
pub struct Tool {
    pub name: ToolName,
    pub title: Option<String>,
    pub description: String,
    pub input: Input,
    /// JSON Schema of the answer, when the author promised one.
    pub output: Option<Value>,
    pub hints: Hints,
    /// What a read-only tool may send and run, since it only reads.
    pub reads: Vec<DeclaredRead>,
    pub icons: Option<Value>,
    pub examples: Vec<Value>,
    /// Requests in plain language that this tool answers; tool search indexes them.
    pub questions: Vec<String>,
    /// The author's own bound, if tighter than the server's.
    pub timeout: Option<Duration>,
    pub task: TaskUse,
    /// The fields of its answers that are worth their tokens.
    pub select: Option<Selection>,
    /// Whether the author's `compact` function shortens its results.
    pub has_compact: bool,
    /// How long an answer may be given again.
    pub cache: Option<Cache>,
    /// Clients that load tools on demand are asked to load this one at once.
    pub always: bool,
}

/// What a client may assume about a call; absent means "not said".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Hints {
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    pub idempotent: Option<bool>,
    pub open_world: Option<bool>,
}

impl Hints {
    /// With every hint that clients decide by. What is not declared gets the cautious value of MCP,
    /// unless what the module may reach rules it out.
    #[must_use]
    pub fn completed(self, reaches_out: bool) -> Self {
        let is_read_only = self.read_only == Some(true);
        Self {
            read_only: Some(is_read_only),
            destructive: Some(!is_read_only && self.destructive.unwrap_or(true)),
            idempotent: self.idempotent,
            open_world: Some(self.open_world.unwrap_or(reaches_out)),
        }
    }
}

impl Tool {
    /// One line a person or a model can read: `hello(name: str, times: int = 1) -> str`.
    pub fn signature(&self) -> String {
        self.signature_with(&self.input.signature())
    }

    /// The same with the names alone of what need not be given: `hello(name: str, times?) -> str`.
    pub fn brief_signature(&self) -> String {
        self.signature_with(&self.input.brief_signature())
    }

    /// The same without the result.
    pub fn outline(&self) -> String {
        format!("{}({})", self.name, self.input.brief_signature())
    }

    fn signature_with(&self, parameters: &str) -> String {
        let shape = crate::result_shape::result_shape(self.output.as_ref(), self.select.as_ref());
        let result = shape.map_or_else(String::new, |shape| format!(" -> {shape}"));
        format!("{}({parameters}){result}", self.name)
    }

    /// For people: as declared, or made from the name, with the module if that says more:
    /// `List issues (github)`.
    pub fn title_in(&self, module: &str) -> String {
        if let Some(title) = self.title.as_ref().filter(|title| !title.trim().is_empty()) {
            return title.clone();
        }
        let name = self.name.as_str();
        let words = name.replace(['_', '-', '.'], " ");
        let mut letters = words.trim().chars();
        let title: String = match letters.next() {
            Some(first) => first.to_uppercase().chain(letters).collect(),
            None => name.to_owned(),
        };
        if name == module { title } else { format!("{title} ({module})") }
    }

    /// May a call of it only read?
    pub fn is_read_only(&self) -> bool {
        self.hints.read_only == Some(true)
    }

    /// Whether the author declared a shorter form of its results.
    pub fn is_compact(&self) -> bool {
        self.has_compact || self.select.is_some()
    }

    /// Whether a call by the tool's own name may have `fields` beside its parameters: the fields of a result
    /// that are wanted, where its author chose some.
    pub fn takes_fields(&self) -> bool {
        self.is_compact() && self.input.to_json()["properties"].get(FIELDS).is_none()
    }

    /// The schema of arguments in `tools/list`.
    pub fn listed_input(&self) -> Value {
        let mut schema = self.input.listed().clone();
        if self.takes_fields() {
            schema["properties"][FIELDS] = json!({
                "type": "array",
                "items": {"type": "string"},
                "description": "Result fields; [\"*\"]: all",
            });
        }
        schema
    }

    /// The first sentence of the description.
    pub fn summary(&self) -> &str {
        self.description.lines().next().unwrap_or_default().trim()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, title: Option<&str>) -> Tool {
        Tool {
            name: name.parse().unwrap(),
            title: title.map(str::to_owned),
            description: String::new(),
            input: Input::typed(Vec::new(), false),
            output: None,
            hints: Hints::default(),
            reads: Vec::new(),
            icons: None,
            examples: Vec::new(),
            timeout: None,
            task: TaskUse::Never,
            select: None,
            has_compact: false,
            cache: None,
            questions: Vec::new(),
            always: false,
        }
    }

    #[test]
    fn every_tool_has_a_title() {
        for (name, title, expected) in [
            ("list_issues", None, "List issues (github)"),
            ("list-issues", Some(" "), "List issues (github)"),
            ("list_issues", Some("Issues"), "Issues"),
            ("github", None, "Github"),
            ("_x", None, "X (github)"),
        ] {
            let title = tool(name, title).title_in("github");
            assert_eq!(title, expected, "{name}");
        }
    }

    #[test]
    fn undeclared_hints_are_cautious() {
        let hints = |read_only, destructive, open_world| Hints {
            read_only,
            destructive,
            idempotent: None,
            open_world,
        };
        let (yes, no) = (Some(true), Some(false));
        for (declared, reaches_out, expected) in [
            (hints(None, None, None), true, hints(no, yes, yes)),
            (hints(None, None, None), false, hints(no, yes, no)),
            (hints(yes, None, None), true, hints(yes, no, yes)),
            (hints(yes, None, None), false, hints(yes, no, no)),
            (hints(no, no, None), false, hints(no, no, no)),
            (hints(None, no, no), true, hints(no, no, no)),
            (hints(None, None, yes), false, hints(no, yes, yes)),
        ] {
            assert_eq!(declared.completed(reaches_out), expected, "{declared:?}");
        }
        let idempotent = Hints { idempotent: yes, ..Hints::default() };
        assert_eq!(idempotent.completed(false).idempotent, yes);
    }
}
