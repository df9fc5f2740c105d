//! From the start of the process to its first answers.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use serde_json::json;

use super::Bench;
use crate::client::Client;
use crate::compare::{least, median};
use crate::contender::Contender;
use crate::era::Era;
use crate::figure::{Amount, Figure, Unit};
use crate::modules::Modules;
use crate::table::Row;

const SIZES: [(usize, Option<Amount>); 3] =
    [(1, None), (50, Some(Amount(15.0, Unit::Millis))), (500, Some(Amount(60.0, Unit::Millis)))];

/// Milliseconds: to the answer to `initialize`, to that to `tools/list`, and of CPU until then.
pub(crate) struct Start {
    initialize: f64,
    list: f64,
    cpu: f64,
}

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (count, bar) in SIZES {
        let modules = Modules::many(count)?;
        let problem = bench.missing_tools(&modules)?;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..bench.effort.starts {
            ours.push(start(&bench.contenders.larkspur, modules.path())?);
            theirs.push(start(&bench.contenders.minimal, modules.path())?);
        }
        for (answer, pick) in
            [("initialize", initialize as fn(&Start) -> f64), ("tools/list", list)]
        {
            let what = format!("start → `{answer}`, {modules}");
            rows.push(compared(what, &ours, &theirs, pick).bar(bar).spoiled(problem.clone()));
        }
    }
    rows.push(with_dependencies(bench)?);
    Ok(rows)
}

/// How much longer a start takes when the modules lean on each other.
fn with_dependencies(bench: &Bench) -> Result<Row> {
    let (with, without) = (Modules::folders(500, true)?, Modules::folders(500, false)?);
    let problem = bench.missing_tools(&with)?.or(bench.missing_tools(&without)?);
    let larkspur = &bench.contenders.larkspur;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..bench.effort.starts {
        ours.push(start(larkspur, with.path())?);
        theirs.push(start(larkspur, without.path())?);
    }
    let what = "start → `tools/list`, 500 folders with dependencies (beside: without)";
    Ok(compared(what.to_owned(), &ours, &theirs, list)
        .bar(Some(Amount(1.5, Unit::Times)))
        .spoiled(problem))
}

pub(crate) fn start(contender: &Contender, modules: &Path) -> Result<Start> {
    let begin = Instant::now();
    let mut client = Client::spawn(contender, modules, Era::Legacy)?;
    client.open()?;
    let initialize = begin.elapsed();
    client.request("tools/list", json!({}))?;
    let list = begin.elapsed();
    let cpu = client.usage()?.total();
    let [initialize, list, cpu] = [initialize, list, cpu].map(|time| time.as_secs_f64() * 1e3);
    Ok(Start { initialize, list, cpu })
}

pub(super) fn compared(
    what: String,
    ours: &[Start],
    theirs: &[Start],
    pick: fn(&Start) -> f64,
) -> Row {
    let middle = |starts: &[Start]| median(starts.iter().map(pick));
    let ratio = middle(ours) / middle(theirs);
    Row::new(what, figure(ours, pick)).beside(figure(theirs, pick), ratio)
}

fn figure(starts: &[Start], pick: fn(&Start) -> f64) -> Figure {
    let fastest = least(starts.iter().map(pick));
    let cpu = median(starts.iter().map(|start| start.cpu));
    Amount(median(starts.iter().map(pick)), Unit::Millis)
        .noted(format!("min {fastest:.1}, CPU {cpu:.1}"))
}

fn initialize(start: &Start) -> f64 {
    start.initialize
}

pub(crate) fn list(start: &Start) -> f64 {
    start.list
}
