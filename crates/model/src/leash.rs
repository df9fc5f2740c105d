//! How long something may take, and whether it is still wanted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Shared with whoever may want to end an evaluation.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
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
