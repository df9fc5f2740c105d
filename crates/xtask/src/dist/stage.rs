//! What lies in the archive.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use anyhow::{Context, Result};

use crate::command;
use crate::workspace::Workspace;

const PAPERS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];
const FOLDERS: [&str; 2] = ["modules", "examples"];

/// By the names under which the shells look for them.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "larkspur.bash"),
    ("zsh", "_larkspur"),
    ("fish", "larkspur.fish"),
    ("elvish", "larkspur.elv"),
    ("powershell", "_larkspur.ps1"),
];

/// Fills a folder that is new each time.
pub(super) fn fill(workspace: &Workspace, program: &Path, folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let completions = folder.join("completions");
    fs::create_dir_all(&completions)?;
    let binary = folder.join("larkspur");
    fs::copy(program, &binary).with_context(|| format!("cannot copy {}", program.display()))?;
    for (shell, file) in COMPLETIONS {
        let script = command::output(folder, &binary, &["completions", shell])?;
        fs::write(completions.join(file), script)?;
    }
    command::run(folder, &binary, &["doc", "--man", "man/man1"])?;
    for paper in PAPERS {
        fs::copy(workspace.root.join(paper), folder.join(paper))
            .with_context(|| format!("cannot copy {paper}"))?;
    }
    for name in FOLDERS {
        copy(&workspace.root.join(name), &folder.join(name))?;
    }
    Ok(())
}

/// A folder and all in it but what is hidden: a server that ran there keeps secrets in `.larkspur`.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    let entries = fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_string_lossy().starts_with('.') {
            continue;
        }
        let (kind, path, to) = (entry.file_type()?, entry.path(), to.join(name));
        if kind.is_symlink() {
            symlink(fs::read_link(path)?, to)?;
        } else if kind.is_dir() {
            copy(&path, &to)?;
        } else {
            fs::copy(path, to)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_stays_at_home_and_links_stay_links() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::create_dir_all(from.join("notes/.larkspur")).unwrap();
        fs::write(from.join("notes/main.star"), "x").unwrap();
        fs::write(from.join("notes/.larkspur/vault"), "secret").unwrap();
        symlink(".", from.join("notes/here")).unwrap();
        copy(&from, &to).unwrap();
        assert!(to.join("notes/main.star").exists());
        assert!(!to.join("notes/.larkspur").exists());
        assert_eq!(fs::read_link(to.join("notes/here")).unwrap(), Path::new("."));
    }
}
