//! CPU per call of a trivial tool over HTTP, on connections that stay open: alone in the modern era, in a
//! session in the legacy one.

use anyhow::Result;

use super::Bench;
use crate::compare::{compare, median};
use crate::era::Era;
use crate::figure::{Amount, Unit};
use crate::modules::Modules;
use crate::net::{Net, Post};
use crate::table::Row;

const BAR: Amount = Amount(0.9, Unit::Times);
const TOGETHER: [usize; 2] = [1, 16];

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let modules = Modules::yardstick()?;
    let mut rows = Vec::new();
    for era in Era::ALL {
        let mut larkspur = Net::connect(&bench.contenders.larkspur, modules.path(), era)?;
        let mut minimal = Net::connect(&bench.contenders.minimal, modules.path(), era)?;
        for together in TOGETHER {
            larkspur.open(together)?;
            minimal.open(together)?;
            let kind = match era {
                Era::Legacy => "legacy session",
                Era::Modern => "modern",
            };
            rows.push(pair(bench, &mut larkspur, &mut minimal, kind)?);
        }
        if era == Era::Legacy {
            larkspur.leave_session();
            let kind = "plain POST (beside: legacy session, which the minimal server needs)";
            rows.push(pair(bench, &mut larkspur, &mut minimal, kind)?);
        }
    }
    Ok(rows)
}

fn pair(bench: &Bench, larkspur: &mut Net, minimal: &mut Net, kind: &str) -> Result<Row> {
    let calls = bench.effort.calls / 2;
    let post = Post::hello();
    larkspur.repeat(&post, calls / 4)?;
    minimal.repeat(&post, calls / 4)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let comparison = compare(
        bench.effort.rounds,
        || weigh(larkspur, &post, calls, &mut ours),
        || weigh(minimal, &post, calls, &mut theirs),
    )?;
    let figure = |micros, rates| {
        Amount(micros, Unit::Micros).noted(format!("{:.1}k/s", median(rates) / 1e3))
    };
    let what = format!("CPU per call, HTTP, {} at once, {kind}", larkspur.connections());
    Ok(Row::new(what, figure(comparison.larkspur, ours))
        .beside(figure(comparison.minimal, theirs), comparison.ratio)
        .bar(BAR))
}

/// One round: its CPU per call; its calls per second go to `rates`.
fn weigh(net: &mut Net, post: &Post<'_>, calls: u32, rates: &mut Vec<f64>) -> Result<f64> {
    let cost = net.weigh(post, calls)?;
    rates.push(cost.per_second());
    Ok(cost.cpu_micros())
}
