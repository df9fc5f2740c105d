//! A module's place among the others: one name each, dependencies that are there, no circles.

use crate::assembly::Candidate;
use crate::library::{Key, Kind, Library, Trouble};
use crate::life::Life;
use model::{Fault, ModuleName, Order, did_you_mean, order_where};
use settings::Manifest;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The modules there would be, and what is known of each.
pub(crate) struct Neighbours {
    /// Whose each name is, and how people know it.
    owners: BTreeMap<ModuleName, (Key, String)>,
    pub(crate) order: Order<ModuleName>,
    /// The only ones that are wanted, if larkspur.toml says so.
    enable: Option<Vec<ModuleName>>,
    /// Those there are that it leaves out.
    disabled: BTreeSet<ModuleName>,
    stopped: BTreeSet<ModuleName>,
    halted: BTreeMap<ModuleName, Fault>,
    /// The lives of those that stay as they are.
    pub(crate) lives: BTreeMap<ModuleName, Arc<Life>>,
}

impl Neighbours {
    pub(crate) fn new(library: &Library, candidates: &[Candidate]) -> Self {
        let affected: BTreeSet<&Key> = candidates.iter().map(|c| &c.attempt.key).collect();
        let staying = || {
            let entries = library.entries.iter();
            entries.filter(|(key, _)| !affected.contains(key))
        };
        let mut nodes: BTreeMap<ModuleName, Vec<ModuleName>> = BTreeMap::new();
        let mut required: BTreeSet<(ModuleName, ModuleName)> = BTreeSet::new();
        let mut owners: BTreeMap<ModuleName, (Key, String)> = BTreeMap::new();
        let mut add = |key: &Key, name: &ModuleName, manifest: Option<&Manifest>| {
            if !library.project.enables(name) || owners.contains_key(name) {
                return;
            }
            owners.insert(name.clone(), (key.clone(), library.shown(key)));
            let needs = || manifest.into_iter().flat_map(Manifest::dependencies);
            let cannot_do_without = needs().filter(|(_, required)| *required);
            required.extend(cannot_do_without.map(|(to, _)| (name.clone(), to.clone())));
            nodes.insert(name.clone(), needs().map(|(to, _)| to.clone()).collect());
        };
        // Who is served keeps the name, else the first by its file has it.
        for served in [true, false] {
            for (key, entry) in staying().filter(|(_, entry)| entry.module.is_some() == served) {
                if let Some(name) = &entry.name {
                    add(key, name, entry.manifest.as_deref());
                }
            }
        }
        for candidate in candidates {
            if let Some(name) = &candidate.name {
                let attempt = &candidate.attempt;
                add(&attempt.key, name, attempt.manifest.as_deref());
            }
        }
        let names = candidates.iter().filter_map(|c| c.name.as_ref());
        let names = names.chain(library.entries.values().filter_map(|e| e.name.as_ref()));
        Self {
            disabled: names.filter(|name| !library.project.enables(name)).cloned().collect(),
            enable: library.project.project().enable.clone(),
            stopped: library.stopped.clone(),
            halted: library
                .halted
                .iter()
                .map(|(name, halted)| (name.clone(), halted.fault.clone()))
                .collect(),
            order: order_where(&nodes, |from, to| required.contains(&(from.clone(), to.clone()))),
            owners,
            lives: staying()
                .filter_map(|(_, entry)| entry.module.as_ref())
                .map(|module| (module.name.clone(), Arc::clone(&module.life)))
                .collect(),
        }
    }

    /// Is it left out, or stopped?
    pub(crate) fn check_wanted(&self, name: &ModuleName) -> Result<(), Trouble> {
        let trouble = |kind, fault| Err(Trouble { kind, fault });
        if self.enable.as_ref().is_some_and(|names| !names.contains(name)) {
            let fault = Fault::new("`enable` in larkspur.toml does not name it");
            return trouble(Kind::Disabled, fault);
        }
        if self.stopped.contains(name) {
            let fault = Fault::new(format!("module `{name}` is stopped"))
                .help(format!("`larkspur start {name}` starts it"));
            return trouble(Kind::Stopped, fault);
        }
        if let Some(fault) = self.halted.get(name) {
            return trouble(Kind::Halted, fault.clone());
        }
        Ok(())
    }

    /// What speaks against starting this module, before anything is started.
    pub(crate) fn check(
        &self,
        key: &Key,
        name: &ModuleName,
        manifest: Option<&Manifest>,
    ) -> Result<(), Trouble> {
        let trouble = |kind, fault| Err(Trouble { kind, fault });
        if let Some(shown) = self.owner(name, key) {
            let fault = Fault::new(format!("module `{name}` is already declared by {shown}"))
                .help("give one of the two another name");
            return trouble(Kind::Misplaced, fault);
        }
        let Some(manifest) = manifest else {
            return Ok(());
        };
        if let Some(fault) = self.missing(name, manifest) {
            return trouble(Kind::Misplaced, fault);
        }
        if let Some(cycle) = self.order.cycles.iter().find(|cycle| cycle.contains(name)) {
            let fault = Fault::new(model::circular(cycle))
                .code("E0501")
                .help("move what they share into a third module");
            let next = cycle.iter().skip_while(|member| *member != name).nth(1);
            let place = next.and_then(|next| place_of(manifest, next));
            return trouble(Kind::Misplaced, Fault { place, ..fault });
        }
        if let Some((_, cause)) = self.order.behind.iter().find(|(who, _)| who == name) {
            let fault = Fault::new(format!(
                "module `{name}` waits for `{cause}`, which is part of a circular dependency"
            ));
            return trouble(Kind::Waiting, fault);
        }
        Ok(())
    }

    /// A required dependency that nobody offers.
    fn missing(&self, name: &ModuleName, manifest: &Manifest) -> Option<Fault> {
        let mut required = manifest.depends_on.iter();
        let wanted = required.find(|wanted| !self.owners.contains_key(*wanted))?;
        let there: Vec<&str> = self.owners.keys().map(ModuleName::as_str).collect();
        let fault = if self.disabled.contains(wanted) {
            Fault::new(format!(
                "module `{name}` needs `{wanted}`, which `enable` in larkspur.toml leaves out"
            ))
            .help(format!("add \"{wanted}\" to `enable`"))
        } else {
            let others: Vec<&str> = there.iter().copied().filter(|n| *n != name.as_str()).collect();
            let help = match did_you_mean(wanted.as_str(), others.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if others.is_empty() => "no other module is installed".into(),
                None => format!("installed are {}", others.join(", ")),
            };
            Fault::new(format!("module `{name}` needs `{wanted}`, which is not installed"))
                .help(help)
        };
        Some(Fault { place: place_of(manifest, wanted), ..fault.code("E0502") })
    }

    /// Who has this name, if it is not the source with this key.
    pub(crate) fn owner(&self, name: &ModuleName, key: &Key) -> Option<&str> {
        let (owner, shown) = self.owners.get(name)?;
        (owner != key).then_some(shown.as_str())
    }

    /// Is there such a module, running or not?
    pub(crate) fn is_there(&self, name: &ModuleName) -> bool {
        self.owners.contains_key(name)
    }

    pub(crate) fn is_stopped(&self, name: &ModuleName) -> bool {
        self.stopped.contains(name) || self.halted.contains_key(name)
    }
}

/// Where a manifest names a dependency.
pub(crate) fn place_of(manifest: &Manifest, dependency: &ModuleName) -> Option<model::Place> {
    let at = |field| manifest.place_of_item(field, dependency.as_str());
    at("depends_on").or_else(|| at("optional_deps"))
}
