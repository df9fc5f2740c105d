//! Listed names of tools: each follows from its own module alone, and belongs to one tool.

use crate::catalog::{Catalog, Handle, Module, RESERVED, Rules};
use crate::event::{Change, Event};
use model::{Fault, ModuleName, ToolPath};
use parking_lot::Mutex;
use settings::Manifest;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Longest name that clients accept.
const LONGEST: usize = 64;

/// Which tool each listed name belongs to, served or not.
pub type NameOwners = BTreeMap<String, ToolPath>;

/// The listed names of some modules.
#[derive(Default)]
pub(crate) struct ListedNames {
    pub(crate) tools: BTreeMap<String, Handle>,
    pub(crate) unlisted: Vec<UnlistedTool>,
}

/// A tool that is not listed: its name is a meta tool's, or belongs to another tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnlistedTool {
    pub name: String,
    pub tool: ToolPath,
    /// The module's file as people know it.
    pub file: String,
    /// `None` if the name is a meta tool's.
    pub owner: Option<ToolPath>,
    /// Whether the owner is listed under it now.
    pub is_used: bool,
}

impl Rules {
    /// What a tool is called in `tools/list`: its prefix and its own name. A folder's prefix is its
    /// name and `_`, unless its manifest or the operator says otherwise; a single file has none.
    pub fn listed_name(&self, module: &ModuleName, of: Option<&Manifest>, tool: &str) -> String {
        let operator = self.prefixes.get(module).map(String::as_str);
        let own = of.and_then(|manifest| manifest.prefix.as_deref());
        let mut name = match operator.or(own) {
            Some(prefix) => format!("{prefix}{tool}"),
            None if of.is_none() || module.as_str() == tool => tool.to_owned(),
            None => format!("{module}_{tool}"),
        };
        if is_reserved(&name) {
            name = format!("{module}_{tool}");
        }
        name.truncate(LONGEST);
        name
    }
}

impl ListedNames {
    /// Of several tools of one name that nobody owns, the first has it: modules come in the order of
    /// their names.
    pub(crate) fn new<'m>(modules: impl Iterator<Item = &'m Arc<Module>>, rules: &Rules) -> Self {
        let mut names = Self::default();
        for module in modules {
            for index in 0..module.tools.len() {
                let module = Arc::clone(module);
                names.add(Handle { module, index }, rules);
            }
        }
        for tool in &mut names.unlisted {
            tool.is_used = names.tools.contains_key(&tool.name);
        }
        names
    }

    fn add(&mut self, handle: Handle, rules: &Rules) {
        let (module, tool) = (&handle.module, &handle.tool().tool.name);
        let name = rules.listed_name(&module.name, module.manifest.as_deref(), tool.as_str());
        let recorded = rules.owners.get(&name);
        let other = recorded.filter(|owner| owner.module != module.name || owner.tool != *tool);
        let owner = other.cloned();
        let owner = owner.or_else(|| self.tools.get(&name).map(Handle::path));
        if owner.is_some() || is_reserved(&name) {
            self.unlisted.push(UnlistedTool {
                tool: handle.path(),
                file: module.shown.clone(),
                name,
                owner,
                is_used: false,
            });
            return;
        }
        self.tools.insert(name, handle);
    }
}

fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

impl UnlistedTool {
    /// What is wrong, and how to fix it.
    pub fn fault(&self) -> Fault {
        let (name, tool, module) = (&self.name, &self.tool, &self.tool.module);
        let rename = format!(
            "write another `prefix` under `[module.{module}]` in larkspur.toml, or rename the tool; it \
             can be called as `{tool}` meanwhile"
        );
        let (why, fix) = match &self.owner {
            None => ("is the name of a meta tool".to_owned(), rename),
            Some(owner) if self.is_used => (format!("belongs to `{owner}`"), rename),
            Some(owner) => (
                format!("belongs to `{owner}`, which no longer uses it"),
                format!(
                    "clients may have been allowed to call it: free the name with `larkspur list \
                     --release-name {name}` and restart the server, or {rename}"
                ),
            ),
        };
        Fault::new(format!("`{tool}` is not listed: the name `{name}` {why}"))
            .code("E0503")
            .help(fix)
    }

    pub(crate) fn event(&self) -> Event {
        Event {
            file: self.file.clone(),
            module: Some(self.tool.module.clone()),
            change: Change::Unlisted { fault: self.fault() },
            took: Duration::ZERO,
        }
    }
}

/// Bare names of tools in folders, which clients knew up to release 0.1: each is logged once.
#[derive(Default)]
pub(crate) struct OldNames(Mutex<BTreeSet<String>>);

impl OldNames {
    fn log(&self, name: &str, listed: &str) {
        let mut logged = self.0.lock();
        if logged.insert(name.to_owned()) {
            tracing::warn!(
                "tool name `{name}` is deprecated and goes with the next release: call `{listed}`"
            );
        }
    }
}

impl Catalog {
    /// The tools of folders that were listed under their bare names before. A name that belongs to a
    /// listed tool, served or not, never stands for another.
    pub(crate) fn find_old_name(&self, name: &str) -> Vec<Handle> {
        if self.rules.owners.contains_key(name) {
            return Vec::new();
        }
        let has_old_names = |module: &&Arc<Module>| {
            module.manifest.is_some() && !self.rules.prefixes.contains_key(&module.name)
        };
        let modules = self.modules().filter(has_old_names);
        let found: Vec<Handle> = modules.filter_map(|module| Handle::find(module, name)).collect();
        if let [only] = found.as_slice() {
            let module = &only.module;
            let manifest = module.manifest.as_deref();
            let listed = self.rules.listed_name(&module.name, manifest, name);
            self.rules.old_names.log(name, &listed);
        }
        found
    }
}

#[cfg(test)]
#[path = "names_tests.rs"]
pub(crate) mod tests;
