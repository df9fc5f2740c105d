//! What tests talk to and cargo does not bring. Foreign clients, under `target/tools`:
//! `py/bin/python` with `mcp`, and `js/node_modules` with the inspector, a client, the conformance
//! suite, TOON and JSON with comments, and a Node new enough for them. And `PostgreSQL`
//! and lcov, from the system.

mod lcov;
mod node;
mod postgres;
mod python;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::command;
use crate::workspace::Workspace;

/// Installs what is not there yet; a second run does nothing.
pub fn run(workspace: &Workspace) -> Result<()> {
    postgres::ensure_installed(&workspace.root)?;
    lcov::ensure_installed(&workspace.root)?;
    let tools = folder(workspace);
    ensure(&tools.join("py"), &[python::MCP], python::install)?;
    install_node(workspace)
}

/// What others wrote in JavaScript, alone.
pub(crate) fn install_node(workspace: &Workspace) -> Result<()> {
    let js = folder(workspace).join("js");
    ensure(&js, &node::PACKAGES, node::install)
}

pub use node::SERVER as TYPESCRIPT_SDK;
pub use python::MCP as PYTHON_SDK;

/// The Python that has the SDK.
pub fn python(workspace: &Workspace) -> PathBuf {
    folder(workspace).join("py/bin/python")
}

/// The Node that came with the packages.
pub fn node(workspace: &Workspace) -> PathBuf {
    node::node(&folder(workspace).join("js"))
}

/// A command of one of the packages, to be run by their own Node.
pub(crate) fn script(workspace: &Workspace, name: &str) -> Command {
    let js = folder(workspace).join("js");
    let mut command = Command::new(node(workspace));
    command.arg(js.join("node_modules/.bin").join(name));
    command
}

/// In the workspace's own target, wherever cargo builds: the tests look for it there.
pub fn folder(workspace: &Workspace) -> PathBuf {
    workspace.root.join("target/tools")
}

/// Installs into an empty `folder`, unless the stamp in it says that these versions are there.
/// The stamp is written last, so that an interrupted install is begun anew.
fn ensure(folder: &Path, packages: &[&str], install: fn(&Path) -> Result<()>) -> Result<()> {
    let (stamp, versions) = (folder.join("stamp"), packages.join("\n"));
    if fs::read_to_string(&stamp).is_ok_and(|found| found == versions) {
        return Ok(());
    }
    println!(
        "installing {} into {}",
        packages.join(" and "),
        folder.display()
    );
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    install(folder).with_context(|| format!("cannot install {}", packages.join(" and ")))?;
    Ok(fs::write(stamp, versions)?)
}

/// Where the system is Debian's kin, root can add to it; nobody is there to answer its questions.
pub(crate) fn apt(folder: &Path, packages: &[&str]) -> Result<()> {
    let apt = |args: &[&str]| {
        let quiet = ["DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet=2"];
        command::run(folder, "env", &[&quiet, args].concat())
    };
    apt(&["update"])?;
    apt(&[&["install", "--yes"], packages].concat())
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    /// An install that fails if anything is left of an earlier one.
    fn install(folder: &Path) -> Result<()> {
        Ok(fs::create_dir(folder.join("installed"))?)
    }

    fn refuse(_: &Path) -> Result<()> {
        bail!("no network")
    }

    #[test]
    fn a_stamp_spares_the_second_install_until_a_version_changes() {
        let folder = tempfile::tempdir().unwrap();
        let kit = folder.path().join("kit");
        ensure(&kit, &["a@1"], install).unwrap();
        ensure(&kit, &["a@1"], refuse).unwrap();
        ensure(&kit, &["a@2"], install).unwrap();
        assert_eq!(fs::read_to_string(kit.join("stamp")).unwrap(), "a@2");
    }

    #[test]
    fn a_failed_install_says_what_and_is_tried_again() {
        let folder = tempfile::tempdir().unwrap();
        let kit = folder.path().join("kit");
        let error = ensure(&kit, &["a@1", "b@2"], refuse).unwrap_err();
        assert_eq!(
            format!("{error:#}"),
            "cannot install a@1 and b@2: no network"
        );
        ensure(&kit, &["a@1", "b@2"], install).unwrap();
    }
}
