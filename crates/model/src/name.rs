//! Names of modules and tools: once you hold one, it is well formed.

use crate::deserialize_text;
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::str::FromStr;

/// Longest name a client accepts on the wire.
const LONGEST: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} name `{given}` {why}")]
pub struct BadName {
    kind: &'static str,
    given: String,
    why: &'static str,
}

/// A module's name: `notion`, `http-utils`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleName(String);

/// A tool's name within its module: `search`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolName(String);

/// A tool's full name: `notion.search`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolPath {
    pub module: ModuleName,
    pub tool: ToolName,
}

/// A prompt's name within its module: `triage`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PromptName(String);

/// A prompt's full name: `github.triage`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PromptPath {
    pub module: ModuleName,
    pub prompt: PromptName,
}

fn checked(kind: &'static str, given: &str) -> Result<String, BadName> {
    let bad = |why| BadName { kind, given: given.to_owned(), why };
    if given.is_empty() {
        return Err(bad("is empty"));
    }
    if given.len() > LONGEST {
        return Err(bad("is longer than 64 characters"));
    }
    if !given.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-') {
        return Err(bad("may hold only letters, digits, `_` and `-`"));
    }
    Ok(given.to_owned())
}

macro_rules! name {
    ($type:ident, $kind:literal) => {
        impl FromStr for $type {
            type Err = BadName;
            fn from_str(given: &str) -> Result<Self, BadName> {
                checked($kind, given).map(Self)
            }
        }
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserialize_text(deserializer)
            }
        }
        impl $type {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl std::borrow::Borrow<str> for $type {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

name!(ModuleName, "module");
name!(ToolName, "tool");
name!(PromptName, "prompt");

impl FromStr for ToolPath {
    type Err = BadName;

    fn from_str(given: &str) -> Result<Self, BadName> {
        let Some((module, tool)) = given.split_once('.') else {
            return Err(BadName {
                kind: "tool",
                given: given.to_owned(),
                why: "has no module in front; write it as `module.tool`",
            });
        };
        Ok(Self { module: module.parse()?, tool: tool.parse()? })
    }
}

impl fmt::Display for ToolPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.module, self.tool)
    }
}

impl fmt::Display for PromptPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.module, self.prompt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(given: &str, expected: Result<&str, &str>) {
        let got = given.parse::<ToolPath>().map(|p| p.to_string()).map_err(|e| e.to_string());
        assert_eq!(got, expected.map(str::to_owned).map_err(str::to_owned));
    }

    #[test]
    fn a_tool_path_is_two_names() {
        check("notion.search", Ok("notion.search"));
        check("http-utils.get_json", Ok("http-utils.get_json"));
        check(
            "search",
            Err("tool name `search` has no module in front; write it as `module.tool`"),
        );
        check("a.b.c", Err("tool name `b.c` may hold only letters, digits, `_` and `-`"));
        check(".x", Err("module name `` is empty"));
        check("a.ü", Err("tool name `ü` may hold only letters, digits, `_` and `-`"));
    }

    #[test]
    fn a_name_fits_on_the_wire() {
        assert!("x".repeat(64).parse::<ToolName>().is_ok());
        let error = "x".repeat(65).parse::<ToolName>().unwrap_err().to_string();
        assert!(error.ends_with("is longer than 64 characters"), "{error}");
    }
}
