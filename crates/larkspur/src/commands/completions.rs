//! `larkspur completions`: for the shell.

use crate::args::Cli;
use clap::CommandFactory;
use clap_complete::Shell;
use std::process::ExitCode;

#[expect(clippy::unnecessary_wraps, reason = "every command has this form")]
pub(crate) fn run(shell: Shell) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "larkspur", &mut script);
    crate::terminal::say(String::from_utf8_lossy(&script).trim_end());
    Ok(ExitCode::SUCCESS)
}
