//! How many programs may run at once; whoever comes later waits, no longer than his call may take.

use model::{HostError, Leash};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub(super) const MOST: usize = 32;
/// How long a cancelled call may go on waiting.
const LOOK: Duration = Duration::from_millis(20);

#[derive(Default)]
pub(super) struct Bound {
    running: Mutex<usize>,
    fewer: Condvar,
    closed: AtomicBool,
}

/// One of the places, given back when dropped.
pub(super) struct Place<'a>(&'a Bound);

impl Bound {
    pub(super) fn enter(&self, leash: &Leash) -> Result<Place<'_>, HostError> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        while *running >= MOST || self.is_closed() {
            if self.is_closed() {
                return Err(HostError("the server is ending".into()));
            }
            if leash.cancel.is_cancelled() || leash.left().is_zero() {
                return Err(HostError(format!(
                    "{MOST} commands were running already, and none of them ended in time \
                     (limit `exec_processes`)"
                )));
            }
            let patience = LOOK.min(leash.left());
            let waited = self.fewer.wait_timeout(running, patience);
            (running, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        *running += 1;
        Ok(Place(self))
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Lets nobody in any more, and waits a moment for those who run to go.
    pub(super) fn close(&self, patience: Duration) {
        self.closed.store(true, Ordering::Relaxed);
        let until = Instant::now() + patience;
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        while *running > 0 && Instant::now() < until {
            let waited = self.fewer.wait_timeout(running, LOOK);
            (running, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut running = self
            .0
            .running
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *running -= 1;
        self.0.fewer.notify_one();
    }
}
