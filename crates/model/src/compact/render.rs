//! A value in one notation, or in whichever is the smallest.

use super::columns::drop_null_columns;
use super::markdown::{document, is_markdown, to_markdown};
use super::note::{Facts, note};
use super::pieces::pieces;
use super::toon::to_toon;
use super::{Compact, Format, Ways};
use crate::tokens::{count_tokens, is_counted};
use serde_json::Value;

/// A value in one notation, and what that costs.
struct Body {
    format: Format,
    text: String,
    tokens: usize,
}

impl Body {
    fn new(format: Format, text: String) -> Self {
        let tokens = count_tokens(&text);
        Self {
            format,
            text,
            tokens,
        }
    }

    fn with(&self, facts: &Facts, ways: Ways<'_>) -> Compact {
        let note = note(self.format, facts, ways);
        let tokens = self.tokens + note.as_deref().map_or(0, count_tokens);
        Compact {
            format: self.format,
            body: self.text.clone(),
            note,
            tokens,
        }
    }
}

/// An answer in the notation that was asked for; if the value has no form in it, in JSON.
pub(super) fn named(value: &Value, format: Format, facts: &Facts, ways: Ways<'_>) -> Compact {
    let mut facts = facts.clone();
    let body = match (format, value) {
        (Format::Markdown, _) => Body::new(format, to_markdown(value)),
        (Format::Text, Value::String(text)) => Body::new(format, text.clone()),
        (Format::Toon, _) => match to_toon(value) {
            Ok(text) => Body::new(format, text),
            Err(why) => {
                facts.instead = Some(why.to_string());
                Body::new(Format::Json, value.to_string())
            }
        },
        (Format::Json | Format::Text, _) => Body::new(Format::Json, value.to_string()),
    };
    body.with(&facts, ways)
}

/// An answer in the notation that takes the fewest tokens, its line included. A text is sent as it is.
pub(super) fn smallest(value: &Value, facts: &Facts, ways: Ways<'_>) -> Compact {
    if let Value::String(text) = value {
        return as_it_is(text, facts, ways);
    }
    let mut dense = value.clone();
    let null = drop_null_columns(&mut dense);
    let mut bodies = vec![Body::new(Format::Json, dense.to_string())];
    bodies.extend(to_toon(&dense).map(|text| Body::new(Format::Toon, text)));
    bodies.extend(document(&dense).map(|text| Body::new(Format::Markdown, text)));
    if !null.is_empty() {
        let facts = Facts {
            null,
            ..facts.clone()
        };
        let best = cheapest(&bodies, &facts, ways);
        // In a few rows nothing is cheaper than the names of what is not in them.
        if best.tokens < count_tokens(&value.to_string()) {
            return best;
        }
    }
    cheapest(&bodies, facts, ways)
}

/// The first of the bodies is JSON, and ties go to it.
fn cheapest(bodies: &[Body], facts: &Facts, ways: Ways<'_>) -> Compact {
    let mut best = bodies[0].with(facts, ways);
    for body in &bodies[1..] {
        let other = body.with(facts, ways);
        if other.tokens < best.tokens && body.is_surely_below(&bodies[0]) {
            best = other;
        }
    }
    best
}

impl Body {
    /// Where tokens are estimated, TOON has to save more than the estimate may be wrong by. A document is
    /// the same text with fewer marks, and has to save something.
    fn is_surely_below(&self, json: &Self) -> bool {
        if is_counted(&self.text) && is_counted(&json.text) {
            return true;
        }
        let percent = match self.format {
            Format::Toon => 90,
            Format::Json | Format::Markdown | Format::Text => 97,
        };
        pieces(&self.text) * 100 < pieces(&json.text) * percent
    }
}

/// A text that is the answer itself.
pub(super) fn as_it_is(text: &str, facts: &Facts, ways: Ways<'_>) -> Compact {
    let format = if is_markdown(text) {
        Format::Markdown
    } else {
        Format::Text
    };
    let facts = Facts {
        is_text: true,
        ..facts.clone()
    };
    Body::new(format, text.to_owned()).with(&facts, ways)
}
