//! Where a task stands.

use super::active::Active;
use super::ended::{Ended, Status};

#[derive(Debug, Clone)]
pub(super) enum State {
    /// For those it needs.
    Waiting,
    Active(Active),
    Ended(Ended),
}

/// How far a task has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Waiting,
    /// Of a `foreach`, so many items have ended; otherwise none of one.
    Running {
        ended: usize,
        of: usize,
    },
    Ended(Status),
}

impl State {
    pub(super) fn stage(&self) -> Stage {
        match self {
            Self::Waiting => Stage::Waiting,
            // It could run, if there were room for one more.
            Self::Active(active) if active.has_not_begun() => Stage::Waiting,
            Self::Active(active) => {
                let (ended, of) = active.count();
                Stage::Running { ended, of }
            }
            Self::Ended(ended) => Stage::Ended(ended.status),
        }
    }
}
