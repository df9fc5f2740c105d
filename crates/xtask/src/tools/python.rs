//! The MCP SDK for Python, in a virtual environment.

use std::path::Path;

use anyhow::Result;

use super::kit::Kit;
use crate::command::run;

pub const MCP: &str = "mcp==2.3.0";

pub(super) fn kit() -> Kit {
    Kit {
        name: "py".to_owned(),
        packages: vec![MCP.to_owned()],
        command: format!("python3 -m venv, then pip install {MCP}"),
        install: Box::new(install),
    }
}

fn install(folder: &Path) -> Result<()> {
    run(folder, "python3", &["-m", "venv", "--clear", "."])?;
    let python = folder.join("bin/python");
    run(folder, &python, &["-m", "pip", "install", "--quiet", MCP])?;
    run(folder, &python, &["-c", "import mcp"])
}
