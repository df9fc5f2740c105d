//! Measures larkspur beside a minimal rmcp server, in one run, and prints the table.

mod bare;
mod call;
mod client;
mod compare;
mod contender;
mod corpus;
mod era;
mod figure;
mod machine;
mod modules;
mod net;
mod options;
mod patient;
mod rivals;
mod subjects;
mod table;
mod tokens;
mod usage;
mod web;

use anyhow::{Context, Result, bail, ensure};

use contender::Contenders;
use corpus::Corpus;
use options::Options;
use subjects::{Bench, Subject};
use table::Row;

use crate::command;
use crate::workspace::Workspace;

/// Runs the benches named by `args`, or all of them.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let options = Options::parse(args)?;
    if options.help {
        println!("{}", options::HELP);
        return Ok(());
    }
    let workspace = Workspace::read()?;
    if cfg!(debug_assertions) {
        return run_optimized(&workspace, "bench", args);
    }
    let bench = Bench {
        contenders: Contenders::build(&workspace)?,
        effort: options.effort,
        corpus: Corpus::beside(&workspace.root),
    };
    let rows = measure(&bench, &options.subjects);
    report(&workspace, &rows, &bench.contenders, &options)
}

/// Measures the same tool by other means, for the README.
pub(crate) fn run_rivals(args: &[String]) -> Result<()> {
    let write = match args {
        [] => false,
        [flag] if flag == "--write" => true,
        _ => bail!("rivals takes --write, and nothing else"),
    };
    let workspace = Workspace::read()?;
    if cfg!(debug_assertions) {
        return run_optimized(&workspace, "rivals", args);
    }
    rivals::run(&workspace, write)
}

/// A debug client is slower than the servers it measures, and they would be seen waiting for it.
fn run_optimized(workspace: &Workspace, command: &str, args: &[String]) -> Result<()> {
    let mut line = vec!["run", "--quiet", "--release", "-p", "xtask"];
    line.extend(["--features", "o200k", "--", command]);
    line.extend(args.iter().map(String::as_str));
    command::run(&workspace.root, "cargo", &line)
}

/// One subject that cannot be measured does not take the others with it.
fn measure(bench: &Bench, subjects: &[Subject]) -> Vec<Row> {
    let mut rows = Vec::new();
    for subject in subjects {
        eprintln!("measuring {subject} …");
        match subject.measure(bench) {
            Ok(measured) => rows.extend(measured),
            Err(error) => rows.push(Row::failed(subject.to_string(), &error)),
        }
    }
    rows
}

fn report(
    workspace: &Workspace,
    rows: &[Row],
    contenders: &Contenders,
    options: &Options,
) -> Result<()> {
    let page = format!(
        "# Bench\n\n{}\n\nUnder test: {}. `cargo xtask bench --help` says how to repeat it.\n\n{}",
        machine::describe(),
        contenders.larkspur.describe(),
        table::markdown(rows)
    );
    println!("{page}");
    if options.write {
        record(workspace, &page).context("cannot write bench/RESULTS.md")?;
    }
    let missed = rows.iter().filter(|row| row.verdict().is_bad()).count();
    ensure!(
        !options.check || missed == 0,
        "{missed} of {} rows miss their bar",
        rows.len()
    );
    Ok(())
}

fn record(workspace: &Workspace, page: &str) -> Result<()> {
    let folder = workspace.root.join("bench");
    std::fs::create_dir_all(&folder)?;
    Ok(std::fs::write(folder.join("RESULTS.md"), page)?)
}
