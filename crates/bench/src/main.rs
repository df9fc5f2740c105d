//! Measures larkspur beside a minimal rmcp server, in one run, and prints the table.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the bench reads files, starts programs and talks to a terminal: it ships to nobody"
)]

mod call;
mod callgrind;
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
mod public_sets;
mod results;
mod rivals;
mod stop;
mod subjects;
mod table;
mod tokens;
mod usage;

use anyhow::{Result, bail, ensure};

use contender::Contenders;
use corpus::Corpus;
use options::Options;
use results::Section;
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
        live_mcp: options.live_mcp,
        meta_tool: options.meta_tool,
        root: workspace.root.clone(),
    };
    let mut sections = Vec::new();
    let mut verdicts = Vec::new();
    for subject in &options.subjects {
        let rows = measure(&bench, *subject);
        verdicts.extend(rows.iter().map(Row::verdict));
        let section = Section::new(*subject, &bench.describe(), &table::markdown(&rows));
        println!("{}", section.page());
        sections.push(section);
    }
    if options.write {
        results::write(&workspace.root.join("bench/RESULTS.md"), sections)?;
    }
    let missed = verdicts.iter().filter(|verdict| verdict.is_bad()).count();
    ensure!(!options.check || missed == 0, "{missed} of {} rows miss their bar", verdicts.len());
    Ok(())
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

/// Rows of a subject; one that cannot be measured does not take the others with it.
fn measure(bench: &Bench, subject: Subject) -> Vec<Row> {
    eprintln!("measuring {subject} …");
    subject.measure(bench).unwrap_or_else(|error| vec![Row::failed(subject.to_string(), &error)])
}
