//! From the start of the process to its first list of tools.

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

/// Modules, and milliseconds until their tools are listed.
const SIZES: [(usize, f64); 3] = [(1, 6.0), (50, 12.0), (500, 60.0)];

/// Milliseconds to the answer to `tools/list`, and of CPU until then.
pub(crate) struct Start {
    pub(crate) list: f64,
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
        let what = format!("start → `tools/list`, {modules}");
        rows.push(compared(what, &ours, &theirs).bar(Amount(bar, Unit::Millis)).spoiled(problem));
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
    Ok(compared(what.to_owned(), &ours, &theirs)
        .bar(Some(Amount(1.5, Unit::Times)))
        .spoiled(problem))
}

pub(crate) fn start(contender: &Contender, modules: &Path) -> Result<Start> {
    let begin = Instant::now();
    let mut client = Client::spawn(contender, modules, Era::Legacy)?;
    client.open()?;
    client.request("tools/list", json!({}))?;
    let list = begin.elapsed();
    let cpu = client.usage()?.total();
    let [list, cpu] = [list, cpu].map(|time| time.as_secs_f64() * 1e3);
    Ok(Start { list, cpu })
}

fn compared(what: String, ours: &[Start], theirs: &[Start]) -> Row {
    let middle = |starts: &[Start]| median(starts.iter().map(|start| start.list));
    let ratio = middle(ours) / middle(theirs);
    Row::new(what, figure(ours)).beside(figure(theirs), ratio)
}

fn figure(starts: &[Start]) -> Figure {
    let lists = || starts.iter().map(|start| start.list);
    let cpu = median(starts.iter().map(|start| start.cpu));
    Amount(median(lists()), Unit::Millis).noted(format!("min {:.1}, CPU {cpu:.1}", least(lists())))
}
