//! The workshop: every chore of this repository, as `cargo xtask <command>`.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the workshop reads files, starts programs and talks to a terminal: it ships to nobody"
)]

mod bans;
pub mod command;
mod conformance;
pub mod demo;
mod deny;
mod dist;
#[cfg(test)]
mod features;
mod layers;
mod lines;
pub mod module_tokens;
mod registry;
mod release_check;
mod steps;
mod test;
mod tidy;
pub mod tools;
pub mod workspace;

use std::process::ExitCode;

use anyhow::{Result, bail};
use workspace::Workspace;

const HELP: &str = "\
cargo xtask <command>

  demo           build the binary, serve a first module, call it, edit it, call it again
  registry-demo  a batch across Notion, GitHub and Jira, which stand-ins play
  test           the whole check: set-up, format, clippy, bans and licences, conformance, tests;
                 --no-install lists what is missing instead of installing it
  release-check  what takes too long for `test`: instructions per call, the book, a clone by itself, real agents
  conformance    the protocol's own suite, both eras, against tests/conformance
  layers         which crate may use which
  tidy           names, file openings, the code map, paths out of the repository, pins
  deny           bans, licences and sources, by cargo-deny; --advisories checks security advisories
  lines          lines of source and of tests in each crate; REVISION adds what has changed since
  tools          the set-up of `test` alone: system programs, packages into target/tools
  module-tokens  what answers of the modules cost, into their READMEs; --check compares
  dist           an archive to install from, with a static binary where the system is Linux
  bench          measure the product beside a minimal server
  clients        what models read of results in real agents, which a stub model drives
  rivals         measure the same tool written with each SDK; --write renews README's table
  help           this list";

/// Printed from here, because the crate `bench` takes minutes to compile.
const BENCH_HELP: &str = include_str!("../../bench/src/help.txt");

/// Likewise.
const CLIENTS_HELP: &str = include_str!("../../agents/src/help.txt");

/// Runs the command that the arguments name.
pub fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(args: &[String]) -> Result<()> {
    let Some((command, rest)) = args.split_first() else {
        bail!("no command given\n\n{HELP}");
    };
    match command.as_str() {
        "demo" => demo::run(&Workspace::read()?),
        "dist" => dist::run(&Workspace::read()?, rest),
        "registry-demo" => registry::run(&Workspace::read()?, rest),
        "test" => test::run(&Workspace::read()?, rest),
        "release-check" => release_check::run(&Workspace::read()?, rest),
        "conformance" => conformance::run(&Workspace::read()?),
        "layers" => report(&layers::problems(&Workspace::read()?)?),
        "tidy" => report(&tidy::problems(&Workspace::read()?)?),
        "lines" => lines::print(&Workspace::read()?, rest),
        "deny" => deny::run(&Workspace::read()?, rest),
        "tools" => tools::run(&Workspace::read()?, rest),
        "module-tokens" => module_tokens::run(&Workspace::read()?, rest),
        "bench" if rest.iter().any(|arg| arg == "--help" || arg == "-h") => {
            print!("{BENCH_HELP}");
            Ok(())
        }
        "bench" | "rivals" => run_bench(args),
        "clients" if rest.iter().any(|arg| arg == "--help" || arg == "-h") => {
            print!("{CLIENTS_HELP}");
            Ok(())
        }
        "clients" => run_clients(rest),
        "help" | "--help" | "-h" => {
            println!("{HELP}");
            Ok(())
        }
        unknown => bail!("no command `{unknown}`\n\n{HELP}"),
    }
}

/// Runs a command of the crate `bench` in the same folder, optimized: a debug client is slower than the
/// servers it measures.
fn run_bench(args: &[String]) -> Result<()> {
    let mut line = vec!["run", "--release", "-p", "bench", "--features", "o200k", "--"];
    line.extend(args.iter().map(String::as_str));
    command::run(".", "cargo", &line)
}

/// Runs the crate `agents` in the same folder.
fn run_clients(args: &[String]) -> Result<()> {
    let mut line = vec!["run", "--quiet", "-p", "agents", "--"];
    line.extend(args.iter().map(String::as_str));
    command::run(".", "cargo", &line)
}

fn report(problems: &[String]) -> Result<()> {
    if problems.is_empty() {
        return Ok(());
    }
    bail!("{}", problems.join("\n"))
}
