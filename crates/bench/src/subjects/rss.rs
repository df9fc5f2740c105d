//! Memory of a server that has listed its tools and waits.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use serde_json::json;

use super::Bench;
use crate::client::Client;
use crate::compare::compare;
use crate::contender::Contender;
use crate::era::Era;
use crate::figure::{Amount, Unit};
use crate::modules::Modules;
use crate::table::Row;

const SIZES: [(usize, Option<Amount>); 3] = [
    (1, Some(Amount(14.0, Unit::Megabytes))),
    (50, Some(Amount(20.0, Unit::Megabytes))),
    (500, None),
];

const ROUNDS: u32 = 3;

/// Long enough for what a server does after its first answers.
const SETTLE: Duration = Duration::from_millis(300);

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (count, bar) in SIZES {
        let modules = Modules::many(count)?;
        let row = compare_idle(bench, &modules.to_string(), modules.path())?;
        rows.push(row.bar(bar).spoiled(bench.missing_tools(&modules)?));
    }
    rows.push(compare_idle(bench, "modules/", &bench.corpus.shipped())?);
    Ok(rows)
}

fn compare_idle(bench: &Bench, what: &str, folder: &Path) -> Result<Row> {
    let comparison = compare(
        ROUNDS,
        || idle(&bench.contenders.larkspur, folder),
        || idle(&bench.contenders.minimal, folder),
    )?;
    let figure = |megabytes| Amount(megabytes, Unit::Megabytes).alone();
    Ok(Row::new(format!("RSS idle, {what}"), figure(comparison.larkspur))
        .beside(figure(comparison.minimal), comparison.ratio))
}

fn idle(contender: &Contender, folder: &Path) -> Result<f64> {
    let mut client = Client::connect(contender, folder, Era::Legacy)?;
    client.request("tools/list", json!({}))?;
    std::thread::sleep(SETTLE);
    client.rss()
}
