//! Where the calls of a tool run. Handing a call to another thread costs more than most calls take,
//! but a call that does not end must never hold a thread that others wait for. So a tool earns its
//! place: its first call runs on a thread of its own, and if it was quick and left the world alone,
//! the next ones are tried where they arrive, under a small budget.

use crate::abandoned::AbandonedThread;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

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

impl Clone for Lane {
    /// A version that is made from another one learns anew.
    fn clone(&self) -> Self {
        Self::default()
    }
}

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
            let _ = self.0.compare_exchange(UNKNOWN, HERE, Ordering::Relaxed, Ordering::Relaxed);
        }
    }
}

/// Longest wait for a slot. A trial takes microseconds, so that hundreds may queue, and a thread costs more than
/// the wait; a slot that stays taken holds nobody up for longer.
const SLOT_WAIT: Duration = Duration::from_millis(2);

/// A trial takes microseconds; one that takes this long will not end.
const PATIENCE: Duration = Duration::from_millis(500);

/// The trials under way. There is always a thread left for everything else; a trial that does not
/// end is noticed from there, its caller is answered at the deadline, and no more trials are made
/// until it has ended.
pub(crate) struct Trials {
    slots: Vec<Mutex<Option<Trial>>>,
    free: Semaphore,
    closed: AtomicBool,
}

pub(crate) struct Trial {
    pub(crate) since: Instant,
    pub(crate) patience: Duration,
    /// Counts the thread as abandoned, and answers the caller in the trial's stead.
    pub(crate) give_up: Option<GiveUp>,
    /// Set once the trial was given up; dropped when it has ended after all.
    pub(crate) abandoned: Option<AbandonedThread>,
}

pub(crate) type GiveUp = Box<dyn FnOnce() -> AbandonedThread + Send>;

/// A trial's slot; dropped when the trial has ended.
pub(crate) struct Pass<'a> {
    slot: &'a Mutex<Option<Trial>>,
    /// Released after the slot was emptied.
    _permit: SemaphorePermit<'a>,
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        let trial = self.slot.lock().take();
        drop(trial);
    }
}

impl Trials {
    /// `threads` are those that calls arrive on.
    pub(crate) fn new(threads: usize) -> Self {
        let slots: Vec<_> = (1..threads).map(|_| Mutex::default()).collect();
        Self { free: Semaphore::new(slots.len()), slots, closed: AtomicBool::new(false) }
    }

    pub(crate) async fn enter(&self, trial: impl FnOnce() -> Trial) -> Option<Pass<'_>> {
        if self.closed.load(Ordering::Relaxed) || self.slots.is_empty() {
            return None;
        }
        let permit = match self.free.try_acquire() {
            Ok(permit) => permit,
            Err(_) => timeout(SLOT_WAIT, self.free.acquire()).await.ok()?.ok()?,
        };
        for slot in &self.slots {
            let mut place = slot.lock();
            if place.is_none() {
                *place = Some(trial());
                return Some(Pass { slot, _permit: permit });
            }
        }
        None
    }

    /// Looks for trials that do not end, and gives up those whose time is over. No more trials are made
    /// while there is one that does not end.
    pub(crate) fn look(&self) -> Look {
        let mut is_stuck = false;
        for slot in &self.slots {
            let mut slot = slot.lock();
            let Some(trial) = &mut *slot else { continue };
            let age = trial.since.elapsed();
            is_stuck |= age > PATIENCE;
            if age > trial.patience
                && let Some(give_up) = trial.give_up.take()
            {
                trial.abandoned = Some(give_up());
            }
        }
        let was_stuck = self.closed.swap(is_stuck, Ordering::Relaxed);
        Look { is_stuck, changed: is_stuck != was_stuck }
    }
}

/// What was seen of trials that do not end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) is_stuck: bool,
    /// It was different before.
    pub(crate) changed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abandoned::AbandonedThreads;
    use std::sync::Arc;

    fn trial(age: Duration, patience: Duration, all: &Arc<AbandonedThreads>) -> Trial {
        let all = Arc::clone(all);
        Trial {
            since: Instant::now().checked_sub(age).unwrap(),
            patience,
            give_up: Some(Box::new(move || all.add(None))),
            abandoned: None,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn one_thread_is_always_left() {
        let all = Arc::default();
        let young = || trial(Duration::ZERO, Duration::MAX, &all);
        let trials = Trials::new(3);
        let (first, second) = (trials.enter(young).await, trials.enter(young).await);
        assert!(first.is_some() && second.is_some() && trials.enter(young).await.is_none());
        drop(first);
        assert!(trials.enter(young).await.is_some());
        assert!(Trials::new(1).enter(young).await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_slot_that_becomes_free_is_waited_for() {
        let all = Arc::default();
        let young = || trial(Duration::ZERO, Duration::MAX, &all);
        let trials = Trials::new(2);
        let first = trials.enter(young).await;
        let waits = async { trials.enter(young).await.is_some() };
        let ends = async {
            tokio::time::sleep(SLOT_WAIT / 2).await;
            drop(first);
        };
        assert_eq!(tokio::join!(waits, ends), (true, ()));
    }

    #[tokio::test(start_paused = true)]
    async fn stuck_trial_is_counted_until_it_ends() {
        let all: Arc<AbandonedThreads> = Arc::default();
        let look = |trials: &Trials| {
            let Look { is_stuck, changed } = trials.look();
            (is_stuck, changed, all.count())
        };
        let trials = Trials::new(4);
        let stuck = trials.enter(|| trial(2 * PATIENCE, Duration::MAX, &all)).await;
        let late = trials.enter(|| trial(2 * PATIENCE, PATIENCE, &all)).await;
        assert_eq!(look(&trials), (true, true, 1));
        assert_eq!(look(&trials), (true, false, 1));
        let young = || trial(Duration::ZERO, Duration::MAX, &all);
        assert!(trials.enter(young).await.is_none());
        drop(late);
        assert_eq!(look(&trials), (true, false, 0));
        drop(stuck);
        assert_eq!(look(&trials), (false, true, 0));
        assert!(trials.enter(young).await.is_some());
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
