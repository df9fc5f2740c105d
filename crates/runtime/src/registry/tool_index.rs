//! Search index of a catalog's tools, built once per catalog.

use crate::catalog::{Catalog, Handle, Module};
use crate::priority::lower_priority;
use compact::{Findable, SearchIndex};
use std::sync::{Arc, OnceLock};

/// Tools of a catalog and the index of them; views for roles share those of the whole catalog.
#[derive(Default)]
pub(crate) struct ToolIndex {
    tools: Vec<Handle>,
    index: OnceLock<SearchIndex>,
}

impl ToolIndex {
    pub(crate) fn new<'m>(modules: impl Iterator<Item = &'m Arc<Module>>) -> Self {
        let handles = |module: &'m Arc<Module>| {
            (0..module.tools.len()).map(move |index| Handle { module: Arc::clone(module), index })
        };
        Self { tools: modules.flat_map(handles).collect(), index: OnceLock::new() }
    }

    /// Builds the index on a thread of its own, unless the catalog has been replaced by then. If no thread
    /// can be started, the first query builds it.
    pub(crate) fn build_in_background(self: &Arc<Self>) {
        let index = Arc::downgrade(self);
        let build = move || {
            lower_priority();
            if let Some(index) = index.upgrade() {
                index.index();
            }
        };
        let thread = std::thread::Builder::new().name("search index".into());
        let _ = thread.spawn(build);
    }

    /// Waits until the index is built.
    #[cfg(test)]
    pub(crate) fn wait(&self) -> &SearchIndex {
        self.index.wait()
    }

    fn index(&self) -> &SearchIndex {
        self.index.get_or_init(|| {
            let findable = self.tools.iter().map(|handle| {
                let module = &handle.module;
                let manifest = module.manifest.as_ref();
                let keywords = manifest.map(|manifest| &manifest.keywords[..]);
                Findable::of(
                    &module.name,
                    module.description().unwrap_or_default(),
                    keywords.unwrap_or_default(),
                    &handle.tool().tool,
                )
            });
            SearchIndex::new(findable)
        })
    }
}

impl Catalog {
    /// Returns the tools that fit a query, the best first.
    pub(crate) fn search(&self, query: &str) -> Vec<Handle> {
        let index = self.tool_index.index();
        self.listed(index.search(query, self.tool_index.tools.len()))
    }

    /// Returns the tools that are described by words similar to those of a query, the best first.
    pub(crate) fn search_similar(&self, query: &str) -> Vec<Handle> {
        let index = self.tool_index.index();
        self.listed(index.search_similar(query, self.tool_index.tools.len()))
    }

    /// Returns those of the whole catalog's tools that this view of it has.
    fn listed(&self, found: Vec<usize>) -> Vec<Handle> {
        let tools = &self.tool_index.tools;
        let found = found.into_iter().filter_map(|tool| tools.get(tool));
        found.filter_map(|handle| self.get(&handle.path())).collect()
    }
}
