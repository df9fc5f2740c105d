//! From writing a module to the first call that runs it.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::json;

use super::Bench;
use crate::client::Client;
use crate::compare::{least, median, most};
use crate::era::Era;
use crate::figure::{Amount, Unit};
use crate::modules::{self, Modules};
use crate::table::Row;

const BAR: Amount = Amount(100.0, Unit::Millis);

/// Neighbours of the module that changes.
const NEIGHBOURS: usize = 50;

/// Calls are asked for often enough to see the change, and seldom enough not to slow it down.
const POLL: Duration = Duration::from_millis(1);

const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let mut edited = Edited::start(bench, NEIGHBOURS)?;
    let mut millis = Vec::new();
    for round in 0..bench.effort.reloads {
        std::thread::sleep(pause(round));
        millis.push(edited.reload()?.as_secs_f64() * 1e3);
    }
    let range = format!("{:.0}–{:.0}", least(millis.iter().copied()), most(millis.iter().copied()));
    let what = format!("reload: write → new answer, beside {}", edited.modules);
    Ok(vec![Row::new(what, Amount(median(millis), Unit::Millis).noted(range)).bar(BAR)])
}

/// An editor's next save does not fall into the last one's debounce. Each pause is a little
/// different, or the writes would fall into step with a server that looks at intervals.
fn pause(round: u32) -> Duration {
    Duration::from_millis(150 + u64::from(round * 37 % 100))
}

/// A running server, one of whose modules is written again and again.
pub(super) struct Edited {
    modules: Modules,
    pub(super) client: Client,
    version: u32,
}

impl Edited {
    pub(super) fn start(bench: &Bench, neighbours: usize) -> Result<Self> {
        let modules = Modules::many(neighbours)?;
        modules.write("hello", &modules::hello("v0"))?;
        let client = Client::connect(&bench.contenders.larkspur, modules.path(), Era::Legacy)?;
        Ok(Self { modules, client, version: 0 })
    }

    /// Writes the next version and calls until it answers.
    pub(super) fn reload(&mut self) -> Result<Duration> {
        let old = format!("v{} ada", self.version);
        self.version += 1;
        let word = format!("v{}", self.version);
        let begin = Instant::now();
        self.modules.write("hello", &modules::hello(&word))?;
        loop {
            let answer = self.client.call("hello", &json!({"name": "ada"}))?;
            if answer == format!("{word} ada") {
                return Ok(begin.elapsed());
            }
            ensure!(answer == old, "neither the old nor the new answer: {answer}");
            ensure!(begin.elapsed() < PATIENCE, "still `{old}` after {} s", PATIENCE.as_secs());
            std::thread::sleep(POLL);
        }
    }
}
