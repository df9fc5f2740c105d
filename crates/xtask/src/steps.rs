//! Runs named steps one after the other, and lists all failures at the end.

use anyhow::{Result, bail};

use crate::command::{self, line};
use crate::workspace::Workspace;

pub(crate) struct Step {
    pub(crate) name: &'static str,
    /// Command that runs the step alone.
    pub(crate) command: String,
    action: Action,
}

enum Action {
    Cargo(&'static [&'static str]),
    Function(fn(&Workspace) -> Result<()>),
}

impl Step {
    pub(crate) fn cargo(name: &'static str, args: &'static [&'static str]) -> Self {
        Self { name, command: line("cargo", args), action: Action::Cargo(args) }
    }

    pub(crate) fn function(
        name: &'static str,
        command: impl Into<String>,
        function: fn(&Workspace) -> Result<()>,
    ) -> Self {
        Self { name, command: command.into(), action: Action::Function(function) }
    }

    fn run(&self, workspace: &Workspace) -> Result<()> {
        match self.action {
            Action::Cargo(args) => command::run(&workspace.root, "cargo", args),
            Action::Function(function) => function(workspace),
        }
    }
}

/// Steps with the commands that run them, a line each.
pub(crate) fn plan(steps: &[Step]) -> String {
    let lines = steps.iter().map(|step| format!("  {:<13}{}\n", step.name, step.command));
    format!("steps:\n{}", lines.collect::<String>())
}

/// Runs every step, whatever became of those before it.
pub(crate) fn run(workspace: &Workspace, steps: &[Step]) -> Result<()> {
    let mut failures = Vec::new();
    for step in steps {
        println!("== {}", step.name);
        if let Err(error) = step.run(workspace) {
            println!("{error:#}");
            failures.push(format!("  {}: {}", step.name, step.command));
        }
    }
    if failures.is_empty() {
        return Ok(());
    }
    let (failed, all) = (failures.len(), steps.len());
    bail!("{failed} of {all} steps failed; each can be run alone:\n{}", failures.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_runs_and_every_failure_is_listed() {
        let steps = [
            Step::cargo("broken", &["--no-such-option"]),
            Step::cargo("sound", &["--version"]),
            Step::function("later", "cargo xtask later", |_| bail!("it is late")),
        ];
        let workspace = Workspace::read().unwrap();
        let error = run(&workspace, &steps).unwrap_err();
        let expected = "2 of 3 steps failed; each can be run alone:\n  \
                        broken: cargo --no-such-option\n  \
                        later: cargo xtask later";
        assert_eq!(error.to_string(), expected);
        run(&workspace, &steps[1..2]).unwrap();
    }

    #[test]
    fn the_plan_shows_each_step_with_its_command() {
        let steps =
            [Step::cargo("format", &["fmt", "--check"]), Step::cargo("sound", &["--version"])];
        let expected = "steps:\n  format       cargo fmt --check\n  sound        cargo --version\n";
        assert_eq!(plan(&steps), expected);
    }
}
