//! `select`: which fields of an answer are wanted, and under which names.

mod match_schema;
mod path;

pub use path::{Path, Step};

use serde_json::Value;
use std::collections::HashSet;
use std::ops::Range;
use thiserror::Error;

/// Fields to take from an object, or from each item of a list.
///
/// `user.login`, `labels[*].name`, `author: user.login`; `*` is every field. `[20:]` or `[20:40]` says
/// which items, and may stand beside fields or alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    pub picks: Vec<Pick>,
    pub items: Option<Range<usize>>,
    /// `*`: every field, though the author declared some.
    pub all: bool,
}

/// One field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pick {
    pub name: String,
    pub path: Path,
}

/// A `select` that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadSelect {
    #[error("`select` is a list of fields such as [\"title\", \"author: user.login\"], not {0}")]
    NotAList(String),
    #[error("`select` is empty; leave it out, or write [\"*\"] for every field")]
    Empty,
    #[error("`{entry}` in `select` {why}")]
    Entry { entry: String, why: String },
    #[error("`select` takes two fields as `{0}`; rename one: \"other: {1}\"")]
    Twice(String, String),
    #[error("`select` says twice which items")]
    ItemsTwice,
}

impl Selection {
    /// Reads a list of entries, or the entries in one text with commas between them.
    pub fn parse(select: &Value) -> Result<Self, BadSelect> {
        match select {
            Value::Array(entries) => {
                let text = |entry: &Value| match entry {
                    Value::String(text) => Ok(text.clone()),
                    other => Err(BadSelect::NotAList(format!("one with {other} in it"))),
                };
                let entries = entries.iter().map(text).collect::<Result<Vec<_>, _>>()?;
                Self::of(entries.iter().map(String::as_str))
            }
            Value::String(text) => Self::of(split(text)),
            other => Err(BadSelect::NotAList(other.to_string())),
        }
    }

    fn of<'e>(entries: impl IntoIterator<Item = &'e str>) -> Result<Self, BadSelect> {
        let mut selection = Self { picks: Vec::new(), items: None, all: false };
        let mut names = HashSet::new();
        for entry in entries {
            let entry = entry.trim();
            if let Some(items) = items(entry) {
                if selection.items.replace(items).is_some() {
                    return Err(BadSelect::ItemsTwice);
                }
            } else if matches!(entry, "*" | "[*]") {
                selection.all = true;
            } else {
                let pick = Pick::parse(entry)
                    .map_err(|why| BadSelect::Entry { entry: entry.to_owned(), why })?;
                if !names.insert(pick.name.clone()) {
                    return Err(BadSelect::Twice(pick.name, pick.path.to_string()));
                }
                selection.picks.push(pick);
            }
        }
        if selection.picks.is_empty() && selection.items.is_none() && !selection.all {
            return Err(BadSelect::Empty);
        }
        Ok(selection)
    }

    /// Names of the selected fields, as the result has them.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        let picks = self.picks.iter().filter(|_| !self.all);
        picks.map(|pick| pick.name.clone())
    }

    /// Whether it says which fields; if not, those that the author declared are meant.
    pub fn names_fields(&self) -> bool {
        self.all || !self.picks.is_empty()
    }
}

impl Pick {
    fn parse(entry: &str) -> Result<Self, String> {
        let (name, path) = match name_end(entry) {
            Some(colon) => (Some(entry[..colon].trim()), entry[colon + 1..].trim()),
            None => (None, entry),
        };
        if name == Some("") {
            return Err("has no name before its colon".into());
        }
        let mut path = Path::parse(path)?;
        // Paths go into each item anyway; `[*].id` is what others write for `id`.
        if path.0.len() > 1 && path.0[0] == Step::Each {
            path.0.remove(0);
        }
        match name {
            Some(name) => Ok(Self { name: name.to_owned(), path }),
            None if path.has_index() => Err(format!(
                "takes one item and needs a name: \"{}: {path}\"",
                path.last_key().unwrap_or("item")
            )),
            None => Ok(Self { name: path.name(), path }),
        }
    }
}

/// The colon after a name: the first that is in no bracket.
fn name_end(entry: &str) -> Option<usize> {
    outside_brackets(entry).find_map(|(at, c)| (c == ':').then_some(at))
}

/// One text with commas between the entries.
fn split(text: &str) -> Vec<&str> {
    let mut entries = Vec::new();
    let mut start = 0;
    for (at, _) in outside_brackets(text).filter(|(_, c)| *c == ',') {
        entries.push(&text[start..at]);
        start = at + 1;
    }
    entries.push(&text[start..]);
    entries
}

fn outside_brackets(text: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    text.char_indices().filter(move |(_, c)| {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' if depth > 0 => quoted = !quoted,
            '[' if !quoted => depth += 1,
            ']' if !quoted => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    })
}

/// `[20:]` and `[20:40]`: items by their place, the first being 0.
fn items(entry: &str) -> Option<Range<usize>> {
    let (from, to) = entry.strip_prefix('[')?.strip_suffix(']')?.split_once(':')?;
    let number = |text: &str, otherwise: usize| match text.trim() {
        "" => Some(otherwise),
        text => text.parse().ok(),
    };
    Some(number(from, 0)?..number(to, usize::MAX)?)
}

#[cfg(test)]
mod selection_tests;
