//! What one caller sees: the catalog without what his roles keep from him. Whatever is listed, found,
//! described, called or run in a batch comes from there, so that what is kept from him is not there.

use crate::catalog::{Catalog, Module};
use crate::runtime::Runtime;
use model::{Caller, ToolPath};
use parking_lot::Mutex;
use settings::Roles;
use std::collections::HashMap;
use std::sync::Arc;

/// So many views are kept; who has more combinations of roles than that waits for some to be made again.
const MOST: usize = 256;

/// Views of one catalog, by the roles they are for.
#[derive(Default)]
pub(crate) struct Views(Mutex<HashMap<Roles, Arc<Catalog>>>);

impl Runtime {
    /// What is served to this caller.
    pub fn view(&self, caller: &Caller) -> Arc<Catalog> {
        let catalog = self.catalog();
        let roles = catalog.rules.policy.roles_of(caller);
        match roles {
            Roles::All => catalog,
            roles @ Roles::These(_) => catalog.seen_by(roles),
        }
    }
}

impl Runtime {
    /// Is nothing kept from this caller?
    pub fn sees_all(&self, caller: &Caller) -> bool {
        let (all, view) = (self.catalog(), self.view(caller));
        let lists = |catalog: &Catalog| {
            let (resources, prompts) = (&catalog.resources, &catalog.prompts);
            let front = (catalog.fingerprint, resources.fingerprint, prompts.fingerprint);
            (front, catalog.tool_count(), catalog.modules().count())
        };
        Arc::ptr_eq(&all, &view) || lists(&all) == lists(&view)
    }
}

impl Catalog {
    fn seen_by(&self, roles: Roles) -> Arc<Self> {
        if let Some(view) = self.views.0.lock().get(&roles) {
            return Arc::clone(view);
        }
        // Made without the lock: two may make the same, and one of them is kept.
        let view = Arc::new(self.narrowed(&roles));
        let mut views = self.views.0.lock();
        if views.len() >= MOST {
            views.clear();
        }
        Arc::clone(views.entry(roles).or_insert(view))
    }

    fn narrowed(&self, roles: &Roles) -> Self {
        let policy = &self.rules.policy;
        let modules = self.modules().filter_map(|module| {
            let may = |name: &str| {
                let verdict = policy.decide(roles, module.name.as_str(), name);
                verdict.is_yes()
            };
            module.narrowed(&may).map(Arc::new)
        });
        let may = |path: &ToolPath| {
            let verdict = policy.decide(roles, path.module.as_str(), path.tool.as_str());
            verdict.is_yes()
        };
        let halted = self.halted.iter().filter(|(_, (path, _))| may(path));
        let halted = halted.map(|(name, known)| (name.clone(), known.clone()));
        let start = self.rules.start.as_ref();
        let shows_modules = start.map(|start| start.shows_modules(policy, roles));
        let mut view = self.kin(shows_modules, modules);
        view.halted = halted.collect();
        view
    }
}

impl Module {
    /// What is left of it, if anything is.
    fn narrowed(&self, may: &dyn Fn(&str) -> bool) -> Option<Self> {
        let tools = self.tools.iter();
        let tools = tools.filter(|tool| may(tool.tool.name.as_str())).cloned();
        let resources = self.resources.iter();
        let resources = resources.filter(|one| may(&one.resource.name)).cloned();
        let prompts = self.prompts.iter();
        let prompts = prompts.filter(|one| may(one.prompt.name.as_str())).cloned();
        let module = Self {
            resources: resources.collect(),
            prompts: prompts.collect(),
            ..self.with_tools(tools.collect(), self.generation)
        };
        let offers = module.offers();
        (offers.tools + offers.resources + offers.prompts > 0).then_some(module)
    }
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;
