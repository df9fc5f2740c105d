//! cargo-deny: who uses banned crates, under which licences, from which sources.

use std::path::PathBuf;

use anyhow::Result;

use crate::command::{self, answers};
use crate::tools;
use crate::workspace::Workspace;

const VERSION: &str = "0.20.2";
/// Unoptimized: it runs for seconds, so that building it is what one waits for.
const INSTALL: [&str; 9] = [
    "install",
    "cargo-deny",
    "--locked",
    "--quiet",
    "--debug",
    "--version",
    VERSION,
    "--root",
    "target/tools",
];
/// Wrappers of crates that have not arrived yet are no fault.
const CHECK: [&str; 7] = [
    "--locked",
    "check",
    "--allow",
    "unused-wrapper",
    "bans",
    "licenses",
    "sources",
];

/// Checks, or says aloud that it could not: a missing tool must not fail a sound tree.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let Some(program) = program(workspace) else {
        println!("!!! NOT CHECKED: licences and sources, because cargo-deny cannot be had here");
        println!("!!! bans are held by the layers test all the same");
        return Ok(());
    };
    command::run(&workspace.root, program, &CHECK)
}

/// cargo-deny from the path or from `target/tools`, installed there if need be.
fn program(workspace: &Workspace) -> Option<PathBuf> {
    let installed = tools::folder(workspace).join("bin/cargo-deny");
    let here = [PathBuf::from("cargo-deny"), installed.clone()];
    if let Some(program) = here
        .into_iter()
        .find(|program| answers(program, &["--version"]))
    {
        return Some(program);
    }
    println!("installing cargo-deny {VERSION} into target/tools: a few minutes, once");
    let installing = command::run(&workspace.root, "cargo", &INSTALL);
    installing.inspect_err(|error| println!("{error:#}")).ok()?;
    Some(installed)
}
