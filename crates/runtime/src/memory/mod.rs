//! Admission by resident memory: while the process uses more than it may, new calls wait.

mod resident;

use model::{MemoryGate, MemoryShare, show_size};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Shortest time between two log lines about tight memory.
const WARN_EVERY: Duration = Duration::from_mins(1);

pub(crate) struct Memory {
    /// Bytes; without it nothing is measured.
    bound: Option<u64>,
    /// Bytes that one call may use.
    heap: u64,
    gate: Arc<MemoryGate>,
    /// Wakes calls that wait to be admitted.
    eased: Notify,
    /// Time of the last log line.
    warned: Mutex<Option<Instant>>,
}

impl Memory {
    /// `bound` in bytes; half of what the process may have, if it is not set.
    pub(crate) fn new(bound: Option<usize>, heap: usize) -> Self {
        let bound = bound.map(|bound| bound as u64);
        Self {
            bound: bound.or_else(|| Some(resident::available()? / 2)),
            heap: heap.max(1) as u64,
            gate: Arc::default(),
            eased: Notify::new(),
            warned: Mutex::default(),
        }
    }

    pub(crate) fn is_tight(&self) -> bool {
        self.gate.is_tight()
    }

    /// Measures the process.
    pub(crate) fn look(&self) {
        let (Some(bound), Some(resident)) = (self.bound, resident::resident()) else {
            return;
        };
        self.set(resident, bound);
    }

    fn set(&self, resident: u64, bound: u64) {
        let free = bound.checked_sub(resident);
        let calls = free.map(|free| usize::try_from(free / self.heap).unwrap_or(usize::MAX));
        self.gate.update(calls);
        if free.is_none() {
            self.warn(resident, bound);
        }
        if !self.is_tight() {
            self.eased.notify_waiters();
        }
    }

    fn warn(&self, resident: u64, bound: u64) {
        let mut warned = self.warned.lock();
        if warned.is_some_and(|at| at.elapsed() < WARN_EVERY) {
            return;
        }
        *warned = Some(Instant::now());
        let shown = |bytes: u64| show_size(usize::try_from(bytes).unwrap_or(usize::MAX));
        tracing::warn!(
            "the process uses {} of memory, more than {}: calls wait (limit `memory`)",
            shown(resident),
            shown(bound)
        );
    }

    /// Waits until memory is free or no other call runs; false at the deadline.
    pub(crate) async fn wait(&self, running: &AtomicU64, until: tokio::time::Instant) -> bool {
        loop {
            let mut eased = std::pin::pin!(self.eased.notified());
            // From here on no change is missed.
            eased.as_mut().enable();
            if !self.is_full(running) {
                return true;
            }
            if tokio::time::timeout_at(until, eased).await.is_err() {
                return false;
            }
        }
    }

    /// True if a new call has to wait. One call alone may always run.
    pub(crate) fn is_full(&self, running: &AtomicU64) -> bool {
        self.is_tight() && running.load(Ordering::Relaxed) > 0
    }

    /// A call begins to run.
    pub(crate) fn enter(&self) -> MemoryShare {
        self.gate.enter()
    }

    /// A call does not run any more.
    pub(crate) fn leave(&self, share: &MemoryShare) {
        if self.is_tight() {
            share.leave();
            self.eased.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soon() -> tokio::time::Instant {
        tokio::time::Instant::now() + Duration::from_secs(30)
    }

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_time().build().unwrap().block_on(work)
    }

    #[test]
    fn one_call_alone_may_always_run() {
        let memory = Memory::new(Some(1), 1);
        memory.set(2, 1);
        assert!(memory.is_tight());
        assert!(block_on(memory.wait(&AtomicU64::new(0), soon())));
    }

    #[test]
    fn call_waits_until_memory_is_free() {
        block_on(async {
            let (memory, running) =
                (Arc::new(Memory::new(Some(1), 1)), Arc::new(AtomicU64::new(1)));
            memory.set(2, 1);
            assert!(!memory.wait(&running, tokio::time::Instant::now()).await);
            let waiting = {
                let (memory, running) = (Arc::clone(&memory), Arc::clone(&running));
                tokio::spawn(async move { memory.wait(&running, soon()).await })
            };
            tokio::task::yield_now().await;
            assert!(!waiting.is_finished());
            memory.set(1, 1);
            assert!(waiting.await.unwrap());
        });
    }

    #[test]
    fn call_waits_until_the_others_have_ended() {
        block_on(async {
            let (memory, running) =
                (Arc::new(Memory::new(Some(1), 1)), Arc::new(AtomicU64::new(1)));
            memory.set(2, 1);
            let share = memory.enter();
            let waiting = {
                let (memory, running) = (Arc::clone(&memory), Arc::clone(&running));
                tokio::spawn(async move { memory.wait(&running, soon()).await })
            };
            tokio::task::yield_now().await;
            running.store(0, Ordering::Relaxed);
            memory.leave(&share);
            assert!(waiting.await.unwrap());
        });
    }
}
