//! Runs the measurement in a network namespace that has loopback only.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

/// Set for the process inside the namespace.
const INSIDE: &str = "LARKSPUR_AGENTS_ISOLATED";

const ENTER: &[&str] = &["-rn", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"];

pub(crate) fn is_inside() -> bool {
    env::var_os(INSIDE).is_some()
}

/// Whether a namespace can be made here.
pub(crate) fn is_possible() -> bool {
    let mut command = Command::new("unshare");
    command.args(ENTER).arg("true");
    let command = command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Runs this program again with the same arguments inside the namespace.
pub(crate) fn run_inside(args: &[String], larkspur: &Path) -> Result<()> {
    let status = Command::new("unshare")
        .args(ENTER)
        .arg(env::current_exe()?)
        .args(args)
        .env(INSIDE, "1")
        .env("LARKSPUR_BIN", larkspur)
        .status()?;
    if !status.success() {
        bail!("the measurement failed: {status}");
    }
    Ok(())
}
