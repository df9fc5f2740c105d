//! The whole check, in the order that fails soonest: what the README and CI run.

use anyhow::{Result, bail};

use crate::command::{self, answers, line};
use crate::workspace::Workspace;
use crate::{conformance, deny, tools};

const FORMAT: &[&str] = &["fmt", "--all", "--check"];
const CLIPPY: &[&str] = &[
    "clippy",
    "--workspace",
    "--all-targets",
    "--",
    "-D",
    "warnings",
];
const DOC_TESTS: &[&str] = &["test", "--workspace", "--doc"];
const NEXTEST: &[&str] = &["nextest", "run", "--workspace"];
const PLAIN_TESTS: &[&str] = &["test", "--workspace"];

struct Step {
    name: &'static str,
    action: Action,
}

enum Action {
    Cargo(&'static [&'static str]),
    Tools,
    Conformance,
    Deny,
}

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let nextest = answers("cargo", &["nextest", "--version"]);
    run_steps(workspace, &steps(nextest))
}

/// nextest is quicker but leaves the doc tests out; its count comes last, where one looks for it.
fn steps(nextest: bool) -> Vec<Step> {
    let cargo = |name, args| Step {
        name,
        action: Action::Cargo(args),
    };
    let tests = if nextest {
        vec![cargo("doc tests", DOC_TESTS), cargo("tests", NEXTEST)]
    } else {
        vec![cargo("tests", PLAIN_TESTS)]
    };
    let mut steps = vec![
        cargo("format", FORMAT),
        cargo("clippy", CLIPPY),
        Step {
            name: "tools",
            action: Action::Tools,
        },
    ];
    steps.extend(tests);
    steps.push(Step {
        name: "conformance",
        action: Action::Conformance,
    });
    steps.push(Step {
        name: "deny",
        action: Action::Deny,
    });
    steps
}

fn run_steps(workspace: &Workspace, steps: &[Step]) -> Result<()> {
    for Step { name, action } in steps {
        println!("== {name}");
        if let Err(error) = action.run(workspace) {
            bail!(
                "step `{name}` failed: {error:#}\nto run it alone: {}",
                action.alone()
            );
        }
    }
    Ok(())
}

impl Action {
    fn run(&self, workspace: &Workspace) -> Result<()> {
        match self {
            Action::Cargo(args) => command::run(&workspace.root, "cargo", args),
            Action::Tools => tools::run(workspace),
            Action::Conformance => conformance::run(workspace),
            Action::Deny => deny::run(workspace),
        }
    }

    fn alone(&self) -> String {
        match self {
            Action::Cargo(args) => line("cargo", args),
            Action::Tools => "cargo xtask tools".to_owned(),
            Action::Conformance => "cargo xtask conformance".to_owned(),
            Action::Deny => "cargo xtask deny".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_ends_the_run_and_says_how_to_repeat_it() {
        let step = |name, args| Step {
            name,
            action: Action::Cargo(args),
        };
        let steps = [
            step("sound", &["--version"]),
            step("broken", &["--no-such-option"]),
            step("later", &["--no-such-option"]),
        ];
        let error = run_steps(&Workspace::read().unwrap(), &steps)
            .unwrap_err()
            .to_string();
        let expected = "step `broken` failed: `cargo --no-such-option` failed: exit status: 1\n\
                        to run it alone: cargo --no-such-option";
        assert_eq!(error, expected);
    }

    #[test]
    fn doc_tests_run_with_either_runner() {
        let commands = |nextest| -> Vec<String> {
            steps(nextest)
                .iter()
                .map(|step| step.action.alone())
                .collect()
        };
        assert!(commands(true).contains(&"cargo test --workspace --doc".to_owned()));
        assert!(commands(false).contains(&"cargo test --workspace".to_owned()));
    }
}
