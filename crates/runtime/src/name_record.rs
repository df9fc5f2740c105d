//! Owners of listed names, recorded in the data folder: a name keeps its meaning for clients that were
//! allowed to call it, whatever becomes of its module, also after a restart.

use crate::catalog::Catalog;
use crate::names::{NameOwners, OldNames};
use model::ToolPath;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{MOST_NAMES, Store, StoreError};

/// Owners as this process knows them. A name that another process releases is free after a restart.
#[derive(Default)]
pub(crate) struct NameRecord {
    pub(crate) owners: Arc<NameOwners>,
    pub(crate) old_names: Arc<OldNames>,
    /// Where a server records them; commands only read.
    store: Option<Store>,
    /// What could not be recorded yet.
    pending: BTreeMap<String, ToolPath>,
    has_failed: bool,
}

impl NameRecord {
    /// Reads what was recorded before. Without it, names are owned as long as this process runs.
    pub(crate) fn open(store: &Store, is_server: bool) -> Self {
        let mut record = Self { store: is_server.then(|| store.clone()), ..Self::default() };
        match store.names() {
            Ok(names) => record.owners = Arc::new(parse(names)),
            Err(error) => record.warn("read", &error),
        }
        record
    }

    /// Records the owners of all names in a catalog that is about to be served. Returns false if another
    /// process has recorded some of them for other tools: then the catalog is to be built again.
    pub(crate) fn claim(&mut self, catalog: &mut Catalog) -> bool {
        let listed = catalog.tools();
        let new = listed.filter(|(name, _)| !self.owners.contains_key(*name));
        let new = new.map(|(name, handle)| (name.to_owned(), handle.path()));
        // Tools that a module makes up at run time are not to fill the memory.
        let room = MOST_NAMES.saturating_sub(self.owners.len());
        let new: NameOwners = new.take(room).collect();
        if !new.is_empty() {
            self.pending.extend(new.clone());
            Arc::make_mut(&mut self.owners).extend(new);
        }
        let taken = self.save();
        let is_whole = taken.is_empty();
        if !is_whole {
            Arc::make_mut(&mut self.owners).extend(taken);
        }
        catalog.rules.owners = Arc::clone(&self.owners);
        is_whole
    }

    /// Records what is pending; returns the names that belong to other tools.
    fn save(&mut self) -> NameOwners {
        let Some(store) = self.store.as_ref().filter(|_| !self.pending.is_empty()) else {
            self.pending.clear();
            return NameOwners::new();
        };
        let pending = self.pending.iter();
        let pending = pending.map(|(name, owner)| (name.clone(), owner.to_string()));
        match store.claim_names(&pending.collect::<Vec<_>>()) {
            Ok(taken) => {
                self.pending.clear();
                parse(taken)
            }
            Err(error) => {
                self.warn("write", &error);
                NameOwners::new()
            }
        }
    }

    /// Says once, and only where names are recorded, that a restart may forget them.
    fn warn(&mut self, what: &str, error: &StoreError) {
        if self.store.is_some() && !self.has_failed {
            self.has_failed = true;
            tracing::warn!(
                "cannot {what} the record of listed tool names, which hold until the server ends: {error}"
            );
        }
    }
}

/// A row that cannot be read, by whomever it was written, owns nothing.
fn parse(names: Vec<(String, String)>) -> NameOwners {
    let names = names.into_iter();
    names.filter_map(|(name, owner)| Some((name, owner.parse().ok()?))).collect()
}

#[cfg(test)]
#[path = "name_record_tests.rs"]
mod tests;
