//! Counts of what has happened, for status and metrics.

use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug, Default)]
pub struct Stats {
    pub calls: AtomicU64,
    /// Calls that ended in an error of any sort.
    pub failed: AtomicU64,
    pub in_flight: AtomicU64,
    /// Calls ended by a limit.
    pub stopped: AtomicU64,
    /// Threads that did not come back when their time was up, and have not since.
    pub stuck: AtomicU64,
    pub reloads: AtomicU64,
}

impl Stats {
    pub(crate) fn add(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// A call that gave no answer; a limit or its caller may have ended it.
    pub(crate) fn add_failure(&self, stopped: bool) {
        Self::add(&self.failed);
        if stopped {
            Self::add(&self.stopped);
        }
    }

    pub(crate) fn sub(counter: &AtomicU64) {
        counter.fetch_sub(1, Ordering::Relaxed);
    }

    pub fn get(counter: &AtomicU64) -> u64 {
        counter.load(Ordering::Relaxed)
    }
}
