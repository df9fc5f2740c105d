//! Runs the measurement where only loopback can be reached, and no process outlives it.

use std::env;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::Result;

/// Set for the process inside the namespaces.
const INSIDE: &str = "LARKSPUR_AGENTS_ISOLATED";

/// Starts a command in namespaces of users, networks and processes.
const ENTER: &[&str] = &[
    "--map-root-user",
    "--net",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
    "sh",
    "-c",
    "ip link set lo up && exec \"$@\"",
    "sh",
];

pub(crate) fn is_inside() -> bool {
    env::var_os(INSIDE).is_some()
}

/// Whether the namespaces can be made here.
pub(crate) fn is_possible() -> bool {
    let mut command = Command::new("unshare");
    command.args(ENTER).arg("true");
    let command = command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Runs this program again with the same arguments inside the namespaces.
pub(crate) fn run_inside(args: &[String], larkspur: &Path) -> Result<ExitCode> {
    let mut command = Command::new("unshare");
    command.args(ENTER).arg(env::current_exe()?).args(args);
    command.env(INSIDE, "1").env("LARKSPUR_BIN", larkspur);
    Ok(if command.status()?.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
