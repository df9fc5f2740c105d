//! A module's configuration: four layers, later ones win, checked against what the module asks for.

mod environment;
mod keywords;
mod layers;
mod merged;
mod path;
mod problems;
mod schema;
mod set;
mod text;

pub use environment::near_misses;
pub use keywords::CONFIG_WORDS;
pub use layers::{Layers, resolve};
pub(crate) use schema::ConfigTable;
pub use schema::{ConfigKey, ConfigSchema};
pub use set::{check_set, parse_set};

use serde_json::{Map, Value};
use std::fmt;

/// What a module gets, decided.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Config {
    pub settings: Vec<Setting>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    pub key: String,
    pub value: Value,
    /// The last layer that had a say.
    pub origin: Origin,
    /// Of an object that several had a say in: each part, as `host` or `tls.port`, and who said it.
    pub parts: Vec<(String, Origin)>,
}

/// Where a value was said; later variants win over earlier ones.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// In the module's manifest.
    Default { file: String, line: usize },
    /// In `larkspur.toml`.
    File { file: String, line: usize },
    /// By this variable.
    Environment(String),
    /// By `--set`.
    CommandLine,
    /// By `t.config`.
    Test,
}

impl Config {
    pub fn to_json(&self) -> Map<String, Value> {
        let pairs = self.settings.iter();
        pairs.map(|s| (s.key.clone(), s.value.clone())).collect()
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default { file, line } => write!(f, "default ({file}:{line})"),
            Self::File { file, line } => write!(f, "{file}:{line}"),
            Self::Environment(variable) => f.write_str(variable),
            Self::CommandLine => f.write_str("--set"),
            Self::Test => f.write_str("t.config"),
        }
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
