//! Batches: what one costs over its calls, and whether what can run at once does.

use std::time::Instant;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::Bench;
use crate::call::{Call, Pace};
use crate::client::Client;
use crate::compare::{least, median, most};
use crate::era::Era;
use crate::figure::{Amount, Unit};
use crate::modules::Modules;
use crate::table::Row;

const OVERHEAD: Amount = Amount(30.0, Unit::Micros);
const TOGETHER: Amount = Amount(1.3, Unit::Times);

/// As many as one batch may have, each this long.
const TASKS: u32 = 50;
const TASK_MILLIS: f64 = 100.0;
/// So many tasks run at once, unless somebody says otherwise.
const CAP: u32 = 8;

const WAITING: &str = r#"def wait() -> str:
    """Take a tenth of a second."""
    time.sleep("100ms")
    return "waited"

tool(wait)
"#;

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let modules = Modules::yardstick()?;
    modules.write("waiting", WAITING)?;
    let mut client = Client::connect(&bench.contenders.larkspur, modules.path(), Era::Legacy)?;
    Ok(vec![overhead(bench, &mut client)?, together(bench, &mut client)?])
}

/// The server's CPU for a batch of two, the second with the first one's answer, beside its CPU for the
/// same two calls by `call`, of which each is a request of its own.
fn overhead(bench: &Bench, client: &mut Client) -> Result<Row> {
    let greet = |id: &str, name: &str| json!({"id": id, "module": "hello", "tool": "hello", "params": {"name": name}, "raw_output": true});
    let two = json!({"tasks": [greet("a", "ada"), greet("b", "${a}")]});
    let batch = Call::new(client.era, "batch", &two, "hello hello ada");
    let one = json!({"module": "hello", "tool": "hello", "params": {"name": "ada"}});
    let call = Call::new(client.era, "call", &one, "hello ada");
    let calls = bench.effort.calls / 2;
    let mut pairs = Vec::new();
    batch.repeat(client, Pace::Sequential, calls / 4)?;
    for _ in 0..bench.effort.rounds {
        let batches = batch.weigh(client, Pace::Sequential, calls)?;
        let singles = call.weigh(client, Pace::Sequential, calls)?;
        pairs.push((batches.cpu_micros(), singles.cpu_micros()));
    }
    let over = |calls: f64| median(pairs.iter().map(|(batch, call)| batch - calls * call));
    let (batch, call) =
        (median(pairs.iter().map(|pair| pair.0)), median(pairs.iter().map(|pair| pair.1)));
    let note = format!("{batch:.1} − 2 × {call:.1}; over one of them {:.1}", over(1.0));
    let what =
        "CPU of a batch of two, the second with the first's answer, over two requests by `call`";
    Ok(Row::new(what, Amount(over(2.0), Unit::Micros).noted(note)).bar(OVERHEAD))
}

/// The time of many that wait, beside what it would be if nothing but them took time.
fn together(bench: &Bench, client: &mut Client) -> Result<Row> {
    let task = |number| json!({"id": format!("t{number}"), "module": "waiting", "tool": "wait", "raw_output": true});
    let tasks: Vec<Value> = (0..TASKS).map(task).collect();
    let ideal = f64::from(TASKS.div_ceil(CAP)) * TASK_MILLIS;
    let mut spans = Vec::new();
    for _ in 0..bench.effort.rounds.min(5) {
        let begin = Instant::now();
        let answer = client.call("batch", &json!({"tasks": tasks}))?;
        spans.push(begin.elapsed().as_secs_f64() * 1e3);
        let ended = answer.matches("waited").count();
        ensure!(ended == TASKS as usize, "{ended} of {TASKS} ended: {answer}");
    }
    let note = format!("{:.0}–{:.0}", least(spans.clone()), most(spans.clone()));
    let middle = median(spans);
    let what = format!("{TASKS} tasks of {TASK_MILLIS} ms in a batch, {CAP} at once");
    let row = Row::new(what, Amount(middle, Unit::Millis).noted(note));
    let beside = Amount(ideal, Unit::Millis).noted("ideal");
    Ok(row.beside(beside, middle / ideal).bar(TOGETHER))
}
