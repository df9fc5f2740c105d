//! A role: what it may use, and who has it.

use super::Pattern;
use crate::Caller;
use crate::Fault;
use crate::caller::LOCAL;
use crate::document::{Item, Table};
use serde_json::{Map, Value};

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
    pub claims: Vec<(String, Vec<Value>)>,
}

impl Role {
    pub(super) fn read(item: &Item<'_>) -> Option<Self> {
        let mut table = item.table()?;
        let role = Self {
            name: item.key().to_owned(),
            allow: patterns(&mut table, "allow"),
            deny: patterns(&mut table, "deny"),
            users: table.strings("users"),
            scopes: table.strings("scopes"),
            claims: table
                .get("claims")
                .and_then(|item| claims(&item))
                .unwrap_or_default(),
        };
        table.finish();
        if role.users.is_empty() && role.scopes.is_empty() && role.claims.is_empty() {
            let fault = Fault::new(format!("nobody has the role `{}`", role.name));
            let help = "add users = [\"ada\"], scopes = [\"mcp:read\"] or claims = { groups = [\"dev\"] }; users = [\"*\"] is everybody";
            item.report_key(fault.help(help));
        }
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
            || !self.claims.is_empty() && self.claims.iter().all(|claim| says(caller, claim))
    }
}

fn says(caller: &Caller, (name, wanted): &(String, Vec<Value>)) -> bool {
    let found = match caller.claims.as_ref().and_then(|all| claim(all, name)) {
        Some(Value::Array(several)) => several.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    found.iter().any(|value| wanted.contains(value))
}

/// By its name, or by the way to it: `realm_access.roles`.
fn claim<'c>(claims: &'c Map<String, Value>, name: &str) -> Option<&'c Value> {
    if let Some(value) = claims.get(name) {
        return Some(value);
    }
    let (first, rest) = name.split_once('.')?;
    claim(claims.get(first)?.as_object()?, rest)
}

pub(super) fn patterns(table: &mut Table<'_>, key: &'static str) -> Vec<Pattern> {
    table.list(key).iter().filter_map(Item::parse).collect()
}

fn claims(item: &Item<'_>) -> Option<Vec<(String, Vec<Value>)>> {
    item.table()?;
    let Value::Object(map) = item.json()? else {
        return None;
    };
    let listed = map.into_iter().map(|(name, value)| match value {
        Value::Array(several) => (name, several),
        one => (name, vec![one]),
    });
    Some(listed.collect())
}
