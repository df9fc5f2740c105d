//! `larkspur completions`: for the shell.

use crate::args::Cli;
use clap::CommandFactory;
use clap_complete::Shell;
use std::process::ExitCode;

pub(crate) fn run(shell: Shell) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "larkspur", &mut script);
    crate::terminal::say(String::from_utf8_lossy(&script).trim_end());
    ExitCode::SUCCESS
}
