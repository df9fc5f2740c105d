//! A folder's own tests, by `larkspur test`: CPU from the start of the process to its end.

use std::io::Read;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::Bench;
use crate::compare::{least, median};
use crate::contender::Contender;
use crate::figure::{Amount, Unit};
use crate::modules::Modules;
use crate::table::Row;
use crate::usage::Usage;

const TESTS: usize = 200;
const BAR: Amount = Amount(1000.0, Unit::Millis);

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (count, body, what) in [
        (TESTS, FUNCTION, "functions of 200 modules"),
        (TESTS, CALL, "`t.call` into 200 modules"),
        (20, CALL, "`t.call` into 20 modules"),
    ] {
        let modules = Modules::many(count)?;
        for number in 1..=count {
            modules.write(&format!("module_{number}_test"), &tests(number, count, body))?;
        }
        let mut times = Vec::new();
        for _ in 0..bench.effort.starts {
            times.push(cpu(&bench.contenders.larkspur, &modules)?);
        }
        let fastest = least(times.iter().copied());
        let figure = Amount(median(times), Unit::Millis).noted(format!("min {fastest:.0}"));
        let what = format!("CPU of {TESTS} tests, {what}");
        rows.push(Row::new(what, figure).bar(Some(BAR)));
    }
    Ok(rows)
}

/// A module's share of the tests.
fn tests(number: usize, modules: usize, body: &str) -> String {
    let one = |test: usize| body.replace("TEST", &test.to_string());
    let all: String = (0..TESTS / modules).map(one).collect();
    let load = "load(\"module_NUMBER\", \"greet_NUMBER\")\n";
    format!("{load}{all}").replace("NUMBER", &number.to_string())
}

/// Milliseconds.
fn cpu(contender: &Contender, modules: &Modules) -> Result<f64> {
    let mut child = Command::new(&contender.program)
        .args(["test", "-e"])
        .arg(modules.path())
        .stdout(Stdio::piped())
        .spawn()
        .context("larkspur cannot be started")?;
    let mut said = String::new();
    let stdout = child.stdout.as_mut().context("no pipe")?;
    stdout.read_to_string(&mut said)?;
    let used = Usage::of_ended(child.id())?;
    child.wait()?;
    let all = format!("Total: {TESTS} | Passed: {TESTS} | Failed: 0");
    ensure!(said.contains(&all), "not all tests passed:\n{said}");
    Ok(used.as_secs_f64() * 1e3)
}

const FUNCTION: &str = r#"
def test_TEST():
    testing.eq(greet_NUMBER("Ada"), "tool NUMBER says hello to Ada")
"#;

const CALL: &str = r#"
def test_TEST(t):
    testing.eq(t.call("module_NUMBER.greet_NUMBER", {"name": "Ada"}).value, greet_NUMBER("Ada"))
"#;
