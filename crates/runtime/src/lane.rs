//! Where the calls of a tool run. Handing a call to another thread costs more than most calls take,
//! but a call that does not end must never hold a thread that others wait for. So a tool earns its
//! place: its first call runs on a thread of its own, and if it was quick and left the world alone,
//! the next ones are tried where they arrive, under a small budget.

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

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

#[cfg(test)]
mod tests {
    use super::*;

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
