//! Texts with places to fill in.

use crate::stdlib::checked::size::gauge;
use crate::stdlib::prelude::*;
use crate::stdlib::show;
use std::collections::{BTreeSet, HashMap};

enum Part<'t> {
    Plain(&'t str),
    Place(&'t str),
}

/// Every place filled in, or an error that names all that cannot be.
pub(super) fn fill<'v>(
    text: &str,
    values: &DictRef<'v>,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<String> {
    let gauge = gauge(eval)?;
    let mut places = BTreeSet::new();
    for (i, part) in Parts(text).enumerate() {
        if let Part::Place(name) = part? {
            places.insert(name);
        }
        if i % 10_000 == 0 {
            gauge.in_time()?;
        }
    }
    let missing = places.iter().filter(|name| values.get_str(name).is_none());
    let missing: Vec<String> = missing.map(|name| format!("`{name}`")).collect();
    if !missing.is_empty() {
        bail!("text.template: there is no value for {}", missing.join(", "));
    }
    let mut shown = HashMap::new();
    for name in places {
        let value = values.get_str(name).unwrap_or_else(Value::new_none);
        shown.insert(name, show::text(value, eval)?);
    }
    let mut out = String::new();
    for part in Parts(text) {
        let piece = match part? {
            Part::Plain(text) => text,
            Part::Place(name) => shown.get(name).map_or("", String::as_str),
        };
        gauge.text(out.len().saturating_add(piece.len()), "a text")?;
        out.push_str(piece);
    }
    Ok(out)
}

/// What is left of a text, part by part: it may have as many as bytes, so they are not kept.
struct Parts<'t>(&'t str);

impl<'t> Iterator for Parts<'t> {
    type Item = anyhow::Result<Part<'t>>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.0;
        let (part, rest) = match rest.find(['{', '}']) {
            _ if rest.is_empty() => return None,
            None => (Part::Plain(rest), ""),
            Some(at) if at > 0 => (Part::Plain(&rest[..at]), &rest[at..]),
            Some(_) if rest.starts_with("{{") || rest.starts_with("}}") => {
                (Part::Plain(&rest[..1]), &rest[2..])
            }
            Some(_) => match place(rest) {
                Ok((name, after)) => (Part::Place(name), after),
                Err(error) => return Some(Err(error)),
            },
        };
        self.0 = rest;
        Some(Ok(part))
    }
}

/// The name between braces, and what comes after them.
fn place(from: &str) -> anyhow::Result<(&str, &str)> {
    let is_name = |name: &str| {
        let mut letters = name.chars();
        letters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
            && letters.all(|c| c.is_alphanumeric() || c == '_')
    };
    let found = from.strip_prefix('{').and_then(|from| from.split_once('}'));
    match found {
        Some((name, after)) if is_name(name.trim()) => Ok((name.trim(), after)),
        _ => {
            let shown: String = from.chars().take(20).collect();
            bail!(
                "text.template: `{shown}` is no place such as {{name}}; a brace itself is written twice"
            )
        }
    }
}
