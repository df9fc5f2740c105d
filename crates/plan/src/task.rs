//! One task of a plan: which tool, with what, for whom, and what if it fails.

use super::condition::Condition;
use super::retry::Retry;
use super::template::Template;
use compact::Format;
use model::{Selection, ToolPath};
use std::fmt;
use std::time::Duration;

/// Longest id, as long as a tool's name may be.
const LONGEST: usize = 64;

/// A task's id: `[A-Za-z0-9_][A-Za-z0-9_-]{0,63}`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(String);

#[derive(Debug, Clone)]
pub struct Task {
    pub id: TaskId,
    pub tool: ToolPath,
    pub shown: Shown,
    /// Fields of the answer, where the caller chose them.
    pub select: Option<Selection>,
    /// Fields of the answer that the tool's author chose.
    pub(super) declared: Option<Selection>,
    /// How long one call may take.
    pub timeout: Duration,
    pub retry: Option<Retry>,
    pub on_error: OnError,
    pub(super) params: Template,
    pub(super) when: Option<When>,
    pub(super) foreach: Option<Template>,
    pub(super) needs: Vec<Need>,
}

/// In which form a result is in the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shown {
    /// It serves references alone.
    #[default]
    Nothing,
    /// As text in this notation, or in the smallest.
    As(Option<Format>),
    /// As the value it is.
    Raw,
}

/// Does a task that fails keep those that depend on it from running?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnError {
    #[default]
    Fail,
    /// They run, unless they need its result. A `foreach` goes on with the other items.
    Continue,
}

/// Is the task wanted?
#[derive(Debug, Clone)]
pub(super) struct When {
    pub(super) condition: Condition,
    /// It speaks of the item, so it is asked for each.
    pub(super) of_item: bool,
}

/// Another task that has to end first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Need {
    /// Its place in the plan.
    pub(super) task: usize,
    /// Some reference to it has no default.
    pub(super) result: bool,
}

impl TaskId {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let wrong = |why: &str| Err(format!("{} {why}", model::shorten(&format!("{text:?}"))));
        if !text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
            return wrong("does not begin with a letter, a digit or `_`");
        }
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
        if !text.bytes().all(is_plain) {
            return wrong("may hold only letters, digits, `_` and `-`");
        }
        if text.len() > LONGEST {
            return wrong("is longer than 64 characters");
        }
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids() {
        let long = "x".repeat(65);
        for good in ["a", "_", "1", "2b", "Search-1", "a_b", &long[1..], "item", "json"] {
            assert_eq!(TaskId::read(good).map(|id| id.to_string()), Ok(good.to_owned()));
        }
        let check = |id: &str, why: &str| assert_eq!(TaskId::read(id), Err(why.to_owned()));
        check("", "\"\" does not begin with a letter, a digit or `_`");
        check("-a", "\"-a\" does not begin with a letter, a digit or `_`");
        check("é", "\"é\" does not begin with a letter, a digit or `_`");
        check("a.b", "\"a.b\" may hold only letters, digits, `_` and `-`");
        check("a b", "\"a b\" may hold only letters, digits, `_` and `-`");
        let shown = &format!("\"{}...", &long[..56]);
        check(&long, &format!("{shown} is longer than 64 characters"));
    }
}
