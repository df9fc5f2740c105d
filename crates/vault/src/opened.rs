//! Secrets in the clear, as far as somebody has asked for them. A row that was written again has
//! another version, and is opened again.

use crate::tokens::Tokens;
use model::Secret;
use parking_lot::Mutex;
use std::collections::HashMap;
use store::Place;

/// Nobody has so many; should it happen, all are opened anew.
const MOST: usize = 10_000;

#[derive(Debug, Clone)]
pub(crate) enum Content {
    Text(Secret),
    Tokens(Box<Tokens>),
}

impl Content {
    /// Which setting it comes from, where that outlives the row's version.
    pub(crate) fn set_id(&self) -> Option<u64> {
        match self {
            Self::Text(_) => None,
            Self::Tokens(tokens) => tokens.set_id,
        }
    }
}

#[derive(Default)]
pub(crate) struct OpenedRows(Mutex<HashMap<PlaceKey, (u64, Content)>>);

/// Owner, module and name.
pub(crate) type PlaceKey = [String; 3];

impl OpenedRows {
    pub(crate) fn get(&self, place: &Place<'_>, version: u64) -> Option<Content> {
        let rows = self.0.lock();
        let (opened, content) = rows.get(&place_key(place))?;
        (*opened == version).then(|| content.clone())
    }

    pub(crate) fn keep(&self, place: &Place<'_>, version: u64, content: &Content) {
        let mut rows = self.0.lock();
        if rows.len() >= MOST {
            rows.clear();
        }
        rows.insert(place_key(place), (version, content.clone()));
    }

    pub(crate) fn forget(&self, place: &Place<'_>) {
        let mut rows = self.0.lock();
        rows.remove(&place_key(place));
    }
}

pub(crate) fn place_key(place: &Place<'_>) -> PlaceKey {
    [place.owner, place.module, place.name].map(str::to_owned)
}
