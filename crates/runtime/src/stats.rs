//! Counts of what has happened, for status and metrics.

use crate::meter::{Meters, Stops, TurnedAway};
use model::Stop;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug, Default)]
pub struct Stats {
    pub calls: AtomicU64,
    /// Calls that ended in an error of any sort.
    pub failed: AtomicU64,
    pub in_flight: AtomicU64,
    /// Calls ended by a limit.
    pub stopped: AtomicU64,
    pub reloads: AtomicU64,
    /// HTTP connections closed at once, since their address had as many as it may.
    pub connections_rejected: AtomicU64,
    /// Loop turns and calls of all scripts.
    pub ticks: AtomicU64,
    pub(crate) stops: Stops,
    pub(crate) limited: TurnedAway,
    pub(crate) meters: Meters,
}

impl Stats {
    pub(crate) fn add(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// A call that gave no answer; a limit or its caller may have ended it.
    pub(crate) fn add_failure(&self, stop: Option<Stop>) {
        Self::add(&self.failed);
        if let Some(stop) = stop {
            Self::add(&self.stopped);
            self.stops.add(stop);
        }
    }

    pub(crate) fn sub(counter: &AtomicU64) {
        counter.fetch_sub(1, Ordering::Relaxed);
    }

    pub fn get(counter: &AtomicU64) -> u64 {
        counter.load(Ordering::Relaxed)
    }
}
