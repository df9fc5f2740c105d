//! Bounds on what the server takes in and lets out: how many calls there may be, and how much of
//! the world one request of theirs may bring.

use crate::document::Table;
use std::time::Duration;

/// Set by the operator under `[limits]`, each by the name of its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Calls on threads at one time; further ones wait.
    pub calls: usize,
    /// Calls that may wait; further ones are turned away.
    pub queue: usize,
    /// Resident memory of the process beyond which calls wait; half of what there is, unless set.
    pub memory: Option<usize>,
    /// Tasks under way at one time; further ones are turned away.
    pub tasks: usize,
    /// A call that is, or may become, a task.
    pub task_time: Duration,
    /// How long what a task has led to can be asked for, at least.
    pub task_keep: Duration,
    /// A request with its redirects and further tries.
    pub http_time: Duration,
    /// An answer, unpacked.
    pub http_body: usize,
    pub exec_time: Duration,
    /// What a command may write to each of its two streams.
    pub exec_output: usize,
    /// Commands at one time; further ones wait.
    pub exec_processes: usize,
    /// Memory of a command and of everything it has started.
    pub exec_memory: usize,
    /// Processes of a command at one time, itself included.
    pub exec_children: usize,
    /// A file that a command writes.
    pub exec_file_size: usize,
    pub sql_time: Duration,
    pub sql_rows: usize,
    pub sql_bytes: usize,
    /// A file that is read.
    pub file_bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        let time = Duration::from_secs(30);
        Self {
            calls: 512,
            queue: 1024,
            memory: None,
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
    pub(crate) fn read(table: &mut Table<'_>) -> Self {
        let mut bounds = Self::default();
        let mut number = |key, into: &mut usize| {
            let given = table.get(key).and_then(|item| item.count());
            *into = given.unwrap_or(*into);
        };
        number("calls", &mut bounds.calls);
        number("queue", &mut bounds.queue);
        number("tasks", &mut bounds.tasks);
        number("exec_processes", &mut bounds.exec_processes);
        number("exec_children", &mut bounds.exec_children);
        number("sql_rows", &mut bounds.sql_rows);
        let mut size = |key, into: &mut usize| {
            let given = table.get(key).and_then(|item| item.size());
            *into = given.unwrap_or(*into);
        };
        size("http_body", &mut bounds.http_body);
        size("exec_output", &mut bounds.exec_output);
        size("exec_memory", &mut bounds.exec_memory);
        size("exec_file_size", &mut bounds.exec_file_size);
        size("sql_bytes", &mut bounds.sql_bytes);
        size("file_bytes", &mut bounds.file_bytes);
        bounds.memory = table.get("memory").and_then(|item| item.size());
        let mut time = |key, into: &mut Duration| {
            let given = table.get(key).and_then(|item| item.duration());
            *into = given.unwrap_or(*into);
        };
        time("task_time", &mut bounds.task_time);
        time("task_keep", &mut bounds.task_keep);
        time("http_time", &mut bounds.http_time);
        time("exec_time", &mut bounds.exec_time);
        time("sql_time", &mut bounds.sql_time);
        bounds
    }
}
