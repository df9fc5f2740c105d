//! How many programs may run at once; whoever comes later waits, no longer than his call may take.

use crate::term::Term;
use model::HostError;
use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a cancelled call may go on waiting.
const LOOK: Duration = Duration::from_millis(20);

pub(super) struct Bound {
    most: usize,
    running: Mutex<usize>,
    fewer: Condvar,
    closed: AtomicBool,
}

/// One of the places, given back when dropped.
pub(super) struct Place<'a>(&'a Bound);

impl Bound {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            running: Mutex::default(),
            fewer: Condvar::default(),
            closed: AtomicBool::default(),
        }
    }

    pub(super) fn enter(&self, term: &Term) -> Result<Place<'_>, HostError> {
        let mut running = self.running.lock();
        while *running >= self.most || self.is_closed() {
            if self.is_closed() {
                return Err(HostError("the server is ending".into()));
            }
            if term.is_cancelled() {
                return Err(HostError("the call was cancelled".into()));
            }
            if term.left().is_zero() {
                return Err(HostError(format!(
                    "no place became free {}: {} may run at once (limit `exec_processes`)",
                    term.words, self.most
                )));
            }
            let patience = LOOK.min(term.left());
            self.fewer.wait_for(&mut running, patience);
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
        let mut running = self.running.lock();
        while *running > 0 && Instant::now() < until {
            self.fewer.wait_for(&mut running, LOOK);
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut running = self.0.running.lock();
        *running -= 1;
        self.0.fewer.notify_one();
    }
}
