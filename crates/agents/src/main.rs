//! Real agent command lines against a stub model: what the model reads of each kind of result.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it starts programs, reads files and prints a table: it ships to nobody"
)]

mod case;
mod client;
mod isolation;
mod launch;
mod measure;
mod options;
mod page;
mod reading;
mod reference;
mod serving;
mod stub;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use xtask::workspace::Workspace;
use xtask::{demo, tools};

use case::{Plan, Row};
use client::{Client, Column};
use measure::Bench;
use options::Options;
use table::{Cell, Table};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("clients: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<ExitCode> {
    let options = Options::parse(args)?;
    let workspace = Workspace::read()?;
    let mut clients = Client::read_all(&workspace.root)?;
    let mut plan = Plan::read(&workspace.root)?;
    options.select(&mut clients, &mut plan)?;
    if options.list {
        print_list(&clients, &plan.rows);
        return Ok(ExitCode::SUCCESS);
    }
    if !isolation::is_inside() {
        tools::install_node(&workspace)?;
        install(&workspace, &clients);
        let larkspur = demo::program(&workspace)?;
        if isolation::is_possible() {
            return isolation::run_inside(args, &larkspur);
        }
        eprintln!(
            "unshare and ip cannot make a network namespace here: clients can reach the network"
        );
    }
    let bench = Bench {
        root: workspace.root.clone(),
        larkspur: demo::program(&workspace)?,
        node: parent(&tools::node(&workspace))?,
        tools: tools::folder(&workspace),
        transport: options.transport,
    };
    let table = fill(&bench, &clients, &plan);
    println!("{}", table.markdown());
    if options.write {
        page::write(&workspace.root, &table.markdown())?;
    }
    Ok(report(&table.failures()))
}

fn print_list(clients: &[Client], rows: &[Row]) {
    for client in clients {
        for column in &client.columns {
            println!("client {:<15}{}, {}", column.name, client.package, column.model);
        }
    }
    for row in rows {
        println!("case {:<17}{}", row.case, row.title);
    }
}

/// Installs what is missing. A client that cannot be installed fails later, in the table.
fn install(workspace: &Workspace, clients: &[Client]) {
    let folder = tools::folder(workspace);
    for client in clients {
        let kit = client.kit();
        if kit.is_present(&folder) {
            continue;
        }
        eprintln!("installing {} into {}", client.package, kit.place());
        if let Err(error) = kit.install(&folder) {
            eprintln!("{error:#}");
        }
    }
}

fn parent(file: &Path) -> Result<PathBuf> {
    let folder = file.parent().context("Node.js is in no folder")?;
    Ok(folder.to_owned())
}

fn fill(bench: &Bench, clients: &[Client], plan: &Plan) -> Table {
    let mut table = Table::new(&plan.rows);
    for client in clients {
        for column in &client.columns {
            let cells = fill_column(bench, client, column, plan);
            table.push(client.version(), column, cells);
        }
    }
    table
}

/// Runs a client once for each server that its rows need.
fn fill_column(bench: &Bench, client: &Client, column: &Column, plan: &Plan) -> Vec<Option<Cell>> {
    if !bench.is_installed(client) {
        return vec![Some(Cell::not_installed(&client.package)); plan.rows.len()];
    }
    let mut cells = vec![None; plan.rows.len()];
    for (name, run) in &plan.runs {
        let rows = plan.rows.iter().enumerate();
        let (places, rows): (Vec<usize>, Vec<&Row>) =
            rows.filter(|(_, row)| &row.run == name && row.concerns(&column.name)).unzip();
        if rows.is_empty() {
            continue;
        }
        eprintln!("{}: {name} …", column.title);
        let measured = bench.measure(client, column, (name, run), &rows);
        let failed = |error: anyhow::Error| vec![Cell::failed(format!("{error:#}")); rows.len()];
        let measured = measured.unwrap_or_else(failed);
        for (place, cell) in places.into_iter().zip(measured) {
            cells[place] = Some(cell);
        }
    }
    cells
}

/// Prints all failures.
fn report(failures: &[String]) -> ExitCode {
    for failure in failures {
        eprintln!("fails: {failure}");
    }
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
