//! Stops modules that leave too many abandoned threads behind.

use crate::abandoned::MOST_OF_INSTANCE;
use crate::catalog::Catalog;
use crate::event::Event;
use crate::library::{Key, Library};
use crate::life::Life;
use crate::request::{RequestError, RequestErrorKind};
use model::{Fault, ModuleName, ToolPath};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A module that was stopped, with the tools it had.
pub(crate) struct Halted {
    pub(crate) fault: Fault,
    /// Tools by the names that clients saw.
    pub(crate) tools: Vec<(String, ToolPath)>,
}

impl Library {
    /// Stops the module whose life this is, with what depends on it. Answers nothing if it has been
    /// replaced or stopped meanwhile.
    pub(crate) fn halt(
        &mut self,
        life: &Arc<Life>,
        tools: Vec<(String, ToolPath)>,
        told: &dyn Fn(&Event),
    ) -> Option<Catalog> {
        let mut entries = self.entries.iter();
        let (key, name) = entries.find_map(|(key, entry)| {
            let module = entry.module.as_ref()?;
            let is_it = Arc::ptr_eq(&module.life, life);
            is_it.then(|| (key.clone(), module.name.clone()))
        })?;
        let halted = Halted { fault: fault(&name), tools };
        self.halted.insert(name, halted);
        self.end_with_dependents(BTreeSet::from([key]), told);
        Some(self.catalog())
    }

    /// Modules whose files have changed may run again.
    pub(crate) fn resume_edited(&mut self, changed: &BTreeSet<Key>) {
        let edited = self.entries.iter().filter(|(key, entry)| {
            changed.contains(*key) || entry.touched.keys().any(|file| changed.contains(file))
        });
        let edited: Vec<ModuleName> = edited.filter_map(|(_, entry)| entry.name.clone()).collect();
        for name in edited {
            self.halted.remove(&name);
        }
    }

    /// Modules that the operator reloads or starts may run again, and files that did not return are
    /// evaluated again.
    pub(crate) fn resume(&mut self, keys: &BTreeSet<Key>) {
        self.ground.abandoned.forget_files();
        let names: Vec<ModuleName> = self.names_of(keys).cloned().collect();
        for name in names {
            self.halted.remove(&name);
        }
    }
}

impl Catalog {
    /// The tools of a module instance, by the names that clients see.
    pub(crate) fn listed_of(&self, life: &Arc<Life>) -> Vec<(String, ToolPath)> {
        let all = self.tools();
        let own = all.filter(|(_, handle)| Arc::ptr_eq(&handle.module.life, life));
        own.map(|(name, handle)| (name.to_owned(), handle.path())).collect()
    }

    /// Remembers the tools of a module that was stopped, so that their callers learn the reason.
    pub(crate) fn add_halted(&mut self, halted: &Halted) {
        for (name, path) in &halted.tools {
            let known = (path.clone(), halted.fault.clone());
            self.halted.insert(path.to_string(), known.clone());
            self.halted.insert(name.clone(), known);
        }
    }

    /// The error of a tool whose module was stopped, or the given one.
    pub(crate) fn halted_or(&self, name: &str, otherwise: RequestError) -> RequestError {
        let Some((tool, fault)) = self.halted.get(name).cloned() else {
            return otherwise;
        };
        let fault = Box::new(fault);
        RequestErrorKind::Failed { fault, raised: None }.of(tool.to_string())
    }
}

fn fault(name: &ModuleName) -> Fault {
    Fault::new(format!(
        "module `{name}` was stopped: it left {MOST_OF_INSTANCE} calls running that ignore their \
         deadline"
    ))
    .help(format!(
        "find the step that never ends and save the file; `larkspur start {name}` starts it as it is"
    ))
}
