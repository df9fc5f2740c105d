//! A value in one notation, or in whichever is the smallest.

use super::columns::{Nulls, drop_nulls};
use super::first_block::format_line;
use super::lines::break_lines;
use super::markdown::{document, is_markdown, to_markdown};
use super::note::{Facts, Layout, note};
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
        Self { format, text, tokens }
    }

    fn with(&self, facts: &Facts, ways: Ways<'_>) -> Compact {
        let note = note(self.format, facts, ways);
        let first_line = match &note {
            Some(note) => Some(format!("{note}\n")),
            None => format_line(self.format, &self.text),
        };
        let tokens = self.tokens + first_line.as_deref().map_or(0, count_tokens);
        Compact { format: self.format, body: self.text.clone(), note, first_line, tokens }
    }

    fn json(value: &Value) -> Self {
        Self::new(Format::Json, break_lines(value.to_string()))
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
                Body::json(value)
            }
        },
        (Format::Json | Format::Text, _) => Body::json(value),
    };
    body.with(&facts, ways)
}

/// A result in the notation that takes the fewest tokens, its note included. A text is sent as it is.
///
/// Nulls are left out where that and the note that names them take fewer tokens.
pub(super) fn smallest(value: &Value, facts: &Facts, ways: Ways<'_>) -> Compact {
    if let Value::String(text) = value {
        return as_it_is(text, facts, ways);
    }
    let json = Body::json(value).with(facts, ways);
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
    let mut before = Vec::new();
    for nulls in [Nulls::OfTables, Nulls::OfAll] {
        let mut dense = value.clone();
        let null = drop_nulls(&mut dense, nulls);
        if null == before {
            continue;
        }
        before.clone_from(&null);
        let facts = Facts { null, ..facts.clone() };
        consider(Body::json(&dense), &facts);
        for (body, facts) in other_notations(&dense, &facts) {
            consider(body, &facts);
        }
    }
    best
}

/// What a value can be written in besides JSON, and the facts that the note then has.
fn other_notations(value: &Value, facts: &Facts) -> Vec<(Body, Facts)> {
    let mut bodies = Vec::new();
    // An empty object is an empty text in TOON.
    if let Ok(text) = to_toon(value)
        && !text.is_empty()
    {
        bodies.push((Body::new(Format::Toon, text), facts.clone()));
    }
    if let Some(text) = document(value) {
        bodies.push((Body::new(Format::Markdown, text), facts.clone()));
    }
    let results = value.as_array();
    let results = results.filter(|_| facts.layout == Layout::List);
    if let Some((format, text)) = results.and_then(|results| sections(results)) {
        let facts = Facts { layout: Layout::Sections, ..facts.clone() };
        bodies.push((Body::new(format, text), facts));
    }
    bodies
}

/// Whether a result is smaller than the same in JSON, both with their notes. Where tokens are estimated, it
/// may cost more than it seems to: TOON by a twentieth, other forms, which are the same text with less of it,
/// by little.
fn is_surely_below(other: &Compact, json: &Compact) -> bool {
    if is_counted(&other.body) && is_counted(&json.body) {
        return true;
    }
    let percent = match other.format {
        Format::Toon => 95,
        Format::Json | Format::Markdown | Format::Text => 97,
    };
    other.tokens * 100 < json.tokens * percent
}

/// A text that is the answer itself.
pub(super) fn as_it_is(text: &str, facts: &Facts, ways: Ways<'_>) -> Compact {
    let format = if is_markdown(text) { Format::Markdown } else { Format::Text };
    Body::new(format, text.to_owned()).with(facts, ways)
}
