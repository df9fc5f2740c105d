//! Memory after many calls and many reloads, against memory after a few.

use anyhow::Result;

use super::Bench;
use super::reload::Edited;
use crate::call::{Call, Pace};
use crate::client::Client;
use crate::contender::Contender;
use crate::era::Era;
use crate::figure::{Amount, Figure, Unit};
use crate::modules::Modules;
use crate::table::Row;

/// What an allocator may hold on to in a flat line.
const BAR: Amount = Amount(2.0, Unit::Megabytes);

/// A server that cannot reload can still be seen to keep its memory under calls.
pub(super) fn measure(bench: &Bench) -> Vec<Row> {
    let calls = calls(bench).unwrap_or_else(|error| Row::failed("RSS growth, calls", &error));
    let reloads = reloads(bench).unwrap_or_else(|error| Row::failed("RSS growth, reloads", &error));
    vec![calls, reloads]
}

fn calls(bench: &Bench) -> Result<Row> {
    let modules = Modules::yardstick()?;
    let calls = bench.effort.leak_calls;
    let ours = grown_by_calls(&bench.contenders.larkspur, &modules, calls)?;
    let theirs = grown_by_calls(&bench.contenders.minimal, &modules, calls)?;
    let what = format!("RSS growth, {calls} calls");
    Ok(Row::new(what, ours).beside(theirs, None).bar(BAR))
}

fn grown_by_calls(contender: &Contender, modules: &Modules, calls: u32) -> Result<Figure> {
    let mut client = Client::connect(contender, modules.path(), Era::Legacy)?;
    let call = Call::hello(Era::Legacy);
    call.repeat(&mut client, Pace::Pipelined, calls / 10)?;
    let warm = client.rss()?;
    call.repeat(&mut client, Pace::Pipelined, calls)?;
    Ok(growth(warm, client.rss()?))
}

fn reloads(bench: &Bench) -> Result<Row> {
    let reloads = bench.effort.leak_reloads;
    let mut edited = Edited::start(bench, 0)?;
    for _ in 0..reloads / 10 {
        edited.reload()?;
    }
    let warm = edited.client.rss()?;
    for _ in 0..reloads {
        edited.reload()?;
    }
    let what = format!("RSS growth, {reloads} reloads");
    Ok(Row::new(what, growth(warm, edited.client.rss()?)).bar(BAR))
}

fn growth(warm: f64, end: f64) -> Figure {
    Amount(end - warm, Unit::Megabytes).noted(format!("{warm:.1} → {end:.1}"))
}
