//! The two servers: where their binaries come from.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;

use xtask::command::{self, line};
use xtask::workspace::Workspace;

pub(super) struct Contender {
    pub(super) program: PathBuf,
    /// What it is given before all else: the script of an interpreter.
    pub(super) script: Vec<OsString>,
    chosen: bool,
}

pub(super) struct Contenders {
    pub(super) larkspur: Contender,
    pub(super) minimal: Contender,
}

impl Contenders {
    /// Two builds, not one: in a common build our dependencies' features, such as
    /// `serde_json`'s `arbitrary_precision`, would be switched on in the minimal server too.
    pub(super) fn build(workspace: &Workspace) -> Result<Self> {
        let larkspur = match std::env::var_os("LARKSPUR_BIN") {
            Some(program) => Contender {
                chosen: true,
                ..Contender::with(program, Vec::new())
            },
            None => build(workspace, &["-p", "larkspur", "--bin", "larkspur"])?,
        };
        let minimal = build(workspace, &["-p", "minimal"])?;
        Ok(Self { larkspur, minimal })
    }
}

impl Contender {
    pub(super) fn with(program: impl Into<PathBuf>, script: Vec<OsString>) -> Self {
        Self {
            program: program.into(),
            script,
            chosen: false,
        }
    }

    pub(super) fn describe(&self) -> String {
        if self.chosen {
            return format!("`{}` (LARKSPUR_BIN)", self.program.display());
        }
        "larkspur, release build".to_owned()
    }
}

/// Cargo itself says where it put the binary, whatever the target folder is.
fn build(workspace: &Workspace, what: &[&str]) -> Result<Contender> {
    let args = [
        &[
            "build",
            "--release",
            "--message-format=json-render-diagnostics",
        ],
        what,
    ]
    .concat();
    let messages = String::from_utf8(command::output(&workspace.root, "cargo", &args)?)?;
    let program = executable(&messages)
        .with_context(|| format!("`{}` built no program", line("cargo", &args)))?;
    Ok(Contender::with(program, Vec::new()))
}

fn executable(messages: &str) -> Option<PathBuf> {
    let messages = messages
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    messages
        .filter_map(|message: Value| message["executable"].as_str().map(PathBuf::from))
        .next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_tells_where_the_binary_is() {
        let messages = concat!(
            "{\"reason\":\"compiler-artifact\",\"executable\":null}\n",
            "{\"reason\":\"compiler-artifact\",\"executable\":\"/t/release/minimal\"}\n",
            "{\"reason\":\"build-finished\",\"success\":true}\n",
        );
        assert_eq!(executable(messages), Some("/t/release/minimal".into()));
        assert_eq!(executable(""), None);
    }
}
