//! The command line: what was typed becomes a command, a command's outcome an exit code.

mod args;
mod chosen;
mod commands;
mod compose;
mod data_folder;
mod doctor;
mod doors;
mod entry;
mod exit;
mod file_to_folder;
mod given;
mod hidden;
mod keys;
mod live;
mod log;
mod login;
mod picture;
mod reference;
mod scaffold;
mod terminal;
mod upgrade;
mod variables;

use args::{Cli, Command};
use clap::Parser;
use server::control::Request;
use std::process::ExitCode;

fn main() -> ExitCode {
    if sandbox::is_launcher() {
        return launch_commands();
    }
    sandbox::return_large_blocks();
    let cli = Cli::parse();
    log::start(cli.global.log_format);
    terminal::short_panics();
    match run(cli) {
        Ok(code) if code == ExitCode::SUCCESS && !terminal::is_all_written() => {
            ExitCode::from(exit::FAILED)
        }
        Ok(code) => code,
        Err(error) => {
            terminal::error(&format!("{error:#}"));
            ExitCode::from(if error.is::<compose::BadProject>() {
                exit::BAD_PROJECT
            } else if error.is::<exit::WrongUsage>() {
                exit::USAGE
            } else {
                exit::FAILED
            })
        }
    }
}

/// This program runs once more to start the commands of scripts.
fn launch_commands() -> ExitCode {
    sandbox::run_launcher().unwrap_or_else(|| {
        terminal::error("`larkspur supervise` is started by the server, to start commands");
        ExitCode::from(exit::USAGE)
    })
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let global = cli.global;
    if cli.test {
        return commands::test::run(&global, &args::Test::default());
    }
    match cli.command {
        None => commands::serve::run(&global, &cli.serve),
        Some(Command::Serve(serve)) => commands::serve::run(&global, &serve),
        Some(Command::Dev(dev)) => commands::dev::run(&global, &dev),
        Some(Command::List(list)) => commands::list::run(&global, &list),
        Some(Command::Call(call)) => commands::call::run(&global, &call),
        Some(Command::Batch(batch)) => commands::batch::run(&global, &batch),
        Some(Command::Read(read)) => commands::read::run(&global, &read),
        Some(Command::Prompt(prompt)) => commands::prompt::run(&global, &prompt),
        Some(Command::Check(check)) => commands::check::run(&global, &check),
        Some(Command::Explain(explain)) => commands::check::explain(explain.code.as_deref()),
        Some(Command::Test(test)) => commands::test::run(&global, &test),
        Some(Command::New(new)) => commands::new::run(&global, &new),
        Some(Command::Readme(readme)) => commands::readme::run(&global, &readme),
        Some(Command::Doc(doc)) => commands::doc::run(&global, doc),
        Some(Command::Config(args::Config::Show(show))) => commands::config::run(&global, &show),
        Some(Command::Perm(perm)) => commands::perm::run(&global, &perm),
        Some(Command::Graph(graph)) => commands::graph::run(&global, &graph),
        Some(Command::Status(status)) => commands::status::run(&global, &status),
        Some(Command::Audit(audit)) => commands::audit::run(&global, &audit),
        Some(Command::Reload(named)) => commands::order::run(&global, Request::Reload, &named),
        Some(Command::Start(named)) => commands::order::run(&global, Request::Start, &named),
        Some(Command::Stop(named)) => commands::order::run(&global, Request::Stop, &named),
        Some(Command::Install(install)) => commands::install::run(&global, &install),
        Some(Command::Uninstall(uninstall)) => commands::uninstall::run(&global, &uninstall),
        Some(Command::Doctor(doctor)) => commands::doctor::run(&global, &doctor),
        Some(Command::Secret(secret)) => commands::secret::run(&global, &secret),
        Some(Command::Lsp) => commands::lsp::run(&global),
        Some(Command::Completions { shell }) => Ok(commands::completions::run(shell)),
    }
}
