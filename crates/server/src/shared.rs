//! What all doors and sessions have in common.

use crate::asking::Seal;
use crate::wire::{self, Era};
use crate::written::Lists;
use model::Errors;
use rmcp::model::{MetaObject, Tool};
use runtime::{Catalog, Runtime};
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

pub(crate) struct Shared {
    pub(crate) runtime: Runtime,
    pub(crate) errors: Errors,
    /// Every answer says who gave it.
    pub(crate) meta: MetaObject,
    /// Signs what clients keep for us between the rounds of one request.
    pub(crate) seal: Seal,
    /// Set when the server ends: what waits for changes ends then.
    pub(crate) ending: CancellationToken,
    /// The list as clients of each era see it, made once a catalog.
    listings: Mutex<[Option<Listing>; 2]>,
    pub(crate) lists: Lists,
}

#[derive(Clone)]
struct Listing {
    catalog: Arc<Catalog>,
    tools: Arc<Vec<Tool>>,
}

impl Shared {
    pub(crate) fn new(runtime: Runtime, errors: Errors, ending: CancellationToken) -> Arc<Self> {
        Arc::new(Self {
            runtime,
            errors,
            meta: wire::server_meta(),
            seal: Seal::default(),
            ending,
            listings: Mutex::default(),
            lists: Lists::default(),
        })
    }

    pub(crate) fn tools(&self, era: Era) -> Arc<Vec<Tool>> {
        let catalog = self.runtime.catalog();
        let mut listings = self.listings.lock().unwrap_or_else(PoisonError::into_inner);
        let listing = &mut listings[era as usize];
        if let Some(known) = listing
            && Arc::ptr_eq(&known.catalog, &catalog)
        {
            return Arc::clone(&known.tools);
        }
        let tools = catalog.shown().into_iter();
        let tools = tools.map(|(listed, tool)| wire::tool(listed, tool, era));
        let tools: Arc<Vec<Tool>> = Arc::new(tools.collect());
        *listing = Some(Listing {
            catalog,
            tools: Arc::clone(&tools),
        });
        tools
    }
}
