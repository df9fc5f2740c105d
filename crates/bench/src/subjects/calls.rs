//! CPU per call of a trivial tool, in both eras and at both paces.

use anyhow::Result;

use super::Bench;
use crate::call::{Call, Pace};
use crate::client::Client;
use crate::compare::{compare, median};
use crate::era::Era;
use crate::figure::{Amount, Unit};
use crate::modules::Modules;
use crate::table::Row;

const BAR: Amount = Amount(0.8, Unit::Times);

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let modules = Modules::yardstick()?;
    let mut rows = Vec::new();
    for era in Era::ALL {
        let mut larkspur = Client::connect(&bench.contenders.larkspur, modules.path(), era)?;
        let mut minimal = Client::connect(&bench.contenders.minimal, modules.path(), era)?;
        for pace in Pace::ALL {
            rows.push(pair(bench, &mut larkspur, &mut minimal, pace)?);
        }
    }
    Ok(rows)
}

fn pair(bench: &Bench, larkspur: &mut Client, minimal: &mut Client, pace: Pace) -> Result<Row> {
    let era = larkspur.era;
    let (call, calls) = (Call::hello(era), bench.effort.calls);
    call.repeat(larkspur, pace, calls / 4)?;
    call.repeat(minimal, pace, calls / 4)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let comparison = compare(
        bench.effort.rounds,
        || weigh(&call, larkspur, pace, calls, &mut ours),
        || weigh(&call, minimal, pace, calls, &mut theirs),
    )?;
    let figure = |micros, rates| {
        Amount(micros, Unit::Micros).noted(format!("{:.0}k/s", median(rates) / 1e3))
    };
    let what = format!("CPU per call, stdio, {}, {}", pace.name(), era.name());
    Ok(Row::new(what, figure(comparison.larkspur, ours))
        .beside(figure(comparison.minimal, theirs), comparison.ratio)
        .bar(BAR))
}

/// One round: its CPU per call; its calls per second go to `rates`.
fn weigh(
    call: &Call,
    client: &mut Client,
    pace: Pace,
    calls: u32,
    rates: &mut Vec<f64>,
) -> Result<f64> {
    let cost = call.weigh(client, pace, calls)?;
    rates.push(cost.per_second());
    Ok(cost.cpu_micros())
}
