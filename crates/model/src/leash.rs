//! How long something may take, and whether it is still wanted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Somebody who waits looks this often whether it is still wanted.
const LOOK: Duration = Duration::from_millis(20);

/// Shared with whoever may want to end an evaluation.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<Flag>);

#[derive(Debug, Default)]
struct Flag {
    set: AtomicBool,
    above: Option<Cancel>,
}

impl Cancel {
    pub fn cancel(&self) {
        self.0.set.store(true, Ordering::Relaxed);
    }

    pub fn is_cancelled(&self) -> bool {
        let above = || self.0.above.as_ref().is_some_and(Self::is_cancelled);
        self.0.set.load(Ordering::Relaxed) || above()
    }

    /// One for a part of the work: it is cancelled with the whole, or alone.
    #[must_use]
    pub fn below(&self) -> Self {
        Self(Arc::new(Flag { set: AtomicBool::default(), above: Some(self.clone()) }))
    }
}

/// What holds work outside the script to the call that asked for it.
#[derive(Debug, Clone)]
pub struct Leash {
    pub until: Instant,
    pub cancel: Cancel,
}

impl Leash {
    /// What is left of the time.
    pub fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    /// Waits so long, or until this ends it.
    pub fn wait(&self, time: Duration) {
        let leash = self.within(Some(time));
        while !leash.left().is_zero() && !leash.cancel.is_cancelled() {
            std::thread::park_timeout(leash.left().min(LOOK));
        }
    }

    /// The same with a shorter end, if this is one.
    #[must_use]
    pub fn within(&self, time: Option<Duration>) -> Self {
        let end = time.and_then(|time| Instant::now().checked_add(time));
        Self {
            until: end.map_or(self.until, |end| end.min(self.until)),
            cancel: self.cancel.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_cancelled_with_the_whole_or_alone() {
        let whole = Cancel::default();
        let (one, other) = (whole.below(), whole.below());
        one.cancel();
        let cancelled = |of: &Cancel| of.is_cancelled();
        assert_eq!([&whole, &one, &other].map(cancelled), [false, true, false]);
        whole.cancel();
        assert_eq!([&whole, &one, &other].map(cancelled), [true, true, true]);
    }
}
