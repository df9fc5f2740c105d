//! Things that the people who run the server should know, though nothing is broken.

use crate::attempt::is_manifest;
use crate::catalog::{Catalog, Module};
use crate::library::{Key, Library};
use model::{ModuleName, did_you_mean};
use settings::{ConfigSchema, near_misses};
use std::collections::BTreeSet;

/// What a file in starlark-mcp's form may do, for people.
pub fn extension_note(modules: &[&str]) -> Option<String> {
    let (is, they, declares) = match modules {
        [] => return None,
        [_] => ("is", "it", "it declares"),
        _ => ("are", "they", "they declare"),
    };
    Some(format!(
        "{} {is} in starlark-mcp's form: {they} may reach every public host, variable and database, and \
         {is} not loaded on other addresses than loopback without --trust-folder, unless {declares} \
         `permissions(…)`",
        modules.join(", ")
    ))
}

impl Catalog {
    /// The note about its modules in starlark-mcp's form, if there are any.
    pub fn extension_note(&self) -> Option<String> {
        let is_extension =
            |module: &Module| module.manifest.is_none() && module.script.declared.is_extension;
        let modules = self.modules().filter(|module| is_extension(module));
        let names: Vec<&str> = modules.map(|module| module.name.as_str()).collect();
        extension_note(&names)
    }
}

impl Library {
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for key in self.unused_libraries() {
            notes.push(format!("{} declares nothing, and nothing loads it", self.shown(&key)));
        }
        notes.extend(self.strangers());
        let open = ConfigSchema::open();
        let modules: Vec<(&ModuleName, &ConfigSchema)> = self
            .entries
            .values()
            .filter_map(|entry| {
                let manifest = entry.manifest.as_ref();
                let schema = manifest.map_or(&open, |manifest| &manifest.config);
                Some((entry.name.as_ref()?, schema))
            })
            .collect();
        notes.extend(near_misses(&modules, &self.overrides.environment));
        notes
    }

    /// Names that are configured, enabled or set, but belong to no module.
    fn strangers(&self) -> Vec<String> {
        let there: BTreeSet<&str> = self
            .entries
            .values()
            .filter_map(|entry| entry.name.as_ref().map(ModuleName::as_str))
            .collect();
        let project = self.project.project();
        let file = self.project.shown();
        let configured = project.modules.keys().map(|name| (format!("{file} configures"), name));
        let enabled = project.enable.iter().flatten();
        let enabled = enabled.map(|name| (format!("{file} enables"), name));
        let in_file = configured.chain(enabled).map(|(what, name)| (what, name.as_str()));
        let set = self.overrides.set.iter().map(|(key, _)| {
            let name = key.split_once('.').map_or(key.as_str(), |(name, _)| name);
            ("--set names".to_owned(), name)
        });
        in_file
            .chain(set)
            .filter(|(_, name)| !there.contains(name))
            .map(|(what, name)| {
                let hint = match did_you_mean(name, there.iter().copied()) {
                    Some(near) => format!("; did you mean `{near}`?"),
                    None => String::new(),
                };
                format!("{what} `{name}`, which is not there{hint}")
            })
            .collect()
    }

    /// A file without declarations is a library; one that nobody loads may be a mistake.
    fn unused_libraries(&self) -> Vec<Key> {
        let used: BTreeSet<&Key> = self
            .entries
            .iter()
            .flat_map(|(own, entry)| entry.touched.keys().filter(move |file| *file != own))
            .collect();
        let idle = self.entries.iter().filter(|(key, entry)| {
            entry.module.is_none()
                && entry.trouble.is_none()
                && !is_manifest(&key.1)
                && !used.contains(key)
        });
        let mut idle: Vec<Key> = idle.map(|(key, _)| key.clone()).collect();
        // The folders are looked through only for somebody's sake: every catalog comes by here.
        if !idle.is_empty() {
            let tested = self.tested();
            idle.retain(|key| !tested.contains(key));
        }
        idle
    }

    /// Files that have tests beside them.
    fn tested(&self) -> BTreeSet<Key> {
        let folders = self.folders().iter().enumerate();
        let tested = folders.flat_map(|(i, folder)| {
            let tests = folder.tests().into_iter();
            tests.map(move |test| (i, test.replace("_test.star", ".star")))
        });
        tested.collect()
    }
}
