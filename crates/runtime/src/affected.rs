//! Which modules a change reaches: by what they were made from, by whom they depend on, and by what
//! was held back together.

use crate::disk::Stamp;
use crate::library::{Key, Kind, Library};
use crate::project::ProjectFile;
use model::ModuleName;
use settings::{ConfigSchema, Layers, resolve};
use std::collections::{BTreeMap, BTreeSet};

impl Library {
    /// All that must be loaded again when these files have changed, appeared or gone.
    pub(crate) fn affected(
        &self,
        roots: &BTreeSet<Key>,
        found: &BTreeMap<Key, Stamp>,
    ) -> BTreeSet<Key> {
        let mut affected: BTreeSet<Key> = self
            .entries
            .iter()
            .filter(|(key, entry)| {
                roots.contains(*key) || entry.touched.keys().any(|file| roots.contains(file))
            })
            .map(|(key, _)| key.clone())
            .collect();
        affected.extend(roots.iter().cloned());
        // What waits for others, or clashes with them, may find its place now.
        affected.extend(self.in_trouble(&[Kind::Waiting, Kind::Misplaced]));
        self.add_dependents(&mut affected);
        affected.retain(|key| found.contains_key(key));
        affected
    }

    pub(crate) fn in_trouble(&self, kinds: &[Kind]) -> Vec<Key> {
        let troubled = self.entries.iter().filter(|(_, entry)| {
            let trouble = entry.trouble.as_ref();
            trouble.is_some_and(|trouble| kinds.contains(&trouble.kind))
        });
        troubled.map(|(key, _)| key.clone()).collect()
    }

    /// Adds what depends on these, however far away, and what was held back together with them.
    pub(crate) fn add_dependents(&self, keys: &mut BTreeSet<Key>) {
        let names = self.names_beside(keys);
        loop {
            let mut provided: BTreeSet<&ModuleName> = names.iter().collect();
            for key in keys.iter() {
                provided.extend(self.entries.get(key).and_then(|entry| entry.name.as_ref()));
            }
            let more: BTreeSet<Key> = self
                .entries
                .iter()
                .filter(|(key, entry)| {
                    !keys.contains(*key)
                        && (entry.dependencies().any(|name| provided.contains(name))
                            || entry.unit.iter().any(|held| keys.contains(held)))
                })
                .map(|(key, _)| key.clone())
                .collect();
            if more.is_empty() {
                return;
            }
            keys.extend(more);
        }
    }

    /// Names that new files will bring, as far as that can be known before they are loaded: an
    /// optional dependency that appears is a change for those who asked for it.
    fn names_beside(&self, keys: &BTreeSet<Key>) -> Vec<ModuleName> {
        let new = keys.iter().filter(|key| !self.entries.contains_key(*key));
        new.filter_map(|key| crate::attempt::name_on_disk(key, self.folders())).collect()
    }

    /// Modules that another project file would configure, enable, leave out or grant something else.
    pub(crate) fn reconfigured(&self, next: &ProjectFile) -> BTreeSet<Key> {
        let differs = |key: &Key| {
            let entry = &self.entries[key];
            let Some(name) = &entry.name else {
                return false;
            };
            if self.project.enables(name) != next.enables(name) || entry.trouble.is_some() {
                return true;
            }
            let open = ConfigSchema::open();
            let schema = entry.manifest.as_ref().map_or(&open, |m| &m.config);
            let config = resolve(name, schema, &self.layers(next, name));
            match (&entry.module, config) {
                (Some(module), Ok(config)) => {
                    let manifest = module.manifest.as_deref();
                    let permit = self.permit(next, key, name, &module.script, manifest, &config);
                    module.config.to_json() != config.to_json()
                        || !permit.is_ok_and(|permit| module.life.permit.allows_as(&permit))
                }
                (Some(_), Err(_)) => true,
                (None, _) => false,
            }
        };
        let keys = self.entries.keys().filter(|key| differs(key));
        keys.cloned().collect()
    }

    /// What configures a module.
    pub(crate) fn layers<'a>(&'a self, project: &'a ProjectFile, name: &ModuleName) -> Layers<'a> {
        Layers {
            file: project.project().modules.get(name),
            environment: &self.overrides.environment,
            set: &self.overrides.set,
            played: &self.overrides.played,
        }
    }
}
