//! What is written down of every call: where, how much of it, and what happens when it cannot be.

use crate::document::{Size, word};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A line of JSON for every call and every denial, which `larkspur audit` shows. Without
/// this table nothing is written. What is said here holds from the next start of the
/// server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct AuditSettings {
    /// Where, relative to this file.
    #[schemars(extend("default" = ".larkspur/audit.jsonl"))]
    pub file: Option<String>,
    /// How large a file may grow before another is begun.
    #[serde(with = "Size")]
    pub max_size: usize,
    /// How many of the old ones are kept.
    pub keep: usize,
    /// Also record the arguments of calls, with credentials masked.
    pub arguments: bool,
    /// When nothing can be written: `continue`, or `refuse` calls until it can. With `refuse`,
    /// each call is recorded before it runs and before its result is sent.
    #[serde(deserialize_with = "word")]
    pub on_error: OnError,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnError {
    /// They go on, and what could not be written is counted.
    #[default]
    Continue,
    /// They are refused until it can be written again; each is recorded before it runs.
    Refuse,
}

impl Default for AuditSettings {
    fn default() -> Self {
        Self {
            file: None,
            max_size: 16 << 20,
            keep: 5,
            arguments: false,
            on_error: OnError::default(),
        }
    }
}
