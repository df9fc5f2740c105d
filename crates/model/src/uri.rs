//! Addresses of resources: plain URIs, and RFC 6570 templates in the two forms that can be read back:
//! `{var}` for one segment, `{+var}` for the rest of a path.

use crate::Args;
use percent_encoding::percent_decode_str;
use regex::Regex;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::{self, Write};
use std::str::FromStr;

/// A longer one is nobody's.
const LONGEST_URI: usize = 8 << 10;

/// A URI with any number of variables; with none it stands for itself.
#[derive(Debug, Clone)]
pub struct UriTemplate {
    text: String,
    parts: Vec<Part>,
    /// Has a group for each variable; the earlier ones take as much as they can.
    pattern: Regex,
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

impl Part {
    fn pattern(&self) -> String {
        match self {
            Self::Literal(text) => regex::escape(text),
            Self::Variable { reserved: true, .. } => "(.+)".to_owned(),
            Self::Variable { .. } => "([^/?#]+)".to_owned(),
        }
    }
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
        let pattern: String = parts.iter().map(Part::pattern).collect();
        let pattern = Regex::new(&format!("(?s)^{pattern}$"));
        let pattern = pattern.map_err(|_| bad("is too long".into()))?;
        Ok(Self { text: given.to_owned(), parts, pattern })
    }
}

impl PartialEq for UriTemplate {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for UriTemplate {}

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

    /// The variables as this URI has them, decoded.
    pub fn matches(&self, uri: &str) -> Option<Vec<(&str, String)>> {
        if uri.len() > LONGEST_URI {
            return None;
        }
        if self.is_exact() {
            return (uri == self.text).then(Vec::new);
        }
        let found = self.pattern.captures(uri)?;
        let values = found.iter().skip(1).flatten().map(|value| decode(value.as_str()));
        Some(self.variables().zip(values).collect())
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
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.map_or_else(|_| text.to_owned(), Cow::into_owned)
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
