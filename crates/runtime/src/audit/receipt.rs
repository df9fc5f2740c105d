//! Waiting for an audit line, where no call may run unrecorded.

use tokio::sync::oneshot;

/// A line that was added to the queue.
pub(crate) struct Receipt {
    pub(super) written: oneshot::Receiver<bool>,
    pub(super) has_run: bool,
}

/// The line is not in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unwritten {
    /// The call that it is about has run.
    pub(crate) has_run: bool,
}

impl Receipt {
    pub(crate) async fn written(self) -> Result<(), Unwritten> {
        confirm(self.written.await.unwrap_or(false), self.has_run)
    }

    /// The same on a thread that may block.
    pub(crate) fn wait(self) -> Result<(), Unwritten> {
        confirm(self.written.blocking_recv().unwrap_or(false), self.has_run)
    }
}

fn confirm(is_written: bool, has_run: bool) -> Result<(), Unwritten> {
    if is_written { Ok(()) } else { Err(Unwritten { has_run }) }
}
