//! Lists as they are sent, written once a catalog. rmcp takes a list of things and writes it anew for
//! every answer, so what is written already goes past it: in a slot that travels with the request, to be
//! emptied by the door that sends the answer.

use crate::recent::Recent;
use crate::wire::Era;
use bytes::Bytes;
use rmcp::ErrorData;
use rmcp::model::ServerResult;
use rmcp::service::{RequestContext, RoleServer};
use runtime::Catalog;
use serde::Serialize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Debug, Clone, Copy)]
pub(crate) enum List {
    Tools,
    Resources,
    Templates,
    Prompts,
}

/// Where a door waits for the result of one request.
#[derive(Clone, Default)]
pub(crate) struct Written(Arc<Mutex<Option<Bytes>>>);

impl Written {
    /// The slot of a request, if its door has one.
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Option<&Self> {
        let parts = context.extensions.get::<http::request::Parts>();
        match parts {
            Some(parts) => parts.extensions.get(),
            None => context.extensions.get(),
        }
    }

    pub(crate) fn put(&self, result: Bytes) {
        *lock(&self.0) = Some(result);
    }

    pub(crate) fn take(&self) -> Option<Bytes> {
        lock(&self.0).take()
    }
}

/// The whole answer.
pub(crate) fn answer(id: &impl Serialize, result: &[u8]) -> serde_json::Result<Vec<u8>> {
    let mut text = Vec::with_capacity(result.len() + 64);
    text.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    serde_json::to_writer(&mut text, id)?;
    text.extend_from_slice(br#","result":"#);
    text.extend_from_slice(result);
    text.push(b'}');
    Ok(text)
}

/// The first page of each list, for each era, for those who are known by name and for whoever started
/// the server: the answers differ in who may keep them.
#[derive(Default)]
pub(crate) struct Lists([[[Recent<Bytes>; 2]; 2]; 4]);

impl Lists {
    /// As it was written for this catalog, or as it is written now.
    pub(crate) fn get(
        &self,
        list: List,
        era: Era,
        is_local: bool,
        catalog: &Arc<Catalog>,
        make: impl FnOnce() -> Result<ServerResult, ErrorData>,
    ) -> Result<Bytes, ErrorData> {
        let known = &self.0[list as usize][era as usize][usize::from(is_local)];
        known.get(catalog, || written(era, make()?))
    }
}

fn written(era: Era, mut result: ServerResult) -> Result<Bytes, ErrorData> {
    // What rmcp does to the results that it writes itself.
    match era {
        Era::Modern => result.fill_missing_cache_hints(),
        Era::Legacy => result.strip_result_type_for_legacy_peer(),
    }
    let text = serde_json::to_vec(&result);
    let text = text.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(Bytes::from(text))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
