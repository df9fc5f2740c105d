//! `cargo xtask release-check`: what is too slow or too large for `cargo xtask test`.

mod book;
mod clone;

use anyhow::{Context, Result, bail};

use crate::steps::{self, Step};
use crate::workspace::Workspace;

const USAGE: &str = "\
usage: cargo xtask release-check [--only STEP]... [--list]

Runs every step, continues after a failure, and lists all failures at the end.

  --only STEP  run one step (repeatable)
  --list       print the steps and run nothing";

const INSTRUCTIONS: &[&str] = &["xtask", "bench", "--only", "instructions", "--check"];

/// Options of the command line.
#[derive(Debug, Default, PartialEq)]
struct ReleaseCheckOptions {
    only: Vec<String>,
    list: bool,
    help: bool,
}

pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<()> {
    let options = ReleaseCheckOptions::parse(args)?;
    if options.help {
        println!("{USAGE}");
        return Ok(());
    }
    let steps = select(all(), &options.only)?;
    print!("{}", steps::plan(&steps));
    if options.list {
        return Ok(());
    }
    steps::run(workspace, &steps)
}

/// Every step, the quickest first.
fn all() -> Vec<Step> {
    let alone = |name| format!("cargo xtask release-check --only {name}");
    vec![
        Step::function("mdbook", alone("mdbook"), book::check),
        Step::cargo("instructions", INSTRUCTIONS),
        Step::function("clone", alone("clone"), clone::check),
        Step::cargo("clients", &["xtask", "clients"]),
    ]
}

fn select(steps: Vec<Step>, only: &[String]) -> Result<Vec<Step>> {
    let names: Vec<&str> = steps.iter().map(|step| step.name).collect();
    if let Some(unknown) = only.iter().find(|name| !names.contains(&name.as_str())) {
        bail!("no step `{unknown}`: there are {}", names.join(", "));
    }
    let is_wanted = |step: &Step| only.is_empty() || only.iter().any(|name| name == step.name);
    Ok(steps.into_iter().filter(is_wanted).collect())
}

impl ReleaseCheckOptions {
    fn parse(args: &[String]) -> Result<Self> {
        let mut options = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--only" => {
                    let name = args.next().context("`--only` needs the name of a step")?;
                    options.only.push(name.clone());
                }
                "--list" => options.list = true,
                "-h" | "--help" => options.help = true,
                _ => bail!("unknown argument `{arg}`\n\n{USAGE}"),
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(only: &[&str]) -> Result<Vec<&'static str>> {
        let only: Vec<String> = only.iter().map(|&name| name.to_owned()).collect();
        let steps = select(all(), &only)?;
        Ok(steps.iter().map(|step| step.name).collect())
    }

    #[test]
    fn steps_are_selected_by_name() {
        assert_eq!(names(&[]).unwrap(), ["mdbook", "instructions", "clone", "clients"]);
        assert_eq!(names(&["clone", "mdbook"]).unwrap(), ["mdbook", "clone"]);
        let error = names(&["disk"]).unwrap_err().to_string();
        assert_eq!(error, "no step `disk`: there are mdbook, instructions, clone, clients");
    }

    #[test]
    fn wrong_arguments_are_rejected() {
        let parse = |line: &str| {
            let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            ReleaseCheckOptions::parse(&args)
        };
        let options = parse("--list --only clone").unwrap();
        assert_eq!((options.list, options.only), (true, vec!["clone".to_owned()]));
        let error = parse("--only").unwrap_err().to_string();
        assert_eq!(error, "`--only` needs the name of a step");
        let error = parse("clone").unwrap_err().to_string();
        assert_eq!(error, format!("unknown argument `clone`\n\n{USAGE}"));
    }
}
