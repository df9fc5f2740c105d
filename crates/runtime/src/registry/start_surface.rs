//! The surface that `auto` chooses when the server starts, for every set of roles.

use crate::catalog::Catalog;
use model::ToolPath;
use parking_lot::Mutex;
use settings::{Policy, Roles};
use std::collections::HashMap;

/// Choices that are remembered; a server with more sets of roles derives the others each time.
const MOST: usize = 4_096;

/// The tools that were served at the start, with what each costs in a flat list.
pub(crate) struct StartSurface {
    tools: Vec<(ToolPath, usize)>,
    /// A list that costs less is shown flat.
    below: usize,
    /// Whether the meta tools are shown, by the names of roles; `None` is who sees everything.
    chosen: Mutex<HashMap<Option<Vec<String>>, bool>>,
}

impl StartSurface {
    /// From the first catalog of a server.
    pub(crate) fn new(catalog: &Catalog) -> Self {
        let tools = catalog.tools().zip(catalog.front.costs());
        Self {
            tools: tools.map(|((_, handle), cost)| (handle.path(), *cost)).collect(),
            below: catalog.rules.server.surface_tokens,
            chosen: Mutex::default(),
        }
    }

    /// Whether `auto` shows the meta tools to these roles: chosen when a caller first has them, from
    /// the tools of the start, and then for good.
    pub(crate) fn shows_modules(&self, policy: &Policy, roles: &Roles) -> bool {
        let key = match roles {
            Roles::All => None,
            Roles::These(_) => {
                let names = policy.role_names(roles).into_iter();
                Some(names.map(str::to_owned).collect())
            }
        };
        let mut chosen = self.chosen.lock();
        if let Some(known) = chosen.get(&key) {
            return *known;
        }
        let is_seen = |path: &ToolPath| {
            let verdict = policy.decide(roles, path.module.as_str(), path.tool.as_str());
            verdict.is_yes()
        };
        let seen = self.tools.iter().filter(|(path, _)| is_seen(path));
        let shows_modules = seen.map(|(_, cost)| cost).sum::<usize>() >= self.below;
        if chosen.len() < MOST {
            chosen.insert(key, shows_modules);
        }
        shows_modules
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Rules;
    use crate::catalog::tests::module;
    use model::Caller;
    use settings::{Project, Server};
    use std::sync::Arc;

    fn catalog(start: Option<&Arc<StartSurface>>, tools: &[&str]) -> Catalog {
        let start = start.cloned();
        let policy = Arc::<Policy>::default();
        let rules = Rules {
            server: Server { surface_tokens: 100, ..Server::default() },
            shows_modules: start.as_ref().map(|start| start.shows_modules(&policy, &Roles::All)),
            start,
            ..Rules::default()
        };
        Catalog::by(rules, [module("m", tools)])
    }

    #[test]
    fn the_surface_of_the_start_stays() {
        let few = ["a"];
        let many = ["a", "b", "c", "d", "e", "f", "g", "h"];
        for (first, then, shows_modules, hint) in [
            (&few[..], &many[..], false, "a restart would show the meta tools"),
            (&many[..], &few[..], true, "a restart would list every tool"),
        ] {
            let start = catalog(None, first);
            assert_eq!(start.front.choice.shows_modules, shows_modules);
            assert!(!start.front.choice.to_string().contains("restart"));
            let surface = Arc::new(StartSurface::new(&start));
            let next = catalog(Some(&surface), then);
            assert_eq!(next.front.choice.shows_modules, shows_modules);
            let why = next.front.choice.to_string();
            assert!(why.ends_with(hint), "{why}");
            let back = catalog(Some(&surface), first);
            assert_eq!(back.front.choice, start.front.choice);
        }
    }

    #[test]
    fn each_role_keeps_its_own_choice() {
        let policy = |text: &str| Project::parse("larkspur.toml", text).unwrap().policy;
        let start = catalog(None, &["a", "b", "c", "d", "e", "f", "g", "h"]);
        let start = StartSurface::new(&start);
        let shows_modules = |policy: &Policy, user: &'static str| {
            start.shows_modules(policy, &policy.roles_of(&Caller::named(user)))
        };
        let few = "[role.few]\nusers = ['ada']\nallow = ['m.a']\n";
        let all = "[role.all]\nusers = ['bob']\nallow = ['*']\n";
        let first = policy(&format!("{few}{all}"));
        assert!(!shows_modules(&first, "ada"));
        assert!(shows_modules(&first, "bob"));
        // Other rights, and roles in another order, change nothing for roles that were served.
        let then = policy(&format!("{all}{few}").replace("m.a", "*"));
        assert!(!shows_modules(&then, "ada"));
        assert!(shows_modules(&then, "bob"));
    }
}
