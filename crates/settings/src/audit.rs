//! What is written down of every call: where, how much of it, and what happens when it cannot be.

use crate::document::{Item, Table};
use crate::known;
use std::str::FromStr;

/// `[audit]` of `larkspur.toml`; without it nothing is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditSettings {
    /// Relative to `larkspur.toml`; in the data folder, if nothing is said.
    pub file: Option<String>,
    /// A file that would grow beyond this is put aside, and another begun.
    pub max_size: usize,
    /// So many of those put aside are kept.
    pub keep: usize,
    /// Also what calls were given.
    pub arguments: bool,
    pub on_error: OnError,
}

/// What becomes of calls when nothing can be written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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

impl AuditSettings {
    pub(crate) fn read(mut table: Table<'_>) -> Self {
        let usual = Self::default();
        let mut get = |key| table.get(key);
        let settings = Self {
            file: get("file").and_then(|item| Some(item.text()?.to_owned())),
            max_size: get("max_size").and_then(|item| item.size()).unwrap_or(usual.max_size),
            keep: get("keep").and_then(|item| item.count()).unwrap_or(usual.keep),
            arguments: get("arguments").is_some_and(|item| yes(&item)),
            on_error: get("on_error").and_then(|item| item.parse()).unwrap_or_default(),
        };
        table.finish(&known::AUDIT);
        settings
    }
}

fn yes(item: &Item<'_>) -> bool {
    let said = item.boolean();
    if said.is_none() {
        item.complain(format!("`{}` must be true or false", item.name()));
    }
    said.unwrap_or_default()
}

impl FromStr for OnError {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "continue" => Ok(Self::Continue),
            "refuse" => Ok(Self::Refuse),
            other => Err(format!("`{other}` is neither `continue` nor `refuse`")),
        }
    }
}
