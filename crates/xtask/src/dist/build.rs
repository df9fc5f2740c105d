//! The binary that is shipped: for Linux one that needs nothing of the system it comes to.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command::{self, answers};
use crate::tools::Apt;
use crate::workspace::Workspace;

/// What one builds for here: musl on Linux, elsewhere what the system is.
pub(super) fn usual_target() -> Result<String> {
    let about = String::from_utf8(command::output(".", "rustc", &["-vV"])?)?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.context("rustc -vV names no host")?;
    Ok(host.replace("-linux-gnu", "-linux-musl"))
}

pub(super) fn binary(workspace: &Workspace, target: &str) -> Result<PathBuf> {
    prepare(target)?;
    println!("building larkspur for {target}: many minutes the first time");
    let args = ["build", "--release", "--locked", "--package=larkspur", "--target", target];
    command::build(&workspace.root, &args, "larkspur")
}

/// The standard library for the target, and a compiler for the C in some of our libraries.
fn prepare(target: &str) -> Result<()> {
    if answers("rustup", &["--version"]) {
        let installed = command::output(".", "rustup", &["target", "list", "--installed"])?;
        let installed = String::from_utf8(installed)?;
        if !installed.lines().any(|line| line == target) {
            command::run(".", "rustup", &["target", "add", target])?;
        }
    }
    if target.ends_with("-linux-musl") && !answers("musl-gcc", &["--version"]) {
        println!("no musl-gcc: trying apt-get install musl-tools");
        Apt::find()
            .context("apt-get cannot be used here")
            .and_then(|apt| apt.install(&["musl-tools"]))
            .context("there is no musl-gcc: install your system's musl-tools")?;
    }
    Ok(())
}

/// What the binary needs of the system, as `ldd` says it. A binary for musl that needs anything is none to ship.
pub(super) fn linked(program: &Path, target: &str) -> Result<&'static str> {
    if !target.ends_with("-linux-musl") {
        return Ok("linked to the system's libraries");
    }
    let said = Command::new("ldd")
        .arg(program)
        .output()
        .context("cannot ask ldd what the binary needs")?;
    let said = [said.stdout, said.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    if !is_static(&said) {
        bail!("the binary is not static; ldd says: {}", said.trim());
    }
    Ok("static (ldd)")
}

/// In the words of two C libraries.
fn is_static(said: &str) -> bool {
    ["statically linked", "not a dynamic executable", "Not a valid dynamic program"]
        .iter()
        .any(|words| said.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_a_library_is_not_static() {
        assert!(is_static("\tstatically linked\n"));
        assert!(is_static("\tnot a dynamic executable\n"));
        let needs = "\tlinux-vdso.so.1 (0x1)\n\tlibc.so.6 => /lib/libc.so.6 (0x2)\n";
        assert!(!is_static(needs));
        assert!(!is_static(""));
    }
}
