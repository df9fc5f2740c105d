//! JSON as a tool's result: rows built by the tool, sent as text.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::Bench;
use crate::call::{Call, Pace};
use crate::client::Client;
use crate::compare::compare;
use crate::contender::{Contender, Contenders};
use crate::era::Era;
use crate::figure::{Amount, Unit};
use crate::modules::Modules;
use crate::table::Row;

struct Size {
    name: &'static str,
    bytes: f64,
    rows: u32,
    calls: u32,
    bar: Option<Amount>,
}

/// The legacy era, where a list travels as text alone and both servers send the same bytes.
const ERA: Era = Era::Legacy;

const SIZES: [Size; 3] = [
    Size { name: "1 KB", bytes: 1e3, rows: 22, calls: 4_000, bar: None },
    Size { name: "100 KB", bytes: 1e5, rows: 1_940, calls: 100, bar: None },
    Size {
        name: "10 MB",
        bytes: 1e7,
        rows: 168_000,
        calls: 4,
        bar: Some(Amount(200.0, Unit::Millis)),
    },
];

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let modules = Modules::yardstick()?;
    let row = |size: &Size| {
        let what = format!("CPU per call, {} of JSON as the result", size.name);
        let row = size.compare(&bench.contenders, &modules, bench.effort.rounds, &what);
        row.unwrap_or_else(|error| Row::failed(what, &error))
    };
    Ok(SIZES.iter().map(row).collect())
}

impl Size {
    fn compare(
        &self,
        sides: &Contenders,
        modules: &Modules,
        rounds: u32,
        what: &str,
    ) -> Result<Row> {
        self.check(sides, modules)?;
        let millis = |contender| self.millis(contender, modules);
        let comparison = compare(rounds, || millis(&sides.larkspur), || millis(&sides.minimal))?;
        let figure = |millis| match self.bytes {
            ..1e4 => Amount(millis * 1e3, Unit::Micros).alone(),
            _ => Amount(millis, Unit::Millis).alone(),
        };
        Ok(Row::new(what, figure(comparison.larkspur))
            .beside(figure(comparison.minimal), comparison.ratio)
            .bar(self.bar))
    }

    /// A new process each time: whether the allocator gives big blocks back after each call is
    /// settled early in a process's life, and is worth a factor of two.
    fn millis(&self, contender: &Contender, modules: &Modules) -> Result<f64> {
        let mut client = Client::connect(contender, modules.path(), ERA)?;
        let call = Call::new(ERA, "rows", &self.arguments(), "item 1");
        call.repeat(&mut client, Pace::Sequential, self.calls)?;
        let cost = call.weigh(&mut client, Pace::Sequential, self.calls)?;
        Ok(cost.cpu_micros() / 1e3)
    }

    /// Both must send the same JSON, and as much of it as the row says.
    fn check(&self, sides: &Contenders, modules: &Modules) -> Result<()> {
        let answer = |contender| {
            Client::connect(contender, modules.path(), ERA)?.call("rows", &self.arguments())
        };
        let ours = answer(&sides.larkspur).context("larkspur")?;
        let theirs = answer(&sides.minimal).context("minimal")?;
        let length = f64::from(u32::try_from(ours.len())?);
        let close = (length / self.bytes - 1.0).abs() < 0.1;
        ensure!(close, "{length} bytes are not {}", self.name);
        let same = serde_json::from_str::<Value>(&ours)? == serde_json::from_str::<Value>(&theirs)?;
        ensure!(same, "the two servers answer differently");
        Ok(())
    }

    fn arguments(&self) -> Value {
        json!({"n": self.rows})
    }
}
