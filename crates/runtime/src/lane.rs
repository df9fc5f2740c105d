//! Where the calls of a tool run. Handing a call to another thread costs more than most calls take,
//! but a call that does not end must never hold a thread that others wait for. So a tool earns its
//! place: its first call runs on a thread of its own, and if it was quick and left the world alone,
//! the next ones are tried where they arrive, under a small budget.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A call that took longer than this is not quick.
const QUICK: Duration = Duration::from_millis(2);

/// Nothing is known yet, or nothing good.
const UNKNOWN: u8 = 0;
/// The last call was quick.
const HERE: u8 = 1;
/// A trial had to be given up: this tool always needs a thread.
const THREAD: u8 = 2;

#[derive(Debug, Default)]
pub(crate) struct Lane(AtomicU8);

impl Lane {
    pub(crate) fn may_try_here(&self) -> bool {
        self.0.load(Ordering::Relaxed) == HERE
    }

    /// A trial was given up.
    pub(crate) fn needs_thread(&self) {
        self.0.store(THREAD, Ordering::Relaxed);
    }

    /// A call on a thread has ended.
    pub(crate) fn ran(&self, took: Duration, used_the_world: bool) {
        if took <= QUICK && !used_the_world {
            let _ = self
                .0
                .compare_exchange(UNKNOWN, HERE, Ordering::Relaxed, Ordering::Relaxed);
        }
    }
}

/// How many calls may be tried at one time where they arrive. There is always a thread left for
/// everything else, and after one trial that did not end there are no more.
#[derive(Debug)]
pub(crate) struct Trials {
    places: Arc<Semaphore>,
}

impl Trials {
    /// `threads` are those that calls arrive on.
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(threads.saturating_sub(1))),
        }
    }

    pub(crate) fn enter(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.places).try_acquire_owned().ok()
    }

    pub(crate) fn end(&self) {
        self.places.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_is_always_left() {
        let trials = Trials::new(3);
        let (first, second) = (trials.enter(), trials.enter());
        assert!(first.is_some() && second.is_some() && trials.enter().is_none());
        drop(first);
        assert!(trials.enter().is_some());
        trials.end();
        assert!(trials.enter().is_none());
        assert!(Trials::new(1).enter().is_none());
    }

    #[test]
    fn a_tool_earns_its_place() {
        let lane = Lane::default();
        assert!(!lane.may_try_here());
        lane.ran(Duration::from_secs(1), false);
        lane.ran(Duration::ZERO, true);
        assert!(!lane.may_try_here());
        lane.ran(Duration::ZERO, false);
        assert!(lane.may_try_here());
        lane.needs_thread();
        lane.ran(Duration::ZERO, false);
        assert!(!lane.may_try_here());
    }
}
