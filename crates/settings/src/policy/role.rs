//! A role: what it may use, and who has it.

use super::Pattern;
use crate::Claims;
use model::{Caller, LOCAL};
use schemars::JsonSchema;
use serde::Deserialize;

/// Everybody who has logged in.
const EVERYBODY: &str = "*";

/// What callers may use. Without any role they may use all. Deny wins; what no role allows
/// is denied. A role is had by name, by a scope or by claims of the token.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(crate) struct Role {
    /// What may be used: `MODULE.NAME`, with `*` for any part.
    #[schemars(with = "Vec<String>", extend("examples" = [["github.*", "notion.search"]]))]
    pub(super) allow: Vec<Pattern>,
    /// What may not, whoever allows it.
    #[schemars(with = "Vec<String>", extend("examples" = [["*.delete_*"]]))]
    pub(super) deny: Vec<Pattern>,
    /// Callers who have it, by name; `*` is everybody who has logged in.
    #[schemars(extend("examples" = [["*"]]))]
    users: Vec<String>,
    /// Whoever's token has one of these has it.
    #[schemars(extend("examples" = [["mcp:read"]]))]
    scopes: Vec<String>,
    /// Whoever's token says one of these, of each claim, has it.
    #[schemars(extend("examples" = [{"groups": ["dev"]}]))]
    claims: Claims,
}

impl Role {
    /// Does it name whoever started the process?
    pub(super) fn names_local(&self) -> bool {
        self.users.iter().any(|user| user == LOCAL)
    }

    pub(super) fn is_of(&self, caller: &Caller) -> bool {
        let by_name = |user: &String| user == EVERYBODY || **user == *caller.name;
        let held = caller.scopes.as_deref().unwrap_or_default();
        self.users.iter().any(by_name)
            || self.scopes.iter().any(|scope| held.contains(scope))
            || !self.claims.is_empty()
                && caller.claims.as_ref().is_some_and(|of| self.claims.hold(of))
    }
}
