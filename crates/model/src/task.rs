//! A call that goes on while its client does something else: what is kept of it.

use crate::Args;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a tool's author says of it: may its calls become tasks?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TaskUse {
    #[default]
    Never,
    /// A call that takes long becomes one, where the client knows tasks.
    Welcome,
    /// A client that does not know tasks cannot call it.
    Required,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskStatus {
    Working,
    /// It goes on when its client has answered.
    InputRequired,
    Completed,
    Failed,
    Cancelled,
}

impl TaskStatus {
    pub const ALL: [Self; 5] =
        [Self::Working, Self::InputRequired, Self::Completed, Self::Failed, Self::Cancelled];

    pub fn name(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::InputRequired => "input_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    pub id: String,
    /// Whoever called; for everybody else there is no such task.
    pub owner: String,
    pub status: TaskStatus,
    pub created_ms: i64,
    pub updated_ms: i64,
    pub expires_ms: i64,
    /// The server that works on it, and until when that is believed without a further word.
    pub runner: String,
    pub lease_ms: i64,
    pub body: TaskBody,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskBody {
    pub tool: String,
    pub args: Args,
    /// How far it had come, in the author's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What it led to: a result, or the error it failed with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Value>,
    /// What its door has to remember to go on with it.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub memo: Value,
}
