//! Slots for threads that compute: as many as there are cores, so that threads which all change the memory
//! map of the process do not hold up those that serve.
//!
//! A thread without a slot of its own, as one that serves, is not affected by any of this.

use crate::Cancel;
use parking_lot::Mutex;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Time after which a thread lets another one compute, if one waits.
const SLICE: Duration = Duration::from_millis(10);
/// Time after which a thread that never looks up no longer keeps others waiting.
const LONG: Duration = Duration::from_millis(200);
/// How often a waiting thread looks whether it is cancelled, or whether a slot is held for long.
const LOOK: Duration = Duration::from_millis(20);

thread_local! {
    static CURRENT: RefCell<Option<ComputeSlot>> = const { RefCell::new(None) };
}

/// A clone shares the slots.
#[derive(Debug, Clone)]
pub struct ComputeSlots(Arc<SlotQueue>);

#[derive(Debug)]
struct SlotQueue {
    most: usize,
    waiting: AtomicUsize,
    state: Mutex<SlotState>,
}

#[derive(Debug, Default)]
struct SlotState {
    last: u64,
    /// Slots in use, by the numbers of their calls, each with the time since which it is.
    held: Vec<(u64, Instant)>,
    queue: VecDeque<Arc<Waiter>>,
}

#[derive(Debug)]
struct Waiter {
    call: u64,
    thread: Thread,
    is_granted: AtomicBool,
}

/// The part of one call. A clone is the same call.
#[derive(Debug, Clone)]
pub struct ComputeSlot {
    slots: ComputeSlots,
    call: u64,
    cancel: Cancel,
}

/// The call computes on this thread until this is dropped.
#[derive(Debug)]
pub struct Computing(());

impl ComputeSlots {
    pub fn new(most: usize) -> Self {
        Self(Arc::new(SlotQueue {
            most: most.max(1),
            waiting: AtomicUsize::new(0),
            state: Mutex::default(),
        }))
    }

    /// A call that will compute, until it is cancelled.
    pub fn enter(&self, cancel: Cancel) -> ComputeSlot {
        let mut state = self.0.state.lock();
        state.last += 1;
        ComputeSlot { slots: self.clone(), call: state.last, cancel }
    }
}

impl Default for ComputeSlots {
    fn default() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self::new(cores.max(2))
    }
}

impl SlotQueue {
    /// Gives free slots to those who have waited longest.
    fn grant(&self, state: &mut SlotState) {
        state.held.retain(|(_, since)| since.elapsed() < LONG);
        while state.held.len() < self.most
            && let Some(waiter) = state.queue.pop_front()
        {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            state.held.push((waiter.call, Instant::now()));
            waiter.is_granted.store(true, Ordering::Release);
            waiter.thread.unpark();
        }
    }
}

impl ComputeSlot {
    /// Waits for a slot, and makes it the one of this thread.
    pub fn begin(&self) -> Computing {
        self.acquire();
        CURRENT.set(Some(self.clone()));
        Computing(())
    }

    /// Waits until there is a slot or the call is cancelled, so that it can end.
    fn acquire(&self) {
        let queue = &self.slots.0;
        let waiter = Arc::new(Waiter {
            call: self.call,
            thread: thread::current(),
            is_granted: AtomicBool::new(false),
        });
        let mut state = queue.state.lock();
        state.queue.push_back(Arc::clone(&waiter));
        queue.waiting.fetch_add(1, Ordering::Relaxed);
        queue.grant(&mut state);
        drop(state);
        while !waiter.is_granted.load(Ordering::Acquire) {
            thread::park_timeout(LOOK);
            let mut state = queue.state.lock();
            if self.cancel.is_cancelled() {
                let before = state.queue.len();
                state.queue.retain(|other| !Arc::ptr_eq(other, &waiter));
                let removed = before - state.queue.len();
                queue.waiting.fetch_sub(removed, Ordering::Relaxed);
                return;
            }
            queue.grant(&mut state);
        }
    }

    fn release(&self) {
        let mut state = self.slots.0.state.lock();
        state.held.retain(|(call, _)| *call != self.call);
        self.slots.0.grant(&mut state);
    }

    fn has_used_its_slice(&self) -> bool {
        let state = self.slots.0.state.lock();
        let mut held = state.held.iter();
        // One that was held for long has been given away already.
        held.all(|(call, since)| *call != self.call || since.elapsed() >= SLICE)
    }
}

impl Drop for Computing {
    fn drop(&mut self) {
        if let Some(slot) = CURRENT.take() {
            slot.release();
        }
    }
}

/// Lets another thread compute while this one waits for something else.
pub fn while_waiting<T>(wait: impl FnOnce() -> T) -> T {
    let Some(slot) = CURRENT.take() else {
        return wait();
    };
    slot.release();
    let result = wait();
    slot.acquire();
    CURRENT.set(Some(slot));
    result
}

/// Lets a thread compute that waits for it, if this one has computed for a while. Called now and then by
/// long evaluations.
pub fn share_core() {
    let slot = CURRENT.with_borrow(|slot| {
        let slot = slot.as_ref()?;
        let is_alone = slot.slots.0.waiting.load(Ordering::Relaxed) == 0;
        (!is_alone && slot.has_used_its_slice()).then(|| slot.clone())
    });
    if let Some(slot) = slot {
        slot.release();
        slot.acquire();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    fn until_waiting(slots: &ComputeSlots, count: usize) {
        while slots.0.waiting.load(Ordering::Relaxed) != count {
            thread::yield_now();
        }
    }

    /// Starts a thread that computes; it says so, and ends when it is told to.
    fn compute(slots: &ComputeSlots) -> (impl Fn() + use<>, impl FnOnce() + use<>) {
        let slot = slots.enter(Cancel::default());
        let (began, begin) = channel();
        let (end, ended) = channel::<()>();
        let thread = thread::spawn(move || {
            let _computing = slot.begin();
            began.send(()).unwrap();
            while ended.recv_timeout(Duration::from_millis(1)).is_err() {
                share_core();
            }
        });
        let finish = move || {
            end.send(()).unwrap();
            thread.join().unwrap();
        };
        (move || begin.recv().unwrap(), finish)
    }

    #[test]
    fn slots_are_shared_by_time() {
        let slots = ComputeSlots::new(1);
        let (first_began, finish_first) = compute(&slots);
        first_began();
        let (second_began, finish_second) = compute(&slots);
        second_began();
        finish_first();
        finish_second();
        assert_eq!(slots.0.state.lock().held.len(), 0);
    }

    #[test]
    fn waiting_thread_gives_its_slot_away() {
        let slots = ComputeSlots::new(1);
        let slot = slots.enter(Cancel::default());
        let computing = slot.begin();
        let (began, finish) = compute(&slots);
        until_waiting(&slots, 1);
        while_waiting(|| {
            began();
            finish();
        });
        drop(computing);
        assert_eq!(slots.0.state.lock().held.len(), 0);
    }

    #[test]
    fn thread_that_never_looks_up_keeps_nobody_waiting() {
        let slots = ComputeSlots::new(1);
        let _endless = slots.enter(Cancel::default()).begin();
        let (began, finish) = compute(&slots);
        began();
        finish();
    }

    #[test]
    fn cancelled_call_waits_no_longer() {
        let slots = ComputeSlots::new(1);
        let (cancel, other) = (Cancel::default(), Cancel::default());
        let _held = slots.enter(other).begin();
        cancel.cancel();
        let cancelled = slots.enter(cancel);
        thread::spawn(move || drop(cancelled.begin())).join().unwrap();
        assert_eq!(slots.0.waiting.load(Ordering::Relaxed), 0);
    }
}
