//! A tool as a client may see it: plain data.

use crate::{Cache, Input, Selection, TaskUse, ToolName};
use serde_json::Value;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Tool {
    pub name: ToolName,
    pub title: Option<String>,
    pub description: String,
    pub input: Input,
    /// JSON Schema of the answer, when the author promised one.
    pub output: Option<Value>,
    pub hints: Hints,
    pub icons: Option<Value>,
    pub examples: Vec<Value>,
    /// Requests in plain language that this tool answers; tool search indexes them.
    pub questions: Vec<String>,
    /// The author's own bound, if tighter than the server's.
    pub timeout: Option<Duration>,
    pub task: TaskUse,
    /// The fields of its answers that are worth their tokens.
    pub select: Option<Selection>,
    /// How long an answer may be given again.
    pub cache: Option<Cache>,
}

/// What a client may assume about a call; absent means "not said".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hints {
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    pub idempotent: Option<bool>,
    pub open_world: Option<bool>,
}

impl Hints {
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

impl Tool {
    /// One line a person or a model can read: `hello(name: str, times: int = 1) -> str`.
    pub fn signature(&self) -> String {
        let output = match &self.output {
            Some(schema) => format!(" -> {}", crate::schema::type_of_json(schema)),
            None => String::new(),
        };
        format!("{}({}){output}", self.name, self.input.signature())
    }

    /// The first sentence of the description.
    pub fn summary(&self) -> &str {
        self.description.lines().next().unwrap_or_default().trim()
    }
}
