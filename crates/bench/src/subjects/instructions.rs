//! Instructions per call of a trivial tool, counted by callgrind: they repeat where times do not.
//!
//! valgrind runs one thread at a time, so contention and system calls are not in the figures.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::Bench;
use crate::call::{Call, Pace};
use crate::callgrind::Callgrind;
use crate::client::Client;
use crate::compare::compare;
use crate::contender::Contender;
use crate::era::Era;
use crate::figure::{Amount, Unit};
use crate::modules::Modules;
use crate::net::{Net, Post};
use crate::table::Row;

/// Calls of the two runs whose difference leaves out start and end of the process.
const CALLS: [u32; 2] = [200, 1_200];

const ROUNDS: u32 = 3;

/// Accepted distance from the stored figure.
const TOLERANCE: f64 = 0.05;

/// Stored figures, relative to the repository's root.
const STORED: &str = "bench/instructions.json";

#[derive(Clone, Copy)]
enum Wire {
    Stdio,
    /// One connection that is kept alive.
    Http,
}

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let callgrind = Callgrind::find()?;
    let stored = read_stored(&bench.root.join(STORED))?;
    let modules = Modules::yardstick()?;
    let larkspur = callgrind.wrap(&bench.contenders.larkspur);
    let minimal = callgrind.wrap(&bench.contenders.minimal);
    let mut rows = Vec::new();
    for wire in [Wire::Stdio, Wire::Http] {
        for era in Era::ALL {
            let count =
                |contender| count_per_call(&callgrind, contender, modules.path(), wire, era);
            let comparison = compare(ROUNDS, || count(&larkspur), || count(&minimal))?;
            let figure = |count| Amount(count, Unit::Instructions).alone();
            let name = format!("{}, {}", wire.name(), era.revision());
            let row =
                Row::new(format!("instructions per call, {name}"), figure(comparison.larkspur));
            let target = Amount(wire.target(era), Unit::Times);
            let beside = Amount(comparison.minimal, Unit::Instructions);
            let row = row.beside(beside.noted(format!("target {target}")), comparison.ratio);
            rows.push(judge(row, comparison.larkspur, stored.get(&name).copied()));
        }
    }
    Ok(rows)
}

fn count_per_call(
    callgrind: &Callgrind,
    contender: &Contender,
    modules: &Path,
    wire: Wire,
    era: Era,
) -> Result<f64> {
    let total = |calls| {
        wire.run(contender, modules, era, calls)?;
        callgrind.take_total()
    };
    let [few, many] = CALLS;
    Ok((total(many)? - total(few)?) / f64::from(many - few))
}

impl Wire {
    fn name(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "HTTP",
        }
    }

    /// Share of the minimal server's instructions that we aim at.
    fn target(self, era: Era) -> f64 {
        match (self, era) {
            (Self::Http, Era::Modern) => 0.5,
            _ => 0.6,
        }
    }

    /// Starts a server, makes the calls one after the other, and ends it.
    fn run(self, contender: &Contender, modules: &Path, era: Era, calls: u32) -> Result<()> {
        match self {
            Self::Stdio => {
                let mut client = Client::connect(contender, modules, era)?;
                Call::hello(era).repeat(&mut client, Pace::Sequential, calls)?;
                client.stop()
            }
            Self::Http => {
                let mut net = Net::connect(contender, modules, era)?;
                net.repeat(&Post::hello(), calls)?;
                net.stop()
            }
        }
    }
}

/// A count far below its stored figure fails as well: what is won must not be lost unnoticed.
fn judge(row: Row, count: f64, stored: Option<f64>) -> Row {
    let Some(stored) = stored else {
        return row.spoiled(Some(format!("no figure for it in {STORED}")));
    };
    let is_stale = count < stored * (1.0 - TOLERANCE);
    let problem = is_stale.then(|| format!("{stored:.0} in {STORED} is too high: lower it"));
    row.bar(Amount(stored * (1.0 + TOLERANCE), Unit::Instructions)).spoiled(problem)
}

/// Larkspur's figures by transport and protocol revision.
fn read_stored(path: &Path) -> Result<BTreeMap<String, f64>> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("cannot parse {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Verdict;
    use xtask::workspace::Workspace;

    fn verdict(count: f64, stored: Option<f64>) -> Verdict {
        let figure = Amount(count, Unit::Instructions).alone();
        judge(Row::new("calls", figure), count, stored).verdict()
    }

    #[test]
    fn count_stays_within_tolerance_of_the_stored_figure() {
        assert_eq!(verdict(105_000.0, Some(100_000.0)), Verdict::Met);
        assert_eq!(verdict(95_000.0, Some(100_000.0)), Verdict::Met);
        let over = Amount(1_000.0, Unit::Instructions);
        assert_eq!(verdict(106_000.0, Some(100_000.0)), Verdict::MissedBy(over));
        assert!(verdict(94_000.0, Some(100_000.0)).is_bad());
        assert!(verdict(94_000.0, None).is_bad());
    }

    #[test]
    fn every_row_has_a_stored_figure() {
        let stored = read_stored(&Workspace::read().unwrap().root.join(STORED)).unwrap();
        let names: Vec<&str> = stored.keys().map(String::as_str).collect();
        let expected =
            ["HTTP, 2025-11-25", "HTTP, 2026-07-28", "stdio, 2025-11-25", "stdio, 2026-07-28"];
        assert_eq!(names, expected);
    }
}
