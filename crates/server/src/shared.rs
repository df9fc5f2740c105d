//! What all transports and sessions have in common.

use crate::ServerSettings;
use crate::asking::Seal;
use crate::large::LargeMessages;
use crate::lists::SerializedLists;
use crate::recent::Recent;
use crate::wire::{self, Era};
use model::Caller;
use rmcp::model::{MetaObject, Tool};
use runtime::Runtime;
use settings::Errors;
use std::convert::Infallible;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

pub(crate) struct Shared {
    pub(crate) runtime: Runtime,
    pub(crate) errors: Errors,
    /// Bytes that a message may have.
    pub(crate) message_bytes: usize,
    /// Every answer says who gave it.
    pub(crate) meta: MetaObject,
    /// Signs what clients keep for us between the rounds of one request.
    pub(crate) seal: Seal,
    /// Set when the server ends: what waits for changes ends then.
    pub(crate) ending: CancellationToken,
    /// Set when the server does not wait any longer: requests in flight end then.
    pub(crate) abort: CancellationToken,
    /// Set at the end of standard input.
    pub(crate) input_closed: CancellationToken,
    /// The list as clients of each era see it, made once a catalog.
    listings: [Recent<Arc<Vec<Tool>>>; 2],
    pub(crate) lists: SerializedLists,
    pub(crate) large: LargeMessages,
}

impl Shared {
    pub(crate) fn new(
        runtime: Runtime,
        settings: &ServerSettings,
        ending: CancellationToken,
    ) -> Arc<Self> {
        Arc::new(Self {
            runtime,
            errors: settings.errors,
            message_bytes: settings.message_bytes,
            meta: wire::server_meta(),
            seal: Seal::default(),
            ending,
            abort: CancellationToken::new(),
            input_closed: CancellationToken::new(),
            listings: Default::default(),
            lists: SerializedLists::default(),
            large: LargeMessages::default(),
        })
    }

    pub(crate) fn tools(&self, era: Era, caller: &Caller) -> Arc<Vec<Tool>> {
        let catalog = self.runtime.view(caller);
        let make = || {
            let tools = catalog.shown().into_iter();
            let results = catalog.rules.server.structured;
            let tools = tools.map(|listing| wire::tool(&listing, era, results));
            Ok::<_, Infallible>(Arc::new(tools.collect()))
        };
        let Ok(tools) = self.listings[era as usize].get(&catalog, make);
        tools
    }
}
