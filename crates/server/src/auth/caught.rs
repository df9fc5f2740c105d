//! Tokens that were found right a moment ago: checking a signature costs more than a call.

use model::Caller;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::time::{Duration, Instant, SystemTime};

/// A key that an issuer has taken back opens nothing after this.
const HOLDS: Duration = Duration::from_mins(1);
const MOST: usize = 10_000;

#[derive(Default)]
pub(super) struct Caught(Mutex<HashMap<String, Entry>>);

struct Entry {
    caller: Caller,
    since: Instant,
    /// When the token ends, by the clock on the wall.
    until: SystemTime,
}

impl Caught {
    pub(super) fn get(&self, token: &str) -> Option<Caller> {
        let mut known = self.0.lock();
        let entry = known.get(token)?;
        if entry.holds() {
            return Some(entry.caller.clone());
        }
        known.remove(token);
        None
    }

    pub(super) fn put(&self, token: &str, caller: &Caller, until: SystemTime) {
        let mut known = self.0.lock();
        if known.len() >= MOST {
            known.retain(|_, entry| entry.holds());
        }
        if known.len() >= MOST {
            known.clear();
        }
        let entry = Entry { caller: caller.clone(), since: Instant::now(), until };
        known.insert(token.to_owned(), entry);
    }
}

impl Entry {
    fn holds(&self) -> bool {
        self.since.elapsed() < HOLDS && SystemTime::now() < self.until
    }
}
