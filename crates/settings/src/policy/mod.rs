//! Who may use which tools: roles allow and deny, scopes of a token open. Pure: it is asked, and
//! somebody else acts.

mod pattern;
mod role;
mod scope;
mod verdict;

pub use pattern::Pattern;
pub use verdict::Verdict;

use crate::document::{Item, Table};
use model::Caller;
use role::Role;
use scope::Scope;

/// `[role.NAME]` and `[scope.NAME]` of `larkspur.toml`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Policy {
    roles: Vec<Role>,
    scopes: Vec<Scope>,
}

/// The roles that somebody has, by their places in the policy. Who has the same sees the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Roles {
    /// Nobody has said who may do what.
    All,
    These(Vec<usize>),
}

impl Policy {
    pub(crate) fn read(roles: Option<Table<'_>>, scopes: Option<Table<'_>>) -> Self {
        let scopes = entries(scopes);
        let policy = Self {
            roles: entries(roles).iter().filter_map(Role::read).collect(),
            scopes: scopes.iter().filter_map(Scope::read).collect(),
        };
        policy.check_implied(&scopes);
        policy
    }

    /// The scopes there are, as a token names them.
    pub fn scope_names(&self) -> impl Iterator<Item = &str> {
        self.scopes.iter().map(|scope| scope.name.as_str())
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
        let lowest = self.scopes.iter().filter(|scope| scope.implies.is_empty());
        lowest.map(|scope| scope.name.as_str())
    }

    /// The roles by name that somebody has.
    pub fn role_names(&self, roles: &Roles) -> Vec<&str> {
        match roles {
            Roles::All => Vec::new(),
            Roles::These(places) => {
                let own = places.iter().filter_map(|at| self.roles.get(*at));
                own.map(|role| role.name.as_str()).collect()
            }
        }
    }

    /// A scope that another one implies must be there.
    fn check_implied(&self, items: &[Item<'_>]) {
        for (scope, item) in self.scopes.iter().zip(items) {
            for implied in &scope.implies {
                let mut known = self.scopes.iter().map(|scope| scope.name.as_str());
                if !known.any(|name| name == implied) {
                    let known = self.scopes.iter().map(|scope| scope.name.as_str());
                    item.report_key(scope::unknown(implied, known));
                }
            }
        }
    }

    /// Whoever started the process may do all that it can, unless a role names him.
    pub fn roles_of(&self, caller: &Caller) -> Roles {
        if self.roles.is_empty() {
            return Roles::All;
        }
        let has = |(at, role): (usize, &Role)| role.is_of(caller).then_some(at);
        let roles: Vec<usize> = self.roles.iter().enumerate().filter_map(has).collect();
        if caller.is_local() && !self.roles.iter().any(Role::names_local) {
            return Roles::All;
        }
        Roles::These(roles)
    }

    /// May these roles use a tool, a prompt or a resource of this name? Deny wins; no match is no.
    pub fn decide(&self, roles: &Roles, module: &str, name: &str) -> Verdict<'_> {
        let Roles::These(places) = roles else {
            return Verdict::Open;
        };
        let own = || places.iter().filter_map(|at| self.roles.get(*at));
        let matching = |list: fn(&Role) -> &[Pattern]| {
            own().find_map(|role| {
                let mut patterns = list(role).iter();
                let pattern = patterns.find(|pattern| pattern.matches(module, name))?;
                Some((role.name.as_str(), pattern))
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
        let opens = |scope: &&Scope| scope.opens(module, name);
        let first = self.scopes.iter().find(opens)?;
        let mut opening = self.scopes.iter().filter(opens);
        let is_held = opening.any(|scope| held.iter().any(|held| self.implies(held, &scope.name)));
        (!is_held).then_some(&first.name)
    }

    /// Does one scope hold another, by itself or by what it implies?
    fn implies(&self, held: &str, wanted: &str) -> bool {
        let mut seen = vec![held];
        let mut next = 0;
        while let Some(name) = seen.get(next).copied() {
            if name == wanted {
                return true;
            }
            let found = self.scopes.iter().find(|scope| scope.name == name);
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

fn entries(table: Option<Table<'_>>) -> Vec<Item<'_>> {
    table.map(Table::into_entries).unwrap_or_default()
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
