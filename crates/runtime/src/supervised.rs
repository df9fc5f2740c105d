//! Runs a module's hook on a thread that is abandoned when it ignores its time limit.

use crate::abandoned::{AbandonedThread, ThreadLease};
use model::{Fault, show_duration};
use std::io;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Time beyond its limit in which a script may notice that it is over; then its thread is abandoned.
pub(crate) use script::GRACE;

/// What to look for in a script that does not react.
const NEVER_ENDS: &str = "one step in it never ends, such as hashing, comparing or printing a value \
                          that contains itself many times; change it and save the file";

/// Why work on another thread has no result.
pub(crate) enum NoResult {
    NoThread(io::Error),
    /// It ignores its time limit, and its thread was abandoned.
    Abandoned,
    Panicked,
}

impl NoResult {
    pub(crate) fn fault(self, time: Duration) -> Fault {
        match self {
            Self::NoThread(error) => Fault::new(format!("cannot start a thread: {error}")),
            Self::Panicked => Fault::new("the engine gave up on it"),
            Self::Abandoned => Fault::new(format!(
                "it ignores its time limit of {} (limit `timeout`), and its thread was abandoned",
                show_duration(time)
            ))
            .help(NEVER_ENDS),
        }
    }
}

/// Runs work on another thread and waits for it, no longer than the time it may take.
pub(crate) fn run_in_time<T: Send + 'static>(
    time: Duration,
    spawn: impl FnOnce(Box<dyn FnOnce() + Send>) -> io::Result<()>,
    count: impl FnOnce() -> AbandonedThread,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, NoResult> {
    let (lease, thread) = ThreadLease::new((), None);
    let (done, result) = channel();
    let job = move || {
        let outcome = work();
        drop(thread);
        let _ = done.send(outcome);
    };
    spawn(Box::new(job)).map_err(NoResult::NoThread)?;
    match result.recv_timeout(time + GRACE) {
        Ok(outcome) => Ok(outcome),
        Err(RecvTimeoutError::Timeout) if lease.abandon(|_| count()) => Err(NoResult::Abandoned),
        // It ended at the last moment.
        Err(_) => result.recv().map_err(|_| NoResult::Panicked),
    }
}
