//! Where the calls of a tool run. Handing a call to another thread costs more than most calls take,
//! but a call that does not end must never hold a thread that others wait for. So a tool earns its
//! place: its first call runs on a thread of its own, and if it was quick and left the world alone,
//! the next ones are tried where they arrive, under a small budget.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

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

/// A trial takes microseconds; one that takes this long will not end.
const PATIENCE: Duration = Duration::from_millis(500);

/// The trials under way. There is always a thread left for everything else; a trial that does not
/// end is noticed from there, its caller is answered at the deadline, and no more trials are made.
pub(crate) struct Trials {
    slots: Vec<Mutex<Option<Trial>>>,
    closed: AtomicBool,
}

pub(crate) struct Trial {
    pub(crate) since: Instant,
    pub(crate) patience: Duration,
    /// Answers the caller when the trial itself cannot any more.
    pub(crate) give_up: Box<dyn FnOnce() + Send>,
}

/// A trial's place; dropped when the trial has ended.
pub(crate) struct Pass<'a>(&'a Mutex<Option<Trial>>);

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        lock(self.0).take();
    }
}

impl Trials {
    /// `threads` are those that calls arrive on.
    pub(crate) fn new(threads: usize) -> Self {
        let slots = (1..threads).map(|_| Mutex::default()).collect();
        Self {
            slots,
            closed: AtomicBool::new(false),
        }
    }

    pub(crate) fn enter(&self, trial: impl FnOnce() -> Trial) -> Option<Pass<'_>> {
        if self.closed.load(Ordering::Relaxed) {
            return None;
        }
        for slot in &self.slots {
            let mut place = lock(slot);
            if place.is_none() {
                *place = Some(trial());
                return Some(Pass(slot));
            }
        }
        None
    }

    /// Looks for trials that do not end.
    pub(crate) fn look(&self) -> Look {
        let mut look = Look::default();
        for slot in &self.slots {
            let mut place = lock(slot);
            let Some(age) = place.as_ref().map(|trial| trial.since.elapsed()) else {
                continue;
            };
            if age > PATIENCE {
                look.any = true;
                look.found |= !self.closed.swap(true, Ordering::Relaxed);
            }
            if let Some(trial) = place.take_if(|trial| age > trial.patience) {
                look.over.push(trial.give_up);
            }
        }
        look
    }
}

/// What was seen of trials that do not end.
#[derive(Default)]
pub(crate) struct Look {
    pub(crate) any: bool,
    /// One has been seen for the first time.
    pub(crate) found: bool,
    /// Those whose time is up, to be answered.
    pub(crate) over: Vec<Box<dyn FnOnce() + Send>>,
}

fn lock(slot: &Mutex<Option<Trial>>) -> MutexGuard<'_, Option<Trial>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(age: Duration, patience: Duration) -> Trial {
        Trial {
            since: Instant::now().checked_sub(age).unwrap(),
            patience,
            give_up: Box::new(|| {}),
        }
    }

    #[test]
    fn one_thread_is_always_left() {
        let young = || trial(Duration::ZERO, Duration::MAX);
        let trials = Trials::new(3);
        let (first, second) = (trials.enter(young), trials.enter(young));
        assert!(first.is_some() && second.is_some() && trials.enter(young).is_none());
        drop(first);
        assert!(trials.enter(young).is_some());
        assert!(Trials::new(1).enter(young).is_none());
    }

    #[test]
    fn a_trial_that_does_not_end_is_the_last() {
        let trials = Trials::new(3);
        let _stuck = trials.enter(|| trial(2 * PATIENCE, Duration::MAX));
        let _late = trials.enter(|| trial(2 * PATIENCE, PATIENCE));
        let look = trials.look();
        assert_eq!((look.any, look.found, look.over.len()), (true, true, 1));
        let look = trials.look();
        assert_eq!((look.any, look.found, look.over.len()), (true, false, 0));
        assert!(
            trials
                .enter(|| trial(Duration::ZERO, Duration::MAX))
                .is_none()
        );
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
