//! A command to run, and what it left behind.

use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecRequest {
    /// By its exact name; there is no shell.
    pub command: String,
    pub args: Vec<String>,
    pub stdin: String,
    /// Relative to the module's folder.
    pub cwd: Option<String>,
    /// Added to what the child gets anyway.
    pub env: Vec<(String, String)>,
    /// Variables whose values are secrets, known by their names.
    pub secret_env: Vec<(String, String)>,
    /// The author's own bound; the call's deadline holds as well.
    pub timeout: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecResult {
    pub stdout: String,
    pub stderr: String,
    /// -1 if a signal ended it.
    pub exit_code: i32,
}
