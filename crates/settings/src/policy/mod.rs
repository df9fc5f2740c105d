//! Who may use which tools: roles allow and deny, scopes of a token open. Pure: it is asked, and
//! somebody else acts.

mod pattern;
mod role;
mod scope;
mod verdict;

pub use pattern::Pattern;
pub use verdict::Verdict;

use crate::document::Spans;
use indexmap::IndexMap;
use model::{Caller, Fault};
pub(crate) use role::Role;
pub(crate) use scope::Scope;

/// `[role.NAME]` and `[scope.NAME]` of `larkspur.toml`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Policy {
    pub(crate) roles: IndexMap<String, Role>,
    pub(crate) scopes: IndexMap<String, Scope>,
}

/// The roles that somebody has, by their places in the policy. Who has the same sees the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Roles {
    /// Nobody has said who may do what.
    All,
    These(Vec<usize>),
}

impl Policy {
    pub(crate) fn check(&self, spans: &Spans) -> Result<(), Fault> {
        scope::check(&self.scopes, spans)
    }

    pub fn has_scopes(&self) -> bool {
        !self.scopes.is_empty()
    }

    /// What this one has none of, though the earlier one had.
    pub fn vanished(&self, earlier: &Self) -> Option<&'static str> {
        if self.roles.is_empty() && !earlier.roles.is_empty() {
            return Some("roles");
        }
        (!self.has_scopes() && earlier.has_scopes()).then_some("scopes")
    }

    /// Those that imply no other: what is asked for to begin with.
    pub fn lowest_scopes(&self) -> impl Iterator<Item = &str> {
        let lowest = self.scopes.iter().filter(|(_, scope)| scope.implies.is_empty());
        lowest.map(|(name, _)| name.as_str())
    }

    /// The roles by name that somebody has.
    pub fn role_names(&self, roles: &Roles) -> Vec<&str> {
        match roles {
            Roles::All => Vec::new(),
            Roles::These(places) => {
                let own = places.iter().filter_map(|at| self.roles.get_index(*at));
                own.map(|(name, _)| name.as_str()).collect()
            }
        }
    }

    /// Whoever started the process may do all that it can, unless a role names him.
    pub fn roles_of(&self, caller: &Caller) -> Roles {
        if self.roles.is_empty() {
            return Roles::All;
        }
        let has = |(at, role): (usize, &Role)| role.is_of(caller).then_some(at);
        let roles: Vec<usize> = self.roles.values().enumerate().filter_map(has).collect();
        if caller.is_local() && !self.roles.values().any(Role::names_local) {
            return Roles::All;
        }
        Roles::These(roles)
    }

    /// May these roles use a tool, a prompt or a resource of this name? Deny wins; no match is no.
    pub fn decide(&self, roles: &Roles, module: &str, name: &str) -> Verdict<'_> {
        let Roles::These(places) = roles else {
            return Verdict::Open;
        };
        let own = || places.iter().filter_map(|at| self.roles.get_index(*at));
        let matching = |list: fn(&Role) -> &[Pattern]| {
            own().find_map(|(role_name, role)| {
                let mut patterns = list(role).iter();
                let pattern = patterns.find(|pattern| pattern.matches(module, name))?;
                Some((role_name.as_str(), pattern))
            })
        };
        if let Some((role, pattern)) = matching(|role| &role.deny) {
            return Verdict::Denied { role, pattern };
        }
        match matching(|role| &role.allow) {
            Some((role, pattern)) => Verdict::Allowed { role, pattern },
            None => Verdict::Unmatched,
        }
    }

    /// The scope that a caller lacks for this, if so: the first that would open it.
    pub fn missing_scope(&self, caller: &Caller, module: &str, name: &str) -> Option<&str> {
        let held = caller.scopes.as_ref()?;
        let opens = |scope: &&(&String, &Scope)| scope.1.opens(module, name);
        let (first, _) = self.scopes.iter().find(|scope| opens(&scope))?;
        let mut opening = self.scopes.iter().filter(|scope| opens(&scope));
        let is_held = opening.any(|(name, _)| held.iter().any(|held| self.implies(held, name)));
        (!is_held).then_some(first)
    }

    /// Does one scope hold another, by itself or by what it implies?
    fn implies(&self, held: &str, wanted: &str) -> bool {
        let mut seen = vec![held];
        let mut next = 0;
        while let Some(name) = seen.get(next).copied() {
            if name == wanted {
                return true;
            }
            let found = self.scopes.get(name);
            for implied in found.iter().flat_map(|scope| &scope.implies) {
                if !seen.contains(&implied.as_str()) {
                    seen.push(implied);
                }
            }
            next += 1;
        }
        false
    }
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
