//! `[limits]` of `larkspur.toml`: what one call may use, how many calls there may be, and how much of the world
//! one request of theirs may bring.

use crate::Rate;
use crate::document::{Size, Time};
use model::Limits;
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;

/// What one call may use, and how much of the world it may bring. A module's own
/// `[limits]` can only be tighter. What is said here holds from the next start of the
/// server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct Bounds {
    /// How long one call may take.
    #[serde(with = "Time")]
    pub timeout: Duration,
    /// How many loop turns and calls a script may make.
    pub ticks: u64,
    /// How much memory.
    #[serde(with = "Size")]
    pub heap: usize,
    /// How deep functions may call each other.
    pub call_depth: usize,
    /// Maximum size of a result, and of the values that the references of a batch copy into one call.
    #[serde(with = "Size")]
    pub result: usize,
    /// How many calls at one time.
    pub calls: usize,
    /// How many more calls may wait.
    pub queue: usize,
    /// Resident memory of the server above which new calls wait, and are then rejected; running
    /// calls pause, the oldest excepted. Unset: half of the machine's or the container's memory.
    /// Linux only.
    #[serde(with = "Size")]
    #[schemars(example = &"4GiB")]
    pub memory: Option<usize>,
    /// How often one caller may call. Nothing is counted unless it is said here.
    #[schemars(example = "10/s")]
    pub caller_rate: Option<Rate>,
    /// How often one module may be called, by whomever.
    #[schemars(example = "100/s")]
    pub module_rate: Option<Rate>,
    /// How many calls of one caller at one time; further ones wait, each behind its own.
    #[schemars(example = 4)]
    pub caller_calls: Option<usize>,
    /// How many calls of one module at one time.
    #[schemars(example = 16)]
    pub module_calls: Option<usize>,
    /// How much memory answers may take that are kept to be given again: those of tools and
    /// resources with `cache = "60s"`.
    #[serde(with = "Size")]
    pub cache: usize,
    /// How many calls of tools marked `task = True` are under way at one time.
    pub tasks: usize,
    /// How long one of them may take.
    #[serde(with = "Time")]
    pub task_time: Duration,
    /// How long what it led to can be asked for afterwards.
    #[serde(with = "Time")]
    pub task_keep: Duration,
    /// A request of `http` with its redirects and further tries.
    #[serde(with = "Time")]
    pub http_time: Duration,
    /// The size of an answer to it, unpacked.
    #[serde(with = "Size")]
    pub http_body: usize,
    /// A command of `exec`.
    #[serde(with = "Time")]
    pub exec_time: Duration,
    /// What it may write to each of stdout and stderr.
    #[serde(with = "Size")]
    pub exec_output: usize,
    /// How many commands run at one time.
    pub exec_processes: usize,
    /// Memory of a command and of everything it has started, together: resident and swapped
    /// pages, without files that they map. Looked at every 20 ms; Linux only.
    #[serde(with = "Size")]
    pub exec_memory: usize,
    /// Processes of one command at one time, itself included. Counted every 20 ms; Linux only.
    pub exec_children: usize,
    /// Size of any file that a command writes.
    #[serde(with = "Size")]
    pub exec_file_size: usize,
    /// A statement or transaction of `sqlite` and `postgres`.
    #[serde(with = "Time")]
    pub sql_time: Duration,
    /// The rows of its answer.
    pub sql_rows: usize,
    /// The bytes of its answer.
    #[serde(with = "Size")]
    pub sql_bytes: usize,
    /// How large a file may be that is read.
    #[serde(with = "Size")]
    pub file_bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        let limits = Limits::default();
        let time = Duration::from_secs(30);
        Self {
            timeout: limits.time,
            ticks: limits.ticks,
            heap: limits.heap_bytes,
            call_depth: limits.call_depth,
            result: limits.result_bytes,
            calls: 512,
            queue: 1024,
            memory: None,
            caller_rate: None,
            module_rate: None,
            caller_calls: None,
            module_calls: None,
            cache: 64 << 20,
            tasks: 64,
            task_time: Duration::from_hours(1),
            task_keep: Duration::from_hours(24),
            http_time: time,
            http_body: 10 << 20,
            exec_time: time,
            exec_output: 1 << 20,
            exec_processes: 32,
            exec_memory: 2 << 30,
            exec_children: 256,
            exec_file_size: 1 << 30,
            sql_time: time,
            sql_rows: 10_000,
            sql_bytes: 8 << 20,
            file_bytes: 16 << 20,
        }
    }
}

impl Bounds {
    /// What one evaluation may use.
    pub fn limits(&self) -> Limits {
        Limits {
            time: self.timeout,
            ticks: self.ticks,
            heap_bytes: self.heap,
            call_depth: self.call_depth,
            result_bytes: self.result,
            ..Limits::default()
        }
    }
}
