//! Texts with places to fill in.

use crate::gauge::Gauge;
use crate::stdlib::show::measure;
use starlark::values::Value;
use starlark::values::dict::DictRef;
use std::collections::{BTreeSet, HashMap};

enum Part<'t> {
    Plain(&'t str),
    Place(&'t str),
}

/// Every place filled in, or an error that names all that cannot be.
pub(super) fn fill(text: &str, values: &DictRef<'_>, gauge: &Gauge) -> anyhow::Result<String> {
    let parts = parts(text)?;
    let places = parts.iter().filter_map(|part| match part {
        Part::Place(name) => Some(*name),
        Part::Plain(_) => None,
    });
    let places: BTreeSet<&str> = places.collect();
    let missing = places.iter().filter(|name| values.get_str(name).is_none());
    let missing: Vec<String> = missing.map(|name| format!("`{name}`")).collect();
    if !missing.is_empty() {
        anyhow::bail!(
            "text.template: there is no value for {}",
            missing.join(", ")
        );
    }
    let mut shown = HashMap::new();
    for name in places {
        let value = values.get_str(name).unwrap_or_else(Value::new_none);
        measure(value, gauge)?;
        shown.insert(name, value.to_str());
    }
    let mut out = String::new();
    for part in parts {
        let piece = match part {
            Part::Plain(text) => text,
            Part::Place(name) => shown.get(name).map_or("", String::as_str),
        };
        gauge.text(out.len().saturating_add(piece.len()), "a text")?;
        out.push_str(piece);
    }
    Ok(out)
}

fn parts(text: &str) -> anyhow::Result<Vec<Part<'_>>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        parts.push(Part::Plain(before));
        rest = if from.starts_with("{{") || from.starts_with("}}") {
            parts.push(Part::Plain(&from[..1]));
            &from[2..]
        } else {
            let (name, after) = place(from)?;
            parts.push(Part::Place(name));
            after
        };
    }
    parts.push(Part::Plain(rest));
    Ok(parts)
}

/// The name between braces, and what comes after them.
fn place(from: &str) -> anyhow::Result<(&str, &str)> {
    let is_name = |name: &str| {
        let mut letters = name.chars();
        letters
            .next()
            .is_some_and(|c| c.is_alphabetic() || c == '_')
            && letters.all(|c| c.is_alphanumeric() || c == '_')
    };
    let found = from.strip_prefix('{').and_then(|from| from.split_once('}'));
    match found {
        Some((name, after)) if is_name(name.trim()) => Ok((name.trim(), after)),
        _ => {
            let shown: String = from.chars().take(20).collect();
            anyhow::bail!(
                "text.template: `{shown}` is no place such as {{name}}; a brace itself is written twice"
            )
        }
    }
}
