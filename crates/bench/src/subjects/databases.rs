//! Queries of a script, against the same ones of the driver alone.

use std::time::Instant;

use anyhow::{Result, ensure};
use cluster::Cluster;
use serde_json::{Value, json};

use super::Bench;
use crate::bare::{Postgres, QUERY, Sqlite};
use crate::client::Client;
use crate::compare::compare;
use crate::era::Era;
use crate::figure::{Amount, Unit};
use crate::modules::Modules;
use crate::table::Row;

const BAR: Amount = Amount(1.5, Unit::Times);
const ROWS: u32 = 1_000;
/// In one call that answers with a count: the way to the client and back would hide the query.
const QUERIES: u32 = 20;
const FILE: &str = "items.db";

/// `rows` is for the check that both sides find the same, `many` for the clock.
const SCRIPT: &str = r#"
def rows():
    return LIBRARY.query("DATABASE", "QUERY")

def many(n: int) -> int:
    found = 0
    for _ in range(n):
        found += len(LIBRARY.query("DATABASE", "QUERY"))
    return found

tool(rows)
tool(many)
"#;

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let modules = Modules::many(0)?;
    let bare = Sqlite::create(modules.path().join(FILE), ROWS)?;
    let what = "`sqlite.query` of 1,000 rows, each opens the file, 20 in a call (beside: bare rusqlite, to JSON)";
    let sqlite = pair(bench, what, &modules, &script("sqlite", FILE), || bare.query())?;

    let cluster = Cluster::start_for_bench();
    let modules = Modules::many(0)?;
    let bare = Postgres::create(&cluster, ROWS)?;
    let what = "`postgres.query` of 1,000 rows, over a kept connection, 20 in a call (beside: bare tokio-postgres, to JSON)";
    let script = script("postgres", &Postgres::url(&cluster));
    let postgres = pair(bench, what, &modules, &script, || bare.query())?;
    Ok(vec![sqlite, postgres])
}

fn script(library: &str, database: &str) -> String {
    SCRIPT.replace("LIBRARY", library).replace("DATABASE", database).replace("QUERY", QUERY)
}

fn pair(
    bench: &Bench,
    what: &str,
    modules: &Modules,
    script: &str,
    bare: impl Fn() -> Result<String>,
) -> Result<Row> {
    modules.write("items", script)?;
    let mut client = Client::connect(&bench.contenders.larkspur, modules.path(), Era::Legacy)?;
    let same: Value = serde_json::from_str(&client.call("rows", &json!({}))?)?;
    ensure!(
        same == serde_json::from_str::<Value>(&bare()?)?,
        "the script and the driver find different rows"
    );
    ours(&mut client)?;
    let comparison = compare(bench.effort.rounds, || ours(&mut client), || theirs(&bare))?;
    let figure = |micros| Amount(micros, Unit::Micros).alone();
    Ok(Row::new(what, figure(comparison.larkspur))
        .beside(figure(comparison.minimal), comparison.ratio)
        .bar(BAR))
}

/// Microseconds a query.
fn ours(client: &mut Client) -> Result<f64> {
    let begin = Instant::now();
    let found = client.call("many", &json!({"n": QUERIES}))?;
    let took = begin.elapsed();
    ensure!(found == (ROWS * QUERIES).to_string(), "{found} rows");
    Ok(took.as_secs_f64() * 1e6 / f64::from(QUERIES))
}

fn theirs(bare: impl Fn() -> Result<String>) -> Result<f64> {
    let begin = Instant::now();
    for _ in 0..QUERIES {
        bare()?;
    }
    Ok(begin.elapsed().as_secs_f64() * 1e6 / f64::from(QUERIES))
}
