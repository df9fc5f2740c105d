//! Python's MCP client, in a virtual environment of its own.

use std::path::Path;

use anyhow::{Context, Result};

use super::apt;
use crate::command::run;

pub const MCP: &str = "mcp==2.3.0";

pub(super) fn install(folder: &Path) -> Result<()> {
    environment(folder)?;
    let python = folder.join("bin/python");
    run(folder, &python, &["-m", "pip", "install", "--quiet", MCP])?;
    run(folder, &python, &["-c", "import mcp"])
}

/// Some systems ship Python without `venv`; where they are Debian's kin, root can mend that.
fn environment(folder: &Path) -> Result<()> {
    let create = || run(folder, "python3", &["-m", "venv", "--clear", "."]);
    if create().is_ok() {
        return Ok(());
    }
    println!("python3 cannot make a virtual environment: trying apt-get install python3-venv");
    apt(folder, &["python3-venv"])
        .and_then(|()| create())
        .context("no python3 with venv: install your system's python3-venv, then run this again")
}
