//! Memory of the whole process: while it uses more than it may, calls pause, one at a time excepted.

use crate::Leash;
use parking_lot::{Condvar, Mutex};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// How often a paused call looks whether it is cancelled.
const LOOK: Duration = Duration::from_millis(20);

/// Says whether memory is tight, and which calls go on then.
#[derive(Debug, Default)]
pub struct MemoryGate {
    is_tight: AtomicBool,
    last_call: AtomicU64,
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct GateState {
    /// Calls that may go on at a time while memory is tight; at least one does.
    most: usize,
    /// Calls that go on, by their numbers.
    running: BTreeSet<u64>,
    /// Calls that wait, by their numbers; one of several threads is there several times.
    paused: Vec<u64>,
}

/// One call at the gate. A clone is the same call on another thread of it.
#[derive(Debug, Clone)]
pub struct MemoryShare {
    gate: Arc<MemoryGate>,
    call: u64,
}

impl MemoryGate {
    pub fn is_tight(&self) -> bool {
        self.is_tight.load(Ordering::Relaxed)
    }

    /// Calls that have begun and wait for memory.
    pub fn paused(&self) -> usize {
        self.state.lock().paused.len()
    }

    /// Takes what was measured: for how many calls there is memory, or none if too much is used. Memory
    /// stays tight until the last paused call goes on, so that they do not all grow at once.
    pub fn update(&self, free: Option<usize>) {
        if free.is_some() && !self.is_tight() {
            return;
        }
        let mut state = self.state.lock();
        state.most = free.unwrap_or_default();
        while state.running.len() > state.most.max(1) {
            state.running.pop_last();
        }
        let is_tight = free.is_none() || !state.paused.is_empty();
        if !is_tight {
            state.running.clear();
        }
        self.is_tight.store(is_tight, Ordering::Relaxed);
        drop(state);
        self.changed.notify_all();
    }

    /// A call begins.
    pub fn enter(self: &Arc<Self>) -> MemoryShare {
        MemoryShare { call: self.last_call.fetch_add(1, Ordering::Relaxed), gate: Arc::clone(self) }
    }
}

impl MemoryShare {
    pub fn is_tight(&self) -> bool {
        self.gate.is_tight()
    }

    /// Waits until memory is free or this call may go on: the oldest one first. False when the leash
    /// ends before that.
    pub fn wait(&self, leash: &Leash) -> bool {
        let mut state = self.gate.state.lock();
        state.paused.push(self.call);
        let goes_on = loop {
            if !self.is_tight() || state.admit(self.call) {
                break true;
            }
            let left = leash.left();
            if left.is_zero() || leash.cancel.is_cancelled() {
                break false;
            }
            self.gate.changed.wait_for(&mut state, left.min(LOOK));
        };
        if let Some(at) = state.paused.iter().position(|call| *call == self.call) {
            state.paused.swap_remove(at);
        }
        goes_on
    }

    /// The call is over: another one may go on.
    pub fn leave(&self) {
        if !self.is_tight() {
            return;
        }
        let mut state = self.gate.state.lock();
        if state.running.remove(&self.call) {
            self.gate.changed.notify_all();
        }
    }
}

impl GateState {
    /// May this call, which waits, go on now?
    fn admit(&mut self, call: u64) -> bool {
        if self.running.contains(&call) {
            return true;
        }
        let mut others = self.paused.iter().filter(|one| !self.running.contains(one));
        let is_next = others.all(|other| call <= *other);
        is_next && self.running.len() < self.most.max(1) && self.running.insert(call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cancel;
    use std::sync::mpsc::channel;
    use std::time::Instant;

    fn leash() -> Leash {
        Leash { until: Instant::now() + Duration::from_secs(30), cancel: Cancel::default() }
    }

    fn until_paused(gate: &MemoryGate, count: usize) {
        while gate.paused() != count {
            std::thread::yield_now();
        }
    }

    #[test]
    fn one_call_at_a_time_goes_on_while_memory_is_tight() {
        let gate: Arc<MemoryGate> = Arc::default();
        let calls = [gate.enter(), gate.enter(), gate.enter()];
        gate.update(None);
        assert!(calls[0].wait(&leash()), "the first goes on");
        assert!(calls[0].clone().wait(&leash()), "on all its threads");
        let (went, goes) = channel();
        for call in [2, 1] {
            let (went, share) = (went.clone(), calls[call].clone());
            std::thread::spawn(move || {
                let goes_on = share.wait(&leash());
                went.send((call, goes_on)).unwrap();
                share.leave();
            });
            until_paused(&gate, 3 - call);
        }
        calls[0].leave();
        // The older one is first, though it came later.
        assert_eq!(goes.recv().unwrap(), (1, true));
        assert_eq!(goes.recv().unwrap(), (2, true));
    }

    #[test]
    fn paused_call_goes_on_when_memory_is_free_again() {
        let gate: Arc<MemoryGate> = Arc::default();
        let (first, second) = (gate.enter(), gate.enter());
        gate.update(None);
        assert!(first.wait(&leash()));
        let waits = std::thread::spawn(move || second.wait(&leash()));
        until_paused(&gate, 1);
        gate.update(Some(2));
        assert!(waits.join().unwrap());
        gate.update(Some(2));
        assert!(!gate.is_tight());
    }

    #[test]
    fn as_many_go_on_as_there_is_memory_for() {
        let gate: Arc<MemoryGate> = Arc::default();
        let calls: Vec<MemoryShare> = (0..5).map(|_| gate.enter()).collect();
        gate.update(None);
        let (went, goes) = channel();
        for call in &calls {
            let (went, share) = (went.clone(), call.clone());
            std::thread::spawn(move || {
                share.wait(&leash());
                went.send(share.call).unwrap();
            });
        }
        let next = |count: usize| -> BTreeSet<u64> { goes.iter().take(count).collect() };
        assert_eq!(next(1).len(), 1);
        until_paused(&gate, 4);
        gate.update(Some(3));
        next(2);
        until_paused(&gate, 2);
        assert!(gate.is_tight());
        gate.update(Some(5));
        next(2);
        until_paused(&gate, 0);
        gate.update(Some(5));
        assert!(!gate.is_tight());
    }

    #[test]
    fn paused_call_ends_with_its_leash() {
        let gate: Arc<MemoryGate> = Arc::default();
        let (first, second) = (gate.enter(), gate.enter());
        gate.update(None);
        assert!(first.wait(&leash()));
        let cancelled = leash();
        cancelled.cancel.cancel();
        assert!(!second.wait(&cancelled));
        assert_eq!(gate.paused(), 0);
    }
}
