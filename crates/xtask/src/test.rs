//! The whole check, which README and CI run: set-up, then every step, then all failures.

use anyhow::{Result, bail};

use crate::command::{self, answers, line};
use crate::tools::{Setup, parse_install_flag};
use crate::workspace::Workspace;
use crate::{conformance, deny};

const USAGE: &str = "\
usage: cargo xtask test [--no-install]

Installs what the tests need and this machine lacks, then runs every step and lists all failures.

  --no-install  if something is missing, list it and run nothing";

const FORMAT: &[&str] = &["fmt", "--all", "--check"];
const CLIPPY: &[&str] = &[
    "clippy",
    "--workspace",
    "--all-targets",
    "--",
    "-D",
    "warnings",
];
const DOC_TESTS: &[&str] = &["test", "--workspace", "--doc", "--no-fail-fast"];
const NEXTEST: &[&str] = &[
    "nextest",
    "run",
    "--workspace",
    "--no-fail-fast",
    "--run-ignored",
    "all",
];
/// Without doc tests, of which `--include-ignored` would run those that are not meant to compile.
const PLAIN_TESTS: &[&str] = &[
    "test",
    "--workspace",
    "--lib",
    "--bins",
    "--tests",
    "--no-fail-fast",
    "--",
    "--include-ignored",
];
/// Compiles what the tests will run: the same features, so that nothing is compiled for this alone.
const BUILD: &[&str] = &["test", "--workspace", "--no-run"];

struct Step {
    name: &'static str,
    action: Action,
}

enum Action {
    Cargo(&'static [&'static str]),
    Conformance,
    Deny,
}

pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<()> {
    let Some(install) = parse_install_flag(args, USAGE)? else {
        return Ok(());
    };
    let setup = Setup::inspect(workspace);
    let steps = steps(answers("cargo", &["nextest", "--version"]));
    print!("{setup}{}", plan(&steps));
    setup.complete(install)?;
    run_steps(workspace, &steps)
}

/// The tests come last, so that their count is where one looks for it.
fn steps(nextest: bool) -> [Step; 6] {
    let step = |name, action| Step { name, action };
    let tests = if nextest { NEXTEST } else { PLAIN_TESTS };
    [
        step("format", Action::Cargo(FORMAT)),
        step("clippy", Action::Cargo(CLIPPY)),
        step("deny", Action::Deny),
        step("doc tests", Action::Cargo(DOC_TESTS)),
        step("conformance", Action::Conformance),
        step("tests", Action::Cargo(tests)),
    ]
}

fn plan(steps: &[Step]) -> String {
    let lines = steps
        .iter()
        .map(|step| format!("  {:<13}{}\n", step.name, step.action.command()));
    format!("steps:\n{}", lines.collect::<String>())
}

/// Runs every step, whatever became of those before it.
fn run_steps(workspace: &Workspace, steps: &[Step]) -> Result<()> {
    let mut failures = Vec::new();
    for Step { name, action } in steps {
        println!("== {name}");
        if let Err(error) = action.run(workspace) {
            println!("{error:#}");
            failures.push(format!("  {name}: {}", action.command()));
        }
    }
    if failures.is_empty() {
        return Ok(());
    }
    let (failed, all) = (failures.len(), steps.len());
    bail!(
        "{failed} of {all} steps failed; each can be run alone:\n{}",
        failures.join("\n")
    )
}

impl Action {
    fn run(&self, workspace: &Workspace) -> Result<()> {
        match self {
            Action::Cargo(args) => command::run(&workspace.root, "cargo", args),
            Action::Conformance => {
                let program = command::build(&workspace.root, BUILD, "larkspur")?;
                conformance::check(workspace, &program)
            }
            Action::Deny => deny::run(workspace, &[]),
        }
    }

    /// The command that runs it alone.
    fn command(&self) -> String {
        match self {
            Action::Cargo(args) => line("cargo", args),
            Action::Conformance => "cargo xtask conformance".to_owned(),
            Action::Deny => "cargo xtask deny".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(name: &'static str, args: &'static [&'static str]) -> Step {
        Step {
            name,
            action: Action::Cargo(args),
        }
    }

    #[test]
    fn every_step_runs_and_every_failure_is_listed() {
        let steps = [
            step("broken", &["--no-such-option"]),
            step("sound", &["--version"]),
            step("later", &["no-such-command"]),
        ];
        let error = run_steps(&Workspace::read().unwrap(), &steps).unwrap_err();
        let expected = "2 of 3 steps failed; each can be run alone:\n  \
                        broken: cargo --no-such-option\n  \
                        later: cargo no-such-command";
        assert_eq!(error.to_string(), expected);
        run_steps(&Workspace::read().unwrap(), &steps[1..2]).unwrap();
    }

    #[test]
    fn marked_tests_and_doc_tests_run_with_either_runner() {
        let commands = |nextest| steps(nextest).map(|step| step.action.command());
        let doc_tests = "cargo test --workspace --doc --no-fail-fast";
        let nextest = "cargo nextest run --workspace --no-fail-fast --run-ignored all";
        let plain =
            "cargo test --workspace --lib --bins --tests --no-fail-fast -- --include-ignored";
        for (runner, tests) in [(true, nextest), (false, plain)] {
            let commands = commands(runner);
            assert_eq!(commands[3], doc_tests);
            assert_eq!(commands[5], tests);
        }
    }

    #[test]
    fn the_plan_shows_each_step_with_its_command() {
        let steps = [step("format", FORMAT), step("sound", &["--version"])];
        let expected =
            "steps:\n  format       cargo fmt --all --check\n  sound        cargo --version\n";
        assert_eq!(plan(&steps), expected);
    }

    #[test]
    fn unknown_arguments_are_refused_with_the_usage() {
        let workspace = Workspace::read().unwrap();
        for args in [&["--fast"][..], &["--no-install", "all"]] {
            let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
            let error = run(&workspace, &args).unwrap_err().to_string();
            assert_eq!(
                error,
                format!("unknown arguments `{}`\n\n{USAGE}", args.join(" "))
            );
        }
    }
}
