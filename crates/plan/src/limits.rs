//! What a batch may ask for at the most.

use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanLimits {
    pub tasks: usize,
    /// Calls at the same time.
    pub at_once: usize,
    /// Of one `foreach`.
    pub items: usize,
    /// Of one task, or of one item of a `foreach`, after its first try.
    pub retries: u64,
    /// Memory of the arguments that references make for one call.
    pub copied_bytes: usize,
    /// Memory of the arguments of all calls at the same time, each of which exists as JSON and as script
    /// values; one call may exceed it alone.
    pub argument_bytes: usize,
    /// For one call.
    pub task_time: Duration,
    /// For the whole.
    pub batch_time: Duration,
}

impl Default for PlanLimits {
    fn default() -> Self {
        Self {
            tasks: 50,
            at_once: 8,
            items: 100,
            retries: 5,
            copied_bytes: 16 << 20,
            argument_bytes: 8 << 20,
            task_time: Duration::from_secs(30),
            batch_time: Duration::from_mins(2),
        }
    }
}
