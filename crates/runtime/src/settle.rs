//! Many editors save a file by removing or emptying it first: one that vanished or became empty
//! gets a moment to come back before it is believed.

use crate::disk::Stamp;
use crate::library::Key;
use crate::reader::{blank, missing};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const SETTLE: Duration = Duration::from_millis(400);

/// Files that vanished or became empty, since when, and how they look.
#[derive(Default)]
pub(crate) struct Missed(BTreeMap<Key, (Instant, Option<Stamp>)>);

impl Missed {
    /// When they are to be looked for again.
    pub(crate) fn until(&self) -> Option<Instant> {
        let since = self.0.values().map(|(since, _)| *since).max();
        since.map(|since| since + SETTLE)
    }

    /// Is it too early to believe that files which had something in them are gone or empty?
    /// `before` and `now` are the digests of what things were made from.
    pub(crate) fn too_early<'a>(
        &mut self,
        before: &BTreeMap<&Key, u64>,
        now: impl Iterator<Item = (&'a Key, &'a u64)>,
        gone: &[Key],
        stamp: impl Fn(&Key) -> Option<Stamp>,
    ) -> bool {
        let is_nothing = |digest: u64| digest == blank() || digest == missing();
        let had_something = |key: &&Key| before.get(*key).is_some_and(|seen| !is_nothing(*seen));
        let emptied = now.filter(|(_, seen)| is_nothing(**seen));
        let missed = emptied.map(|(key, _)| key).chain(gone);
        let earlier = std::mem::take(&mut self.0);
        for key in missed.filter(had_something) {
            let stamp = stamp(key);
            // One that was written in between is missed anew.
            let still = earlier.get(key).filter(|(_, then)| *then == stamp);
            let since = still.map_or_else(Instant::now, |(since, _)| *since);
            self.0.insert(key.clone(), (since, stamp));
        }
        let mut since = self.0.values().map(|(since, _)| since);
        let early = since.any(|since| since.elapsed() < SETTLE);
        if !early {
            self.0.clear();
        }
        early
    }
}

/// The same for one file.
#[derive(Default)]
pub(crate) struct Settle(Option<Instant>);

impl Settle {
    pub(crate) fn until(&self) -> Option<Instant> {
        self.0.map(|since| since + SETTLE)
    }

    /// Is it too early to believe that the file is gone or empty?
    pub(crate) fn is_early(&mut self, is_missed: bool) -> bool {
        self.0 = is_missed.then(|| self.0.unwrap_or_else(Instant::now));
        let early = self.0.is_some_and(|since| since.elapsed() < SETTLE);
        if !early {
            self.0 = None;
        }
        early
    }
}
