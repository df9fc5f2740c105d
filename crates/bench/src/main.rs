//! Measures larkspur beside a minimal rmcp server, in one run, and prints the table.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the bench reads files, starts programs and talks to a terminal: it ships to nobody"
)]

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

use xtask::workspace::Workspace;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    ensure!(
        !cfg!(debug_assertions),
        "a debug build measures itself: run `cargo xtask bench` or `cargo xtask rivals`"
    );
    match args.split_first() {
        Some((command, rest)) if command == "bench" => run(rest),
        Some((command, rest)) if command == "rivals" => run_rivals(rest),
        _ => bail!("run `cargo xtask bench` or `cargo xtask rivals`"),
    }
}

/// Runs the benches named by `args`, or all of them.
fn run(args: &[String]) -> Result<()> {
    let options = Options::parse(args)?;
    let workspace = Workspace::read()?;
    let corpus = Corpus::open(&workspace.root, options.corpus.as_deref())?;
    let bench = Bench {
        contenders: Contenders::build(&workspace)?,
        effort: options.effort,
        corpus,
    };
    let rows = measure(&bench, &options.subjects);
    report(&workspace, &rows, &bench.contenders, &options)
}

/// Measures the same tool by other means, for the README.
fn run_rivals(args: &[String]) -> Result<()> {
    let write = match args {
        [] => false,
        [flag] if flag == "--write" => true,
        _ => bail!("rivals takes --write, and nothing else"),
    };
    rivals::run(&Workspace::read()?, write)
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
