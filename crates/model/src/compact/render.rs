//! A value in one notation, or in whichever is the smallest.

use super::columns::drop_null_columns;
use super::markdown::{document, is_markdown, to_markdown};
use super::note::{Facts, Layout, note};
use super::pieces::pieces;
use super::sections::sections;
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

/// A result in the notation that takes the fewest tokens, its note included. A text is sent as it is.
///
/// Columns of nulls are left out where that and the note that names them take fewer tokens.
pub(super) fn smallest(value: &Value, facts: &Facts, ways: Ways<'_>) -> Compact {
    if let Value::String(text) = value {
        return as_it_is(text, facts, ways);
    }
    let json = Body::new(Format::Json, value.to_string()).with(facts, ways);
    let mut best = json.clone();
    let mut consider = |body: Body, facts: &Facts| {
        let other = body.with(facts, ways);
        if other.tokens < best.tokens && is_surely_below(&other, &json) {
            best = other;
        }
    };
    for (body, facts) in other_notations(value, facts) {
        consider(body, &facts);
    }
    let mut dense = value.clone();
    let null = drop_null_columns(&mut dense);
    if !null.is_empty() {
        let facts = Facts {
            null,
            ..facts.clone()
        };
        consider(Body::new(Format::Json, dense.to_string()), &facts);
        for (body, facts) in other_notations(&dense, &facts) {
            consider(body, &facts);
        }
    }
    best
}

/// What a value can be written in besides JSON, and the facts that the note then has.
fn other_notations(value: &Value, facts: &Facts) -> Vec<(Body, Facts)> {
    let mut bodies = Vec::new();
    if let Ok(text) = to_toon(value) {
        bodies.push((Body::new(Format::Toon, text), facts.clone()));
    }
    if let Some(text) = document(value) {
        bodies.push((Body::new(Format::Markdown, text), facts.clone()));
    }
    let results = value.as_array();
    let results = results.filter(|_| facts.layout == Layout::List);
    if let Some((format, text)) = results.and_then(|results| sections(results)) {
        let facts = Facts {
            layout: Layout::Sections,
            ..facts.clone()
        };
        bodies.push((Body::new(format, text), facts));
    }
    bodies
}

/// Whether a result is smaller than the same in JSON, both with their notes. Where tokens are estimated,
/// the body may cost more than it seems to: TOON by a twentieth, other forms, which are the same text with
/// less of it, by little.
fn is_surely_below(other: &Compact, json: &Compact) -> bool {
    if is_counted(&other.body) && is_counted(&json.body) {
        return true;
    }
    let percent = match other.format {
        Format::Toon => 95,
        Format::Json | Format::Markdown | Format::Text => 97,
    };
    let note = |result: &Compact| result.note.as_deref().map_or(0, pieces);
    let json = pieces(&json.body) + note(json);
    pieces(&other.body) * 100 < json.saturating_sub(note(other)) * percent
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
