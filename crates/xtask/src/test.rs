//! The whole check, which README and CI run: set-up, then every step, then all failures.

use anyhow::Result;

use crate::command::{self, answers};
use crate::steps::{self, Step};
use crate::tools::{Setup, parse_install_flag};
use crate::workspace::Workspace;
use crate::{conformance, deny};

const USAGE: &str = "\
usage: cargo xtask test [--no-install]

Installs what the tests need and this machine lacks, then runs every step and lists all failures.

  --no-install  if something is missing, list it and run nothing";

const FORMAT: &[&str] = &["fmt", "--all", "--check"];
const CLIPPY: &[&str] = &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
const DOC_TESTS: &[&str] = &["test", "--workspace", "--doc", "--no-fail-fast"];
const NEXTEST: &[&str] =
    &["nextest", "run", "--workspace", "--no-fail-fast", "--run-ignored", "all"];
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

pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<()> {
    let Some(install) = parse_install_flag(args, USAGE)? else {
        return Ok(());
    };
    let setup = Setup::inspect(workspace);
    let steps = all(answers("cargo", &["nextest", "--version"]));
    print!("{setup}{}", steps::plan(&steps));
    setup.complete(install)?;
    steps::run(workspace, &steps)
}

/// The tests come last, so that their count is where one looks for it.
fn all(nextest: bool) -> [Step; 6] {
    let tests = if nextest { NEXTEST } else { PLAIN_TESTS };
    [
        Step::cargo("format", FORMAT),
        Step::cargo("clippy", CLIPPY),
        Step::function("deny", "cargo xtask deny", |workspace| deny::run(workspace, &[])),
        Step::cargo("doc tests", DOC_TESTS),
        Step::function("conformance", "cargo xtask conformance", check_conformance),
        Step::cargo("tests", tests),
    ]
}

fn check_conformance(workspace: &Workspace) -> Result<()> {
    let program = command::build(&workspace.root, BUILD, "larkspur")?;
    conformance::check(workspace, &program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_tests_and_doc_tests_run_with_either_runner() {
        let commands = |nextest| all(nextest).map(|step| step.command);
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
    fn unknown_arguments_are_refused_with_the_usage() {
        let workspace = Workspace::read().unwrap();
        for args in [&["--fast"][..], &["--no-install", "all"]] {
            let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
            let error = run(&workspace, &args).unwrap_err().to_string();
            assert_eq!(error, format!("unknown arguments `{}`\n\n{USAGE}", args.join(" ")));
        }
    }
}
