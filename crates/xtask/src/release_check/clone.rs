//! A clone in a folder without neighbours: the commands that README shows succeed in it.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use crate::command;
use crate::workspace::Workspace;

/// Start of the lines that are run.
const PROMPT: &str = "$ cargo ";

/// Variables that would lead cargo and its tasks out of the clone.
const UNSET: [&str; 4] = ["-u", "CARGO_TARGET_DIR", "-u", "LARKSPUR_BIN"];

pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let folder = std::env::temp_dir().join(format!("larkspur-clone-{}", std::process::id()));
    check_in(&folder, workspace)
}

/// The folder is removed after a success, and kept for inspection after a failure.
fn check_in(folder: &Path, workspace: &Workspace) -> Result<()> {
    let changed = command::output(&workspace.root, "git", &["status", "--porcelain"])?;
    if !changed.is_empty() {
        println!("note: changes that are not committed are not in the clone");
    }
    fs::create_dir(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let clone = folder.join("larkspur");
    clone_into(workspace, &clone)?;
    run_commands(&clone).with_context(|| format!("the clone is kept in {}", folder.display()))?;
    Ok(fs::remove_dir_all(folder)?)
}

fn clone_into(workspace: &Workspace, clone: &Path) -> Result<()> {
    let [from, to] = [&workspace.root, clone].map(|path| path.display().to_string());
    println!("-- git clone {from} {to}");
    command::run(".", "git", &["clone", "--quiet", &from, &to])
}

/// Runs every command, also after a failure.
fn run_commands(clone: &Path) -> Result<()> {
    let readme = fs::read_to_string(clone.join("README.md"))?;
    let commands = parse_commands(&readme);
    ensure!(!commands.is_empty(), "README.md shows no `{PROMPT}…`");
    let mut failures = Vec::new();
    for arguments in commands {
        println!("-- cargo {}", arguments.join(" "));
        let line = [&UNSET[..], &["cargo"], &arguments].concat();
        if let Err(error) = command::run(clone, "env", &line) {
            failures.push(format!("{error:#}"));
        }
    }
    if !failures.is_empty() {
        bail!("{}", failures.join("\n"));
    }
    Ok(())
}

/// Arguments of each cargo command that a document shows.
fn parse_commands(document: &str) -> Vec<Vec<&str>> {
    let lines = document.lines();
    lines
        .filter_map(|line| line.strip_prefix(PROMPT))
        .map(|arguments| arguments.split_whitespace().collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Result of the check for a repository with this README, and whether the clone is still there.
    fn check_readme(readme: &str) -> (Result<()>, bool) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("repository");
        fs::create_dir(&root).unwrap();
        fs::write(root.join("README.md"), readme).unwrap();
        let git = |args: &[&str]| {
            let identity = ["-c", "user.name=ada", "-c", "user.email=ada@example.org"];
            command::run(&root, "git", &[&identity, args].concat()).unwrap();
        };
        git(&["init", "--quiet"]);
        git(&["add", "README.md"]);
        git(&["commit", "--quiet", "--message=Begin"]);
        let workspace = Workspace { root: root.clone(), packages: Vec::new() };
        let clone = folder.path().join("clone");
        let checked = check_in(&clone, &workspace);
        (checked, clone.join("larkspur/README.md").exists())
    }

    #[test]
    fn clone_is_removed_after_a_success_and_kept_after_a_failure() {
        let (checked, is_kept) = check_readme("$ cargo --version\n");
        assert!(checked.is_ok() && !is_kept, "{checked:?}");
        let readme = "$ cargo no-such-command\n$ cargo --version\n$ cargo --no-such-option\n";
        let (checked, is_kept) = check_readme(readme);
        let error = format!("{:#}", checked.unwrap_err());
        for command in ["cargo no-such-command` failed", "cargo --no-such-option` failed"] {
            assert!(error.contains(command), "{error}");
        }
        assert!(is_kept);
    }

    #[test]
    fn readme_shows_two_cargo_commands() {
        let readme = fs::read_to_string(Workspace::read().unwrap().root.join("README.md")).unwrap();
        assert_eq!(parse_commands(&readme), [["xtask", "demo"], ["xtask", "test"]]);
    }
}
