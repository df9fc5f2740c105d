//! Addresses of resources: plain URIs, and RFC 6570 templates in the two forms that can be read back:
//! `{var}` for one segment, `{+var}` for the rest of a path.

use crate::Args;
use serde_json::Value;
use std::fmt::{self, Write};
use std::str::FromStr;

/// A longer one is nobody's.
const LONGEST_URI: usize = 8 << 10;

/// A URI with any number of variables; with none it stands for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UriTemplate {
    text: String,
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(String),
    Variable {
        name: String,
        /// `{+name}`: slashes, question marks and the like belong to it.
        reserved: bool,
    },
}

/// A text that is no URI and no template of one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` {why}")]
pub struct BadUri {
    given: String,
    why: String,
}

impl FromStr for UriTemplate {
    type Err = BadUri;

    fn from_str(given: &str) -> Result<Self, BadUri> {
        let bad = |why: String| BadUri { given: given.to_owned(), why };
        let parts = parse(given).map_err(bad)?;
        if !matches!(parts.first(), Some(Part::Literal(text)) if has_scheme(text)) {
            return Err(bad("is not a URI; put a scheme in front, such as `notes://today`".into()));
        }
        Ok(Self { text: given.to_owned(), parts })
    }
}

impl fmt::Display for UriTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl UriTemplate {
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Is it the URI of exactly one resource?
    pub fn is_exact(&self) -> bool {
        self.variables().next().is_none()
    }

    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Variable { name, .. } => Some(name.as_str()),
            Part::Literal(_) => None,
        })
    }

    /// The more a template says itself, the closer it describes what it matches.
    pub fn literal_length(&self) -> usize {
        let length = |part: &Part| match part {
            Part::Literal(text) => text.len(),
            Part::Variable { .. } => 0,
        };
        self.parts.iter().map(length).sum()
    }

    /// Has it a `{+var}`, which takes whatever comes?
    pub fn takes_the_rest(&self) -> bool {
        let rest = |part: &Part| matches!(part, Part::Variable { reserved: true, .. });
        self.parts.iter().any(rest)
    }

    /// The variables as this URI has them, decoded; the earlier ones take as much as they can.
    pub fn matches(&self, uri: &str) -> Option<Vec<(&str, String)>> {
        let begins =
            matches!(self.parts.first(), Some(Part::Literal(text)) if uri.starts_with(text));
        if !begins || uri.len() > LONGEST_URI {
            return None;
        }
        let furthest = self.furthest(uri)?;
        let mut at = 0;
        let mut found = Vec::new();
        for (part, ends) in self.parts.iter().zip(furthest) {
            match part {
                Part::Literal(text) => at += text.len(),
                Part::Variable { name, .. } => {
                    let end = ends.get(at).copied().flatten()?;
                    found.push((name.as_str(), decode(&uri[at..end])));
                    at = end;
                }
            }
        }
        Some(found)
    }

    /// For each part and place, how far a variable that begins there may go so that all behind it
    /// still fits. Worked out from the end, so that no URI takes long, whatever it repeats.
    fn furthest(&self, uri: &str) -> Option<Vec<Vec<Option<usize>>>> {
        let bytes = uri.as_bytes();
        let mut fits = vec![false; bytes.len() + 1];
        fits[bytes.len()] = true;
        let mut furthest = Vec::with_capacity(self.parts.len());
        for part in self.parts.iter().rev() {
            let ends = match part {
                Part::Literal(text) => {
                    let is_here = |at: usize| bytes[at..].starts_with(text.as_bytes());
                    fits = (0..fits.len()).map(|at| is_here(at) && fits[at + text.len()]).collect();
                    Vec::new()
                }
                Part::Variable { reserved, .. } => {
                    let mut ends = vec![None; fits.len()];
                    for at in (0..bytes.len()).rev() {
                        if *reserved || !b"/?#".contains(&bytes[at]) {
                            ends[at] = ends[at + 1].or(fits[at + 1].then_some(at + 1));
                        }
                    }
                    fits = ends.iter().map(Option::is_some).collect();
                    ends
                }
            };
            furthest.push(ends);
        }
        furthest.reverse();
        fits[0].then_some(furthest)
    }

    /// The URI with these values in it; the first variable that has none is the error.
    pub fn expand(&self, values: &Args) -> Result<String, String> {
        let mut uri = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) => uri.push_str(text),
                Part::Variable { name, reserved } => match values.get(name) {
                    Some(Value::String(text)) => encode(text, *reserved, &mut uri),
                    Some(other) => encode(&other.to_string(), *reserved, &mut uri),
                    None => return Err(format!("`{name}` is required")),
                },
            }
        }
        Ok(uri)
    }
}

fn parse(given: &str) -> Result<Vec<Part>, String> {
    if let Some(odd) = given.chars().find(|c| c.is_whitespace() || c.is_control()) {
        return Err(format!("has {odd:?} in it; write it percent-encoded, a space as `%20`"));
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut rest = given;
    while !rest.is_empty() {
        let Some(begin) = rest.find(['{', '}']) else {
            parts.push(Part::Literal(rest.to_owned()));
            break;
        };
        if begin > 0 {
            parts.push(Part::Literal(rest[..begin].to_owned()));
        }
        let inside = rest[begin..].strip_prefix('{').ok_or("has a `}` without a `{`")?;
        let (inside, after) = inside.split_once('}').ok_or("has a `{` without a `}`")?;
        let new = variable(inside)?;
        check_neighbours(&parts, &new, inside)?;
        parts.push(new);
        rest = after;
    }
    Ok(parts)
}

fn variable(inside: &str) -> Result<Part, String> {
    let (name, reserved) = match inside.strip_prefix('+') {
        Some(name) => (name, true),
        None => (inside, false),
    };
    let begins_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if begins_well && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Ok(Part::Variable { name: name.to_owned(), reserved });
    }
    Err(format!(
        "has `{{{inside}}}`, which cannot be read back; write `{{name}}` for one segment, `{{+name}}` for several"
    ))
}

fn check_neighbours(before: &[Part], new: &Part, inside: &str) -> Result<(), String> {
    if matches!(before.last(), Some(Part::Variable { .. })) {
        return Err(format!(
            "has nothing between `{{{inside}}}` and the variable before it; put a `/` there"
        ));
    }
    let Part::Variable { name, .. } = new else {
        return Ok(());
    };
    let is_it = |part: &Part| matches!(part, Part::Variable { name: other, .. } if other == name);
    if before.iter().any(is_it) {
        return Err(format!("has `{{{name}}}` twice"));
    }
    Ok(())
}

fn has_scheme(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else {
        return false;
    };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

/// What is not well encoded is taken as it stands.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let hex = text.get(i + 1..i + 3).filter(|_| bytes[i] == b'%');
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                i += 3;
            }
            None => {
                decoded.push(bytes[i]);
                i += 1;
            }
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}

fn encode(text: &str, reserved: bool, uri: &mut String) {
    for byte in text.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if plain || (reserved && b":/?#[]@!$&'()*+,;=".contains(&byte)) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
#[path = "uri_tests.rs"]
mod tests;
