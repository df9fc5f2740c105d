//! CPU per call of a trivial tool over HTTP, on connections that stay open: alone in the modern era, in a
//! session in the legacy one.

use anyhow::Result;
use serde_json::json;

use super::Bench;
use crate::compare::{compare, median};
use crate::era::Era;
use crate::figure::{Amount, Unit};
use crate::modules::Modules;
use crate::net::{Login, Net, Post};
use crate::table::Row;

const BAR: Amount = Amount(1.3, Unit::Times);
const TOGETHER: [usize; 2] = [1, 16];

/// As many tools as make a long list.
const TOOLS: usize = 500;

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let modules = Modules::yardstick()?;
    let mut rows = Vec::new();
    for era in Era::ALL {
        let mut larkspur = Net::connect(&bench.contenders.larkspur, modules.path(), era)?;
        let mut minimal = Net::connect(&bench.contenders.minimal, modules.path(), era)?;
        for together in TOGETHER {
            larkspur.open(together)?;
            minimal.open(together)?;
            rows.push(pair(bench, &mut larkspur, &mut minimal, together)?);
        }
    }
    for era in Era::ALL {
        rows.push(list(bench, era)?);
    }
    Ok(rows)
}

fn pair(bench: &Bench, larkspur: &mut Net, minimal: &mut Net, together: usize) -> Result<Row> {
    let calls = bench.effort.calls / 2;
    let post = Post::hello();
    larkspur.repeat(&post, calls / 4)?;
    minimal.repeat(&post, calls / 4)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let era = larkspur.era;
    let comparison = compare(
        bench.effort.rounds,
        || weigh(larkspur, &post, calls, &mut ours),
        || weigh(minimal, &post, calls, &mut theirs),
    )?;
    let figure = |micros, rates| {
        Amount(micros, Unit::Micros).noted(format!("{:.1}k/s", median(rates) / 1e3))
    };
    let kind = match era {
        Era::Legacy => "legacy session",
        Era::Modern => "modern",
    };
    let what = format!("CPU per call, HTTP, {together} at once, {kind}");
    Ok(Row::new(what, figure(comparison.larkspur, ours))
        .beside(figure(comparison.minimal, theirs), comparison.ratio)
        .bar(BAR))
}

/// A long list, which need not be written anew for every client.
fn list(bench: &Bench, era: Era) -> Result<Row> {
    let modules = Modules::many(TOOLS)?;
    // So many tools are not listed by themselves otherwise.
    let flat =
        Login { flags: ["--surface", "flat"].map(str::to_owned).to_vec(), ..Login::default() };
    let larkspur = &bench.contenders.larkspur;
    let mut larkspur = Net::connect_with(larkspur, modules.path(), era, &flat)?;
    let post =
        Post { method: "tools/list", name: None, params: json!({}), expected: "\"greet_500\"" };
    let times = bench.effort.calls / 40;
    larkspur.repeat(&post, times / 4)?;
    let mut rates = Vec::new();
    let mut micros = Vec::new();
    for _ in 0..bench.effort.rounds {
        micros.push(weigh(&mut larkspur, &post, times, &mut rates)?);
    }
    let what = format!("CPU per tools/list, HTTP, {TOOLS} tools, {}", era.name());
    let note = format!("{:.1}k/s", median(rates) / 1e3);
    Ok(Row::new(what, Amount(median(micros), Unit::Micros).noted(note)))
}

/// One round: its CPU per call; its calls per second go to `rates`.
fn weigh(net: &mut Net, post: &Post<'_>, calls: u32, rates: &mut Vec<f64>) -> Result<f64> {
    let cost = net.weigh(post, calls)?;
    rates.push(cost.per_second());
    Ok(cost.cpu_micros())
}
