//! The command line: what was typed becomes a command, a command's outcome an exit code.

mod args;
mod commands;
mod compose;
mod terminal;

use args::{Cli, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    terminal::start_logging();
    match run(cli) {
        Ok(code) => code,
        Err(error) => {
            terminal::error(&format!("{error:#}"));
            ExitCode::from(1)
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let common = cli.common;
    if cli.test {
        return Ok(commands::test::run(&common, &args::Test::default()));
    }
    match cli.command {
        None => commands::serve::run(&common, &cli.serve),
        Some(Command::Serve(serve)) => commands::serve::run(&common, &serve),
        Some(Command::Dev) => Ok(commands::dev::run(&common)),
        Some(Command::List(list)) => commands::list::run(&common, &list),
        Some(Command::Call(call)) => commands::call::run(&common, &call),
        Some(Command::Check(check)) => commands::check::run(&common, &check),
        Some(Command::Test(test)) => Ok(commands::test::run(&common, &test)),
        Some(Command::New(new)) => commands::new::run(&common, &new),
        Some(Command::Status(status)) => commands::status::run(&common, &status),
        Some(Command::Completions { shell }) => Ok(commands::completions::run(shell)),
    }
}
