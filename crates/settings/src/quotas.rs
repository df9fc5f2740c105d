//! How much of the server one caller, or one module, may take. Nothing of it is bounded unless somebody
//! says so, but for the answers that are kept.

use crate::Rate;
use crate::document::{Item, Table};

/// Set by the operator under `[limits]`, each by the name of its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quotas {
    /// Calls of one caller.
    pub caller_rate: Option<Rate>,
    /// Calls of one module, by whomever.
    pub module_rate: Option<Rate>,
    /// Calls of one caller at one time; further ones wait.
    pub caller_calls: Option<usize>,
    /// Calls of one module at one time.
    pub module_calls: Option<usize>,
    /// Bytes of answers that are kept to be given again.
    pub cache: usize,
}

impl Default for Quotas {
    fn default() -> Self {
        Self {
            caller_rate: None,
            module_rate: None,
            caller_calls: None,
            module_calls: None,
            cache: 64 << 20,
        }
    }
}

impl Quotas {
    pub(crate) fn read(table: &mut Table<'_>) -> Self {
        let mut get = |key| table.get(key);
        let rate = |item: Option<Item<'_>>| item.and_then(|item| item.parse());
        let count = |item: Option<Item<'_>>| item.and_then(|item| item.count());
        Self {
            caller_rate: rate(get("caller_rate")),
            module_rate: rate(get("module_rate")),
            caller_calls: count(get("caller_calls")),
            module_calls: count(get("module_calls")),
            cache: get("cache").and_then(|item| item.size()).unwrap_or(Self::default().cache),
        }
    }
}
