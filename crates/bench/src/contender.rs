//! The two servers: where their binaries come from.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;

use xtask::command;
use xtask::workspace::Workspace;

pub(super) struct Contender {
    pub(super) program: PathBuf,
    /// What it is given before all else: the script of an interpreter.
    pub(super) script: Vec<OsString>,
    /// Variables of its environment besides those of the bench.
    pub(super) environment: Vec<(&'static str, OsString)>,
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
            Some(program) => Contender { chosen: true, ..Contender::with(program, Vec::new()) },
            None => build(workspace, "larkspur")?,
        };
        let minimal = build(workspace, "minimal")?;
        Ok(Self { larkspur, minimal })
    }
}

impl Contender {
    pub(super) fn with(program: impl Into<PathBuf>, script: Vec<OsString>) -> Self {
        Self { program: program.into(), script, environment: Vec::new(), chosen: false }
    }

    pub(super) fn describe(&self) -> String {
        if self.chosen {
            return format!("`{}` (LARKSPUR_BIN)", self.program.display());
        }
        "larkspur, release build".to_owned()
    }
}

fn build(workspace: &Workspace, name: &str) -> Result<Contender> {
    let program = command::build(&workspace.root, &["build", "--release", "-p", name], name)?;
    Ok(Contender::with(program, Vec::new()))
}
