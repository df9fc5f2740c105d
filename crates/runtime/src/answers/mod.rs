//! Answers that may be given again: bounded in bytes, each for its time, the one that nobody has asked for
//! longest going first.

mod key;
mod tracker;

pub(crate) use key::{Key, Who};
pub(crate) use tracker::{PendingResult, ResultTracker};

use hashlink::LinkedHashMap;
use model::{Contents, Output, World};
use parking_lot::Mutex;
use serde_json::Value;
use std::hash::RandomState;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tracker::SecretUse;

/// What an answer takes besides its texts.
const OVERHEAD: usize = 512;
/// An answer that is larger than this part of all room is not kept: it would drive all others out.
const LARGEST: usize = 8;

#[derive(Debug, Clone)]
pub(crate) enum Kept {
    Output(Output),
    Read(Vec<Contents>),
}

/// A result, and the secrets it was made with.
#[derive(Debug)]
pub(crate) struct CachedResult {
    pub(crate) kept: Kept,
    secrets: Vec<SecretUse>,
}

pub(crate) struct Answers {
    room: usize,
    shelf: Mutex<Shelf>,
    hits: AtomicU64,
    misses: AtomicU64,
    evicted: AtomicU64,
}

#[derive(Default)]
struct Shelf {
    /// In the order in which they were asked for last.
    entries: LinkedHashMap<Key, Entry, RandomState>,
    bytes: usize,
}

struct Entry {
    result: Arc<CachedResult>,
    bytes: usize,
    until: Instant,
}

/// Counts for metrics.
pub(crate) struct Counts {
    pub(crate) hits: u64,
    pub(crate) misses: u64,
    pub(crate) evicted: u64,
    pub(crate) bytes: usize,
    pub(crate) entries: usize,
}

impl Answers {
    /// Without room nothing is kept.
    pub(crate) fn new(room: usize) -> Self {
        Self {
            room,
            shelf: Mutex::default(),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            evicted: AtomicU64::new(0),
        }
    }

    pub(crate) fn has_room(&self) -> bool {
        self.room > 0
    }

    /// What is cached under this key for everybody, or else for this caller; only if the caller would
    /// use the same secrets.
    pub(crate) fn get(&self, key: &Key, who: &Who, world: &dyn World) -> Option<Arc<CachedResult>> {
        let current = |key: &Key| {
            let found = self.shelf.lock().get(key);
            // Without the lock, since this may read from a disk.
            found.filter(|result| {
                let mut secrets = result.secrets.iter();
                secrets.all(|used| used.is_current(&who.name, world))
            })
        };
        let own = || current(&key.clone().for_caller(who.clone()));
        let found = current(key).or_else(|| key.is_public().then(own).flatten());
        let counter = if found.is_some() { &self.hits } else { &self.misses };
        counter.fetch_add(1, Ordering::Relaxed);
        found
    }

    pub(crate) fn put(&self, key: Key, result: CachedResult, time: Duration) {
        let bytes = result.size() + key.size() + OVERHEAD;
        if bytes > self.room / LARGEST {
            return;
        }
        let Some(until) = Instant::now().checked_add(time) else {
            return;
        };
        let mut shelf = self.shelf.lock();
        shelf.remove(&key);
        shelf.entries.insert(key, Entry { result: Arc::new(result), bytes, until });
        shelf.bytes += bytes;
        while shelf.bytes > self.room
            && let Some((_, oldest)) = shelf.entries.pop_front()
        {
            shelf.bytes -= oldest.bytes;
            self.evicted.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Forgets those of which this is true.
    pub(crate) fn forget(&self, is_old: impl Fn(&Key) -> bool) {
        let Shelf { entries, bytes } = &mut *self.shelf.lock();
        entries.retain(|key, entry| {
            let is_old = is_old(key);
            *bytes -= if is_old { entry.bytes } else { 0 };
            !is_old
        });
    }

    pub(crate) fn counts(&self) -> Counts {
        let shelf = self.shelf.lock();
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            hits: get(&self.hits),
            misses: get(&self.misses),
            evicted: get(&self.evicted),
            bytes: shelf.bytes,
            entries: shelf.entries.len(),
        }
    }
}

impl Shelf {
    fn get(&mut self, key: &Key) -> Option<Arc<CachedResult>> {
        let entry = self.entries.to_back(key)?;
        if entry.until > Instant::now() {
            return Some(Arc::clone(&entry.result));
        }
        self.remove(key);
        None
    }

    fn remove(&mut self, key: &Key) {
        if let Some(entry) = self.entries.remove(key) {
            self.bytes -= entry.bytes;
        }
    }
}

impl CachedResult {
    fn size(&self) -> usize {
        let used = |used: &SecretUse| size_of::<SecretUse>() + used.module.len() + used.name.len();
        self.kept.size() + self.secrets.iter().map(used).sum::<usize>()
    }
}

impl Kept {
    fn size(&self) -> usize {
        match self {
            Self::Output(output) => output.size() + output.structured.as_ref().map_or(0, weight),
            Self::Read(contents) => contents.iter().map(Contents::size).sum(),
        }
    }
}

/// What a value takes in memory, about.
fn weight(value: &Value) -> usize {
    const SLOT: usize = size_of::<Value>();
    SLOT + match value {
        Value::Null | Value::Bool(_) => 0,
        Value::Number(number) => number.as_str().len(),
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(map) => {
            let entries = map.iter();
            entries.map(|(name, value)| SLOT + name.len() + weight(value)).sum()
        }
    }
}

#[cfg(test)]
#[path = "answers_tests.rs"]
mod tests;
