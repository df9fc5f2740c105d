//! What people ask of a running server: reload, start and stop modules by name.

use crate::catalog::{Catalog, changed_tools};
use crate::event::Event;
use crate::library::{Key, Kind, Library};
use crate::life::Life;
use model::{Fault, ModuleName, did_you_mean};
use script::ToolChange;
use std::collections::BTreeSet;
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// From disk again, with what depends on them. Nobody named means everything.
    Reload(Vec<String>),
    /// With what they depend on.
    Start(Vec<String>),
    /// With what depends on them.
    Stop(Vec<String>),
}

impl Library {
    /// Carries an order out; the catalog to serve from now on, or why nothing was done.
    pub(crate) fn obey(&mut self, order: &Order, told: &dyn Fn(&Event)) -> Result<Catalog, String> {
        match order {
            Order::Reload(names) => self.reload(names, told)?,
            Order::Start(names) => self.start(names, told)?,
            Order::Stop(names) => self.stop(names, told)?,
        }
        Ok(self.catalog())
    }

    /// The catalog after a call has added or removed tools; none if the module has been replaced.
    pub(crate) fn change_tools(
        &mut self,
        life: &Arc<Life>,
        changes: Vec<ToolChange>,
    ) -> Result<Option<Catalog>, Fault> {
        let mut entries = self.entries.values_mut();
        let served = entries.find_map(|entry| {
            let module = entry.module.as_mut()?;
            Arc::ptr_eq(&module.life, life).then_some(module)
        });
        let Some(module) = served else {
            return Ok(None);
        };
        let tools = changed_tools(&module.name, module.tools.clone(), changes)?;
        *module = Arc::new(module.with_tools(tools, module.generation));
        self.ground.answers.forget(|key| key.life == life.born);
        Ok(Some(self.catalog()))
    }

    /// Nothing is served any more, and every life ends.
    pub(crate) fn close(&mut self) -> Catalog {
        for entry in std::mem::take(&mut self.entries).into_values() {
            let life = entry.module.map(|module| Arc::clone(&module.life));
            self.retiring.extend(life);
        }
        Catalog::default()
    }

    fn reload(&mut self, names: &[String], told: &dyn Fn(&Event)) -> Result<(), String> {
        let mut keys = self.named(names)?;
        if let Some(name) = self.names_of(&keys).find(|name| self.stopped.contains(*name))
            && !names.is_empty()
        {
            return Err(format!("`{name}` is stopped; `larkspur start {name}` starts it"));
        }
        self.resume(&keys);
        self.add_dependents(&mut keys);
        self.again(&keys, told);
        Ok(())
    }

    fn start(&mut self, names: &[String], told: &dyn Fn(&Event)) -> Result<(), String> {
        let mut keys = self.named(names)?;
        self.add_dependencies(&mut keys);
        let started: Vec<ModuleName> = self.names_of(&keys).cloned().collect();
        for name in started {
            self.stopped.remove(&name);
        }
        self.resume(&keys);
        keys.retain(|key| self.entries[key].module.is_none());
        // Those who can do without them begin anew, now with them.
        self.add_dependents(&mut keys);
        self.again(&keys, told);
        Ok(())
    }

    fn stop(&mut self, names: &[String], told: &dyn Fn(&Event)) -> Result<(), String> {
        let keys = self.named(names)?;
        let stopped: Vec<ModuleName> = self.names_of(&keys).cloned().collect();
        self.stopped.extend(stopped);
        self.end_with_dependents(keys, told);
        Ok(())
    }

    /// Ends the lives of modules that are marked as stopped, and of what depends on them.
    pub(crate) fn end_with_dependents(&mut self, mut keys: BTreeSet<Key>, told: &dyn Fn(&Event)) {
        self.add_dependents(&mut keys);
        for (_, entry) in self.entries.iter_mut().filter(|(key, _)| keys.contains(key)) {
            let life = entry.module.take().map(|module| Arc::clone(&module.life));
            self.retiring.extend(life);
        }
        // The dependents wait, or begin anew if they can do without.
        self.again(&keys, told);
    }

    fn again(&mut self, keys: &BTreeSet<Key>, told: &dyn Fn(&Event)) {
        let attempts = self.load(keys, &self.project);
        self.assemble(attempts, keys, told);
        self.stamp_new();
    }

    pub(crate) fn names_of<'a>(
        &'a self,
        keys: &'a BTreeSet<Key>,
    ) -> impl Iterator<Item = &'a ModuleName> {
        let entries = keys.iter().filter_map(|key| self.entries.get(key));
        entries.filter_map(|entry| entry.name.as_ref())
    }

    /// The sources of these modules; nobody named means all.
    fn named(&self, names: &[String]) -> Result<BTreeSet<Key>, String> {
        let is_enabled = |kind| kind != Kind::Disabled;
        let known = self.entries.iter().filter_map(|(key, entry)| {
            let kind = entry.trouble.as_ref().map(|trouble| trouble.kind);
            let name = entry.name.as_ref()?;
            kind.is_none_or(is_enabled).then_some((name.as_str(), key))
        });
        let known: Vec<(&str, &Key)> = known.collect();
        if names.is_empty() {
            return Ok(known.into_iter().map(|(_, key)| key.clone()).collect());
        }
        let mut keys = BTreeSet::new();
        for name in names {
            let found: Vec<&Key> =
                known.iter().filter(|(there, _)| there == name).map(|(_, key)| *key).collect();
            if found.is_empty() {
                let near = did_you_mean(name, known.iter().map(|(there, _)| *there));
                let hint = near.map(|near| format!("; did you mean `{near}`?"));
                return Err(format!("there is no module `{name}`{}", hint.unwrap_or_default()));
            }
            keys.extend(found.into_iter().cloned());
        }
        Ok(keys)
    }

    fn add_dependencies(&self, keys: &mut BTreeSet<Key>) {
        loop {
            let entries = keys.iter().filter_map(|key| self.entries.get(key));
            let manifests = entries.filter_map(|entry| entry.manifest.as_ref());
            let wanted: BTreeSet<&ModuleName> =
                manifests.flat_map(|m| m.depends_on.iter()).collect();
            let is_wanted =
                |name: &Option<ModuleName>| name.as_ref().is_some_and(|n| wanted.contains(n));
            let more: Vec<Key> = self
                .entries
                .iter()
                .filter(|(key, entry)| !keys.contains(*key) && is_wanted(&entry.name))
                .map(|(key, _)| key.clone())
                .collect();
            if more.is_empty() {
                return;
            }
            keys.extend(more);
        }
    }
}
