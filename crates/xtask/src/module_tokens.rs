//! What answers of the shipped modules cost, kept in their READMEs: each table stands below the command
//! that makes it.

use crate::command::{self, output};
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::PathBuf;

const OPEN: &str = "<!-- tokens: ";
const CLOSE: &str = "<!-- end -->";

pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<()> {
    let check = match args {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => bail!("module-tokens takes --check, and nothing else"),
    };
    // Tokens are counted by a vocabulary that only this feature brings.
    let build = ["build", "-q", "-p", "larkspur", "--features", "o200k"];
    command::run(&workspace.root, "cargo", &build)?;
    let mut stale = Vec::new();
    for readme in readmes(workspace)? {
        let text = fs::read_to_string(&readme)?;
        let fresh = filled(&text, OPEN, |command| made(workspace, command))
            .with_context(|| readme.display().to_string())?;
        if fresh == text {
            continue;
        }
        if check {
            stale.push(readme.display().to_string());
        } else {
            fs::write(&readme, fresh)?;
            println!("{}: written", readme.display());
        }
    }
    if !stale.is_empty() {
        bail!("stale, `cargo xtask module-tokens` renews them: {}", stale.join(", "));
    }
    Ok(())
}

fn readmes(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(workspace.root.join("modules"))? {
        let readme = entry?.path().join("README.md");
        if readme.is_file() {
            found.push(readme);
        }
    }
    found.sort();
    Ok(found)
}

fn made(workspace: &Workspace, command: &str) -> Result<String> {
    let mut words = command.split_whitespace();
    if words.next() != Some("larkspur") {
        bail!("`{command}` is no command of larkspur");
    }
    let args: Vec<&str> = words.collect();
    let program = workspace.root.join("target/debug/larkspur");
    let table = output(&workspace.root, program, &args)?;
    Ok(String::from_utf8(table)?.trim_end().to_owned())
}

/// The text with every table made anew that stands below such a comment.
pub fn filled(
    text: &str,
    open: &str,
    mut make: impl FnMut(&str) -> Result<String>,
) -> Result<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(open) {
        let parts = after.split_once(" -->");
        let (command, after) = parts.context("the comment of a table does not end")?;
        let (_, after) = after.split_once(CLOSE).context("a table does not end")?;
        let table = make(command)?;
        out.extend([before, open, command, " -->\n\n", &table, "\n\n", CLOSE]);
        rest = after;
    }
    Ok(out + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_renewed_between_its_marks() {
        let table = |command: &str| Ok(format!("| {command} |"));
        let text = "a\n<!-- tokens: x y -->\nold\n<!-- end -->\nb\n";
        let once = filled(text, OPEN, table).unwrap();
        assert_eq!(once, "a\n<!-- tokens: x y -->\n\n| x y |\n\n<!-- end -->\nb\n");
        assert_eq!(filled(&once, OPEN, table).unwrap(), once);
        assert!(filled("<!-- tokens: x -->\n", OPEN, table).is_err());
    }
}
