//! A module's own bounds; the server's cap them.

use crate::document::{Item, Table};
use crate::known;
use model::check_host;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModuleLimits {
    pub timeout: Option<Duration>,
    /// By host.
    pub http_rate: BTreeMap<String, Rate>,
}

/// So many requests in a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    pub count: u32,
    pub per: Duration,
}

impl ModuleLimits {
    pub(super) fn read(mut table: Table<'_>) -> Self {
        let timeout = table.get("timeout").and_then(|item| item.duration());
        let rates = table.table("http_rate").map(Table::into_entries);
        let rates = rates.unwrap_or_default();
        table.finish(&known::MODULE_LIMITS);
        let rate = |item: &Item<'_>| {
            check_host(item.key()).map_err(|fault| item.report_key(fault)).ok()?;
            Some((item.key().to_owned(), item.parse()?))
        };
        Self { timeout, http_rate: rates.iter().filter_map(rate).collect() }
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
