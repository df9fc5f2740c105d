//! cargo-deny: bans, licences and sources of the crates we depend on.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::command::{self, answers, line};
use crate::tools::{self, Kit};
use crate::workspace::Workspace;

const VERSION: &str = "0.20.2";
/// A debug build: cargo-deny runs for seconds, and compiling it takes minutes.
const INSTALL: [&str; 8] =
    ["install", "cargo-deny", "--locked", "--debug", "--version", VERSION, "--root", "."];
/// Wrappers of crates that are not used yet are no error.
const CHECK: &[&str] =
    &["--locked", "check", "--allow", "unused-wrapper", "bans", "licenses", "sources"];
const ADVISORIES: &[&str] = &["--locked", "check", "advisories"];

const USAGE: &str = "\
usage: cargo xtask deny [--advisories]

  --advisories  check security advisories, which are downloaded, instead of bans, licences and sources";

pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<()> {
    match args {
        [] => check(workspace, CHECK),
        [flag] if flag == "--advisories" => check(workspace, ADVISORIES),
        [flag] if flag == "--help" || flag == "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        _ => bail!("unknown arguments `{}`\n\n{USAGE}", args.join(" ")),
    }
}

fn check(workspace: &Workspace, args: &[&str]) -> Result<()> {
    let tools = tools::folder(workspace);
    let mut program = PathBuf::from("cargo-deny");
    if let Some(kit) = kit() {
        if !kit.is_present(&tools) {
            kit.install(&tools)?;
        }
        program = tools.join(kit.name).join("bin/cargo-deny");
    }
    command::run(&workspace.root, program, args)
}

/// cargo-deny as a kit, unless there is one in `PATH`.
pub(crate) fn kit() -> Option<Kit> {
    if answers("cargo-deny", &["--version"]) {
        return None;
    }
    Some(Kit {
        name: "deny".to_owned(),
        packages: vec![format!("cargo-deny@{VERSION}")],
        command: line("cargo", &INSTALL),
        install: Box::new(install),
    })
}

fn install(folder: &Path) -> Result<()> {
    command::run(folder, "cargo", &INSTALL)
}
