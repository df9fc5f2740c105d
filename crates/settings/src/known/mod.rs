//! Every key of `module.toml` and `larkspur.toml`, described once: readers refuse what is not here,
//! and the book and `larkspur new --project` show what is.

mod callers;
mod limits;
mod manifest;
mod modules;
mod server;
mod template;

pub use manifest::MANIFEST;
pub use template::project_template;

pub(crate) use callers::{AUTH, ISSUER, ROLE, SCOPE};
pub(crate) use limits::{AUDIT, LIMITS, VAULT};
pub(crate) use manifest::{MANIFEST_TOP, MODULE_LIMITS, PERMISSIONS, SECRET};
pub(crate) use modules::{GRANT, MODULE, POSTGRES};
pub(crate) use server::{PROJECT_TOP, SERVER};

/// All of `larkspur.toml`, in the order in which it is shown.
pub const PROJECT: [Section; 13] = [
    PROJECT_TOP,
    SERVER,
    LIMITS,
    AUTH,
    ISSUER,
    ROLE,
    SCOPE,
    VAULT,
    AUDIT,
    MODULE,
    modules::MODULE_CONFIG,
    GRANT,
    POSTGRES,
];

/// One table of a file.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    /// `limits`, `role.NAME`; empty for what stands above all tables.
    pub name: &'static str,
    /// As in an example: `role.reader`.
    pub example: &'static str,
    pub about: &'static str,
    pub keys: &'static [Key],
}

#[derive(Debug, Clone, Copy)]
pub struct Key {
    pub name: &'static str,
    pub kind: Kind,
    pub said: Said,
    pub about: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    Texts,
    Number,
    Bool,
    /// `30s`.
    Time,
    /// `16MiB`.
    Size,
    /// `10/s`.
    Rate,
    OneOf(&'static [&'static str]),
    Table,
    /// In words, where none of the others says it.
    Other(&'static str),
}

/// What holds if nobody says anything, or what could be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// It has to be there; an example.
    Must(&'static str),
    Default(&'static str),
    /// It may be left out, and nothing stands in its place; an example.
    May(&'static str),
    /// It is a table with a section of its own.
    Below,
}

const fn key(name: &'static str, kind: Kind, said: Said, about: &'static str) -> Key {
    Key { name, kind, said, about }
}

impl Key {
    /// The default or the example, as TOML; none of what has a section of its own.
    pub fn value(&self) -> Option<String> {
        let (Said::Must(text) | Said::Default(text) | Said::May(text)) = self.said else {
            return None;
        };
        let is_quoted =
            matches!(self.kind, Kind::Text | Kind::Time | Kind::Size | Kind::Rate | Kind::OneOf(_));
        Some(if is_quoted { format!("\"{text}\"") } else { text.to_owned() })
    }
}

#[cfg(test)]
#[path = "known_tests.rs"]
mod tests;
