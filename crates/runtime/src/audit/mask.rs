//! Arguments and names as the audit log holds them: shortened, and without credentials.

mod names;
mod shapes;

use model::Args;
use names::{Holds, holds};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt::Write as _;

/// Longest string, in bytes; longer ones are cut, since this is a log and no archive.
const LONGEST: usize = 512;
/// Bytes after the cut that are searched too, for credentials that begin before it.
const LOOK_AHEAD: usize = 1 << 10;
/// Elements written of a list or an object.
const MOST: usize = 32;
const DEEPEST: usize = 6;
/// Bytes searched in all names and strings of one call, which bounds the time as well.
const BUDGET: usize = 64 << 10;
/// A shorter name holds no credential.
const SHORTEST: usize = 16;
const MASK: &str = "***";
const CUT: &str = "…";

/// Copies arguments without credentials.
pub(super) fn masked(args: &Args) -> Value {
    Masking { left: BUDGET }.object(args, 0)
}

/// Masks credentials in a name that a client chose.
pub(super) fn masked_name(name: &str) -> Cow<'_, str> {
    if name.len() < SHORTEST {
        return Cow::Borrowed(name);
    }
    masked_text(name, name.len())
}

struct Masking {
    /// Bytes that may still be searched.
    left: usize,
}

impl Masking {
    fn object(&mut self, map: &Map<String, Value>, depth: usize) -> Value {
        let pair = is_named_credential(map);
        let mut written = Map::new();
        for (name, value) in map.iter().take(MOST) {
            if self.left == 0 {
                written.insert(CUT.to_owned(), Value::from(CUT));
                break;
            }
            let value = if is_masked(name, value) || (pair && name.eq_ignore_ascii_case("value")) {
                Value::from(MASK)
            } else {
                self.value(value, depth + 1)
            };
            written.insert(self.text(name), value);
        }
        Value::Object(written)
    }

    fn value(&mut self, value: &Value, depth: usize) -> Value {
        match value {
            Value::String(text) => Value::from(self.text(text)),
            Value::Array(_) | Value::Object(_) if depth >= DEEPEST => Value::from(CUT),
            Value::Array(items) => self.array(items, depth),
            Value::Object(map) => self.object(map, depth),
            other => {
                self.left = self.left.saturating_sub(8);
                other.clone()
            }
        }
    }

    fn array(&mut self, items: &[Value], depth: usize) -> Value {
        let mut written = Vec::new();
        for (index, item) in items.iter().take(MOST).enumerate() {
            if self.left == 0 {
                written.push(Value::from(CUT));
                break;
            }
            written.push(if follows_name(items, index) {
                Value::from(MASK)
            } else {
                self.value(item, depth + 1)
            });
        }
        Value::Array(written)
    }

    fn text(&mut self, text: &str) -> String {
        let shown = text.floor_char_boundary(LONGEST.min(self.left));
        let searched = text.len().min(shown + LOOK_AHEAD);
        self.left = self.left.saturating_sub(searched.max(8));
        let mut masked = masked_text(text, shown).into_owned();
        if shown < text.len() {
            let _ = write!(masked, "{CUT} ({} bytes)", text.len());
        }
        masked
    }
}

/// The first bytes of a text without credentials, also those that end after them.
fn masked_text(text: &str, shown: usize) -> Cow<'_, str> {
    let searched = &text[..text.floor_char_boundary(shown.saturating_add(LOOK_AHEAD))];
    let mut masked = String::new();
    let mut end = 0;
    for found in shapes::find(searched) {
        if found.start >= shown {
            break;
        }
        masked += &text[end..found.start];
        masked += MASK;
        end = found.end;
    }
    if end == 0 {
        return Cow::Borrowed(&text[..shown]);
    }
    masked += text.get(end..shown).unwrap_or_default();
    Cow::Owned(masked)
}

fn is_masked(name: &str, value: &Value) -> bool {
    match holds(name) {
        Holds::Anything => false,
        Holds::Token => !matches!(value, Value::Number(_) | Value::Bool(_)),
        Holds::Credential => true,
    }
}

/// `{"name": "DB_PASSWORD", "value": "…"}`, as headers and variables are listed.
fn is_named_credential(map: &Map<String, Value>) -> bool {
    let names = ["name", "Name", "key", "Key", "header"].iter();
    let mut names = names.filter_map(|name| map.get(*name)?.as_str());
    names.any(|name| holds(name) != Holds::Anything)
}

/// `["--password", "…"]` and `["X-Api-Key", "…"]`, as commands and headers are listed.
fn follows_name(items: &[Value], index: usize) -> bool {
    let before = index.checked_sub(1).and_then(|before| items[before].as_str());
    let Some(name) = before.filter(|name| items.len() == 2 || name.starts_with('-')) else {
        return false;
    };
    let is_one_word = !name.contains(|c: char| c.is_whitespace() || c == '=');
    is_one_word && is_masked(name, &items[index])
}

#[cfg(test)]
#[path = "mask_tests.rs"]
mod tests;
