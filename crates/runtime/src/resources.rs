//! The resources of a catalog: listed by URI, found by exact URI first, then by the closest template.

use crate::catalog::Module;
use model::{Args, near_names};
use script::ScriptResource;
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A resource together with the module version it belongs to.
#[derive(Clone)]
pub struct ResourceHandle {
    pub module: Arc<Module>,
    index: usize,
}

impl ResourceHandle {
    pub fn resource(&self) -> &ScriptResource {
        &self.module.resources[self.index]
    }
}

#[derive(Default)]
pub struct Resources {
    exact: BTreeMap<String, ResourceHandle>,
    templates: BTreeMap<String, ResourceHandle>,
    /// Templates in the order in which they are tried.
    closest: Vec<ResourceHandle>,
    /// Changes when what clients see changes.
    pub fingerprint: u64,
}

impl Resources {
    /// Of two modules with one URI the first by name is served, and a note says so.
    pub(crate) fn of<'a>(
        modules: impl Iterator<Item = &'a Arc<Module>>,
        notes: &mut Vec<String>,
    ) -> Self {
        let mut resources = Self::default();
        for module in modules {
            for index in 0..module.resources.len() {
                let module = Arc::clone(module);
                resources.add(ResourceHandle { module, index }, notes);
            }
        }
        let mut closest: Vec<ResourceHandle> = resources.templates.values().cloned().collect();
        closest.sort_by_key(|handle| {
            let uri = &handle.resource().resource.uri;
            (Reverse(uri.literal_length()), uri.takes_the_rest())
        });
        resources.closest = closest;
        resources.fingerprint = resources.fingerprint();
        resources
    }

    fn add(&mut self, handle: ResourceHandle, notes: &mut Vec<String>) {
        let uri = &handle.resource().resource.uri;
        let list = if uri.is_exact() { &mut self.exact } else { &mut self.templates };
        match list.entry(uri.to_string()) {
            Entry::Vacant(free) => drop(free.insert(handle)),
            Entry::Occupied(taken) => notes.push(format!(
                "modules `{}` and `{}` both declare {uri}; `{0}` serves it",
                taken.get().module.name,
                handle.module.name
            )),
        }
    }

    /// Resources with one URI each, in the order of the alphabet.
    pub fn exact(&self) -> impl Iterator<Item = &ResourceHandle> {
        self.exact.values()
    }

    pub fn templates(&self) -> impl Iterator<Item = &ResourceHandle> {
        self.templates.values()
    }

    /// Who serves a URI, and the template's variables as texts.
    pub fn find(&self, uri: &str) -> Option<(ResourceHandle, Args)> {
        if let Some(handle) = self.exact.get(uri) {
            return Some((handle.clone(), Args::new()));
        }
        self.closest.iter().find_map(|handle| {
            let found = handle.resource().resource.uri.matches(uri)?;
            let text = |(name, text): (&str, String)| (name.to_owned(), Value::String(text));
            Some((handle.clone(), found.into_iter().map(text).collect()))
        })
    }

    /// A resource by its URI or template, as it is listed.
    pub fn declared(&self, uri: &str) -> Option<&ResourceHandle> {
        self.templates.get(uri).or_else(|| self.exact.get(uri))
    }

    /// Similar URIs and templates.
    pub fn similar(&self, uri: &str) -> Vec<String> {
        let there = self.exact.keys().chain(self.templates.keys());
        let near = near_names(uri, there.map(String::as_str));
        near.into_iter().map(str::to_owned).collect()
    }

    fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for handle in self.exact.values().chain(self.templates.values()) {
            let one = &handle.resource().resource;
            let words = (one.uri.as_str(), &one.name, &one.title, &one.description);
            (words, &one.mime).hash(&mut hasher);
            format!("{:?} {:?}", one.icons, one.annotations).hash(&mut hasher);
        }
        hasher.finish()
    }
}
