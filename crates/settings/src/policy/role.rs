//! A role: what it may use, and who has it.

use super::Pattern;
use crate::Claims;
use crate::document::{Item, Table};
use crate::known;
use model::Caller;
use model::LOCAL;

/// Everybody who has logged in.
const EVERYBODY: &str = "*";

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Role {
    pub name: String,
    pub allow: Vec<Pattern>,
    pub deny: Vec<Pattern>,
    /// Callers by name, or `*`.
    pub users: Vec<String>,
    /// Whoever's token has one of these.
    pub scopes: Vec<String>,
    /// Whoever's token says one of these of each claim.
    pub claims: Claims,
}

impl Role {
    pub(super) fn read(item: &Item<'_>) -> Option<Self> {
        let mut table = item.table()?;
        let claims = table.get("claims").and_then(|item| Claims::read(&item));
        let role = Self {
            name: item.key().to_owned(),
            allow: patterns(&mut table, "allow"),
            deny: patterns(&mut table, "deny"),
            users: table.strings("users"),
            scopes: table.strings("scopes"),
            claims: claims.unwrap_or_default(),
        };
        table.finish(&known::ROLE);
        Some(role)
    }

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

pub(super) fn patterns(table: &mut Table<'_>, key: &'static str) -> Vec<Pattern> {
    table.list(key).iter().filter_map(Item::parse).collect()
}
