//! How much of the server one caller, or one module, may take. Nothing of it is bounded unless somebody
//! says so, but for the answers that are kept.

use crate::Rate;
use crate::document::Table;

/// Set by the operator under `[limits]`, each by the name of its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quotas {
    /// Calls of one caller.
    pub caller_rate: Option<Rate>,
    /// Calls of one module, by whomever.
    pub module_rate: Option<Rate>,
}

impl Default for Quotas {
    fn default() -> Self {
        Self {
            caller_rate: None,
            module_rate: None,
        }
    }
}

impl Quotas {
    pub(crate) fn read(table: &mut Table<'_>) -> Self {
        let mut rate = |key| table.get(key).and_then(|item| item.parse());
        Self {
            caller_rate: rate("caller_rate"),
            module_rate: rate("module_rate"),
        }
    }
}
