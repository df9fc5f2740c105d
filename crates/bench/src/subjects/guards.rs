//! What the guards of a call cost: roles, rates, places and the audit log, all switched on, beside the same
//! server without them.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::Bench;
use crate::call::{Call, Pace};
use crate::client::Client;
use crate::compare::median;
use crate::era::Era;
use crate::figure::{Amount, Unit};
use crate::modules::Modules;
use crate::net::{Login, Net, Post};
use crate::table::Row;
use serde_json::json;

/// Of CPU, for all of them together and for a login as well.
const BAR: Amount = Amount(15.0, Unit::Micros);

/// Many short turns instead of a few long ones: the difference is small beside the machine's moods.
const TURNS: u32 = 8;

/// Calls at one time over HTTP: with one, most of the CPU goes into waking threads up, and a little more work
/// wakes more of them.
const TOGETHER: usize = 16;

/// Rates that nobody reaches: what is weighed is the counting.
const GUARDED: &str = r#"[limits]
caller_rate = "1000000/s"
module_rate = "1000000/s"
caller_calls = 512
module_calls = 512

[module.hello]
rate = "1000000/s"

[role.reader]
users = ["local"]
allow = ["rows.*", "hello.*"]
deny = ["*.delete_*", "*.drop_*"]

[audit]
"#;

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let modules = Modules::yardstick()?;
    let folder = tempfile::tempdir().context("no place for two projects")?;
    let mut rows = Vec::new();
    for era in Era::ALL {
        let mut guarded = connect(bench, &modules, folder.path(), era, "guarded", GUARDED)?;
        let mut bare = connect(bench, &modules, folder.path(), era, "bare", "")?;
        for pace in Pace::ALL {
            rows.push(pair(bench, &mut guarded, &mut bare, pace)?);
        }
    }
    for era in Era::ALL {
        rows.push(with_login(bench, &modules, folder.path(), era)?);
    }
    Ok(rows)
}

fn connect(
    bench: &Bench,
    modules: &Modules,
    folder: &Path,
    era: Era,
    name: &str,
    project: &str,
) -> Result<Client> {
    let folder = folder.join(name);
    fs::create_dir_all(&folder)?;
    let file = folder.join("larkspur.toml");
    fs::write(&file, project)?;
    let flags = ["--config", file.to_str().context("a name that is no text")?];
    Client::connect_with(&bench.contenders.larkspur, modules.path(), era, &flags)
}

fn pair(bench: &Bench, guarded: &mut Client, bare: &mut Client, pace: Pace) -> Result<Row> {
    let era = guarded.era;
    let (call, calls) = (Call::hello(era), bench.effort.calls / TURNS);
    call.repeat(guarded, pace, calls)?;
    call.repeat(bare, pace, calls)?;
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for _ in 0..bench.effort.rounds * TURNS {
        with.push(call.weigh(guarded, pace, calls)?.cpu_micros());
        without.push(call.weigh(bare, pace, calls)?.cpu_micros());
    }
    let more = median(with.iter().zip(&without).map(|(with, without)| with - without));
    let note = format!("{:.1} µs with, {:.1} µs without", median(with), median(without));
    let what =
        format!("CPU per call of roles, rates, places and audit, {}, {}", pace.name(), era.name());
    Ok(Row::new(what, Amount(more, Unit::Micros).noted(note)).bar(BAR))
}

/// Signed for the bench alone, with a secret that everybody may read here.
const TOKEN: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJiZW5jaCIsInN1YiI6ImJlbmNoIiwiYXVkIjoiaHR0cDovL2xvY2FsaG9zdC9tY3AiLCJpYXQiOjE3MDAwMDAwMDAsImV4cCI6NDEwMjQ0NDgwMH0.pkpd4wRIi5SiNAxkloLWdGBFYH3AtlwywABC2-PhFpg";
const SECRET: (&str, &str) = ("BENCH_SECRET", "a-secret-for-the-bench-and-nothing-else");

const LOGIN: &str = r#"
[server]
auth = "jwt"
public_url = "http://localhost/mcp"

[auth]
algorithms = ["HS256"]

[auth.issuer.bench]
secret_env = "BENCH_SECRET"
"#;

/// All of it over HTTP, with the token of a caller.
fn with_login(bench: &Bench, modules: &Modules, folder: &Path, era: Era) -> Result<Row> {
    let file = folder.join(format!("login-{}.toml", era.name()));
    fs::write(&file, format!("{}{LOGIN}", GUARDED.replace("\"local\"", "\"bench\"")))?;
    let login = Login {
        flags: vec!["--config".into(), file.to_string_lossy().into_owned()],
        variables: vec![SECRET],
        token: Some(TOKEN),
    };
    let larkspur = &bench.contenders.larkspur;
    let mut guarded = Net::connect_with(larkspur, modules.path(), era, &login)?;
    let mut bare = Net::connect(larkspur, modules.path(), era)?;
    let calls = bench.effort.calls / 2 / TURNS;
    let post = Post {
        method: "tools/call",
        name: Some("hello"),
        params: json!({"name": "hello", "arguments": {"name": "ada"}}),
        expected: "\"hello ada\"",
    };
    guarded.open(TOGETHER)?;
    bare.open(TOGETHER)?;
    guarded.repeat(&post, calls)?;
    bare.repeat(&post, calls)?;
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for _ in 0..bench.effort.rounds * TURNS {
        with.push(guarded.weigh(&post, calls)?.cpu_micros());
        without.push(bare.weigh(&post, calls)?.cpu_micros());
    }
    let differences = with.iter().zip(&without).map(|(with, without)| with - without);
    let more = median(differences);
    let note = format!("{:.1} µs with, {:.1} µs without", median(with), median(without));
    let what = format!(
        "CPU per call of JWT, roles, rates, places and audit, HTTP, {TOGETHER} at a time, {}",
        era.name()
    );
    Ok(Row::new(what, Amount(more, Unit::Micros).noted(note)).bar(BAR))
}
