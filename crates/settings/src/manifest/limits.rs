//! A module's own bounds; the server's cap them.

use crate::document::Time;
use model::deserialize_text;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Bounds of the module's own. They can only be tighter than the server's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct ModuleLimits {
    /// How long one call may take.
    #[serde(with = "Time")]
    #[schemars(example = &"10s")]
    pub timeout: Option<Duration>,
    /// How often a host is asked, by all calls of the module together. A request beyond it
    /// waits. The keys are hosts.
    #[schemars(extend(
        "propertyNames" = {"examples": ["api.example.org"]},
        "additionalProperties" = {
            "type": "string",
            "title": "rate",
            "description": "Requests to this host.",
            "examples": ["10/s"]
        }
    ))]
    pub http_rate: BTreeMap<String, Rate>,
}

/// So many requests in a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    pub count: u32,
    pub per: Duration,
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_text(deserializer)
    }
}

impl JsonSchema for Rate {
    fn schema_name() -> Cow<'static, str> {
        "rate".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "title": "rate" })
    }
}

const UNITS: [(&str, u64); 3] = [("s", 1), ("m", 60), ("h", 3600)];

impl FromStr for Rate {
    type Err = String;

    /// `10/s`, `600/m`, `1000/h`.
    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let (count, unit) = text.split_once('/')?;
            let count = count.trim().parse().ok().filter(|count| *count > 0)?;
            let (_, seconds) = UNITS.iter().find(|(name, _)| *name == unit.trim())?;
            let per = Duration::from_secs(*seconds);
            Some(Self { count, per })
        };
        read().ok_or_else(|| format!("`{text}` is not a rate; write `10/s`, `600/m` or `1000/h`"))
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.per.as_secs();
        match UNITS.iter().find(|(_, unit)| *unit == seconds) {
            Some((unit, _)) => write!(f, "{}/{unit}", self.count),
            None => write!(f, "{} in {seconds} s", self.count),
        }
    }
}
