//! `larkspur new`: a module that works, and a test that passes.
#![expect(
    clippy::disallowed_methods,
    reason = "this command writes the author's files"
)]

use crate::args::{Global, New};
use crate::compose;
use crate::terminal::{GOOD, error, say, styled};
use anyhow::Context;
use model::ModuleName;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const MODULE: &str = r#""""NAME: say what this module is for."""

Style = one_of("plain", "loud")

def hello(name: str, style: Style = "plain") -> str:
    """Greet somebody by name.

    Args:
        name: Who to greet.
        style: How to say it.
    """
    greeting = "Hello, " + name + "!"
    return greeting.upper() if style == "loud" else greeting

tool(hello, read_only = True, examples = [{"name": "Ada"}])
"#;

const TEST: &str = r#"load("NAME.star", "hello")

def test_it_greets():
    testing.eq(hello("Ada"), "Hello, Ada!")

def test_it_can_shout():
    testing.eq(hello("Ada", style = "loud"), "HELLO, ADA!")
"#;

pub(crate) fn run(global: &Global, new: &New) -> anyhow::Result<ExitCode> {
    let name: ModuleName = match new.name.parse() {
        Ok(name) => name,
        Err(why) => {
            error(&format!("{why}"));
            return Ok(ExitCode::from(2));
        }
    };
    let folder = compose::folders(global)
        .into_iter()
        .next()
        .unwrap_or_else(|| PathBuf::from("modules"));
    let files = [
        (format!("{name}.star"), MODULE),
        (format!("{name}_test.star"), TEST),
    ];
    if let Some((taken, _)) = files.iter().find(|(file, _)| folder.join(file).exists()) {
        error(&format!(
            "{} is already there; nothing was written",
            folder.join(taken).display()
        ));
        return Ok(ExitCode::from(1));
    }
    fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    for (file, text) in &files {
        write(&folder.join(file), &text.replace("NAME", name.as_str()))?;
    }
    let next = [
        (
            format!("larkspur call {name}.hello name=Ada"),
            "call its tool",
        ),
        ("larkspur test".to_owned(), "2 tests, offline"),
        ("larkspur dev".to_owned(), "watch while you write"),
    ];
    say("\nNext");
    for (command, what) in next {
        say(&format!("  {command:<40} {what}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    say(&format!("{} {}", styled(GOOD, "created"), path.display()));
    Ok(())
}
