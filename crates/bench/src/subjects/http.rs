//! Requests of scripts: what each costs beside a bare client's, many at once, and how soon one is let
//! go.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::Bench;
use crate::bare::Http;
use crate::client::Client;
use crate::compare::{compare, least, median, most};
use crate::era::Era;
use crate::figure::{Amount, Figure, Unit};
use crate::modules::Modules;
use crate::table::Row;
use crate::web::{BODY, Web};

const OVERHEAD: Amount = Amount(1.5, Unit::Times);
const TOGETHER: Amount = Amount(500.0, Unit::Millis);
const LET_GO: Amount = Amount(250.0, Unit::Millis);

/// In one call, so that a request is weighed and not the call around it.
const REQUESTS: u32 = 200;
const CALLS: usize = 300;

const MAIN: &str = r#"def gets(url: str, n: int) -> str:
    """Ask so many times."""
    for i in range(n):
        answer = http.get(url)
    return answer["body"]

tool(gets, read_only = True)
"#;

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let web = Web::start()?;
    let modules = Modules::many(0)?;
    modules.write_folder("web", &format!("http = [\"{}\"]", web.site()), MAIN)?;
    let mut client = Client::connect(&bench.contenders.larkspur, modules.path(), Era::Legacy)?;
    let bare = Http::new()?;
    Ok(vec![
        overhead(bench, &web, &mut client, &bare, REQUESTS)?.bar(OVERHEAD),
        overhead(bench, &web, &mut client, &bare, 1)?,
        together(bench, &web, &mut client)?,
        let_go(bench, &web, &mut client)?,
    ])
}

/// So many requests in each call, beside as many of a bare client.
fn overhead(
    bench: &Bench,
    web: &Web,
    client: &mut Client,
    bare: &Http,
    in_a_call: u32,
) -> Result<Row> {
    let url = web.url("/");
    let arguments = json!({"url": url, "n": in_a_call});
    let mut ours = |calls: u32| {
        let begin = Instant::now();
        for _ in 0..calls {
            let answer = client.call("gets", &arguments)?;
            ensure!(answer == BODY, "another answer: {answer}");
        }
        Ok(begin.elapsed().as_secs_f64() * 1e6 / f64::from(calls * in_a_call))
    };
    let calls = REQUESTS / in_a_call;
    ours(calls)?;
    bare.micros(&url, REQUESTS)?;
    let comparison = compare(bench.effort.rounds, || ours(calls), || bare.micros(&url, REQUESTS))?;
    let what = match in_a_call {
        1 => "a call with one http.get, beside bare reqwest".to_owned(),
        many => format!("http.get, {many} in a call, beside bare reqwest"),
    };
    let figure = |micros| Amount(micros, Unit::Micros).alone();
    Ok(Row::new(what, figure(comparison.larkspur))
        .beside(figure(comparison.minimal), comparison.ratio))
}

fn together(bench: &Bench, web: &Web, client: &mut Client) -> Result<Row> {
    let arguments = json!({"url": web.url("/wait"), "n": 1});
    let mut millis = Vec::new();
    for _ in 0..bench.effort.rounds {
        let lines: String = (0..CALLS).map(|_| line(client, &arguments).1).collect();
        let begin = Instant::now();
        client.send(lines.as_bytes())?;
        for _ in 0..CALLS {
            let answer = client.receive()?;
            ensure!(answer.contains("hello"), "another answer: {answer}");
        }
        millis.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    let what = format!("{CALLS} calls at once, 200 ms each in http.get");
    Ok(Row::new(what, ranged(millis)).bar(TOGETHER))
}

fn let_go(bench: &Bench, web: &Web, client: &mut Client) -> Result<Row> {
    let arguments = json!({"url": web.url("/hang"), "n": 1});
    let mut millis = Vec::new();
    for round in 0..bench.effort.rounds {
        let (id, line) = line(client, &arguments);
        client.send(line.as_bytes())?;
        web.hung()?;
        std::thread::sleep(pause(round));
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        let begin = Instant::now();
        client.send(format!("{cancel}\n").as_bytes())?;
        let gone = web.hung()?.saturating_duration_since(begin);
        millis.push(gone.as_secs_f64() * 1e3);
    }
    let what = "cancelling a call → its connection closed";
    Ok(Row::new(what, ranged(millis)).bar(LET_GO))
}

/// Each is a little different: a server may look at intervals whether a call is still wanted.
fn pause(round: u32) -> Duration {
    Duration::from_millis(u64::from(round * 37 % 100))
}

/// A call of `gets`, and its id.
fn line(client: &mut Client, arguments: &Value) -> (u64, String) {
    let params = json!({"name": "gets", "arguments": arguments});
    let (head, tail) = client.era.request("tools/call", params);
    let id = client.id();
    (id, format!("{head}{id}{tail}"))
}

/// The worst is what a bar is about.
fn ranged(millis: Vec<f64>) -> Figure {
    let worst = most(millis.iter().copied());
    let best = least(millis.iter().copied());
    Amount(worst, Unit::Millis).noted(format!("best {best:.0}, median {:.0}", median(millis)))
}
