//! Set-up of the tests: system programs, and packages of registries below `target/tools`.

mod kit;
mod node;
mod python;
mod setup;
mod system;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::workspace::Workspace;
pub use kit::Kit;
pub(crate) use setup::Setup;
pub(crate) use system::Apt;

pub use node::{SERVER as TYPESCRIPT_SDK, npm_kit};
pub use python::MCP as PYTHON_SDK;

const USAGE: &str = "\
usage: cargo xtask tools [--no-install]

  --no-install  list what is missing and install nothing";

/// Installs what is missing; a second run does nothing.
pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<()> {
    let Some(install) = parse_install_flag(args, USAGE)? else {
        return Ok(());
    };
    let setup = Setup::inspect(workspace);
    print!("{setup}");
    setup.complete(install)
}

/// Installs what `cargo xtask rivals` measures.
pub fn install(workspace: &Workspace) -> Result<()> {
    run(workspace, &[])
}

/// Installs the npm packages alone, if they are missing.
pub fn install_node(workspace: &Workspace) -> Result<()> {
    let (kit, tools) = (node::kit(), folder(workspace));
    if kit.is_present(&tools) {
        return Ok(());
    }
    kit.install(&tools)
}

/// Whether `--no-install` is absent; `None` if the usage was printed, which is all that was asked for.
pub(crate) fn parse_install_flag(args: &[String], usage: &str) -> Result<Option<bool>> {
    match args {
        [] => Ok(Some(true)),
        [flag] if flag == "--no-install" => Ok(Some(false)),
        [flag] if flag == "--help" || flag == "-h" => {
            println!("{usage}");
            Ok(None)
        }
        _ => bail!("unknown arguments `{}`\n\n{usage}", args.join(" ")),
    }
}

/// The Python that has the SDK.
pub fn python(workspace: &Workspace) -> PathBuf {
    folder(workspace).join("py/bin/python")
}

/// The Node.js that came with the packages.
pub fn node(workspace: &Workspace) -> PathBuf {
    node::node(&folder(workspace).join("js"))
}

/// A command of one of the npm packages, run by their Node.js.
pub(crate) fn script(workspace: &Workspace, name: &str) -> Command {
    let js = folder(workspace).join("js");
    let mut command = Command::new(node(workspace));
    command.arg(js.join("node_modules/.bin").join(name));
    command
}

/// In the workspace's own target folder, wherever cargo builds: the tests look for it there.
pub fn folder(workspace: &Workspace) -> PathBuf {
    workspace.root.join("target/tools")
}
