//! What a request costs that is expensive to read, to keep or to answer, and how long a trivial tool takes
//! while fifty callers at once send it.

use std::io::{BufReader, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Value, json};

use super::Bench;
use crate::era::Era;
use crate::figure::{Amount, Unit};
use crate::modules::{Modules, hello};
use crate::net::{Net, Post, read_answer};
use crate::table::Row;

const ATTACKERS: usize = 50;
const PAUSE: Duration = Duration::from_millis(10);
/// 99th percentile under attack, above the one of a quiet server.
const BAR: Amount = Amount(20.0, Unit::Millis);
/// CPU of one such request.
const CPU_BAR: Amount = Amount(500.0, Unit::Millis);

/// Tools that pass on what they are given, as those of many modules do.
const MAIN: &str = r#"
def count(v: dict[str, int]) -> int:
    """Count keys."""
    return len(v)

def unique(xs: list[int]) -> int:
    """Count different numbers."""
    return len(set(xs))

def decode(text: str) -> str:
    """Name the type of a document."""
    return type(json.decode(text))

def show(v: list[int]) -> int:
    """Measure a list as text."""
    return len("%s" % v)

def link(v: list[int]) -> int:
    """Link numbers to a chain."""
    node = None
    for x in v:
        node = (x, node)
    return len({node: 1})

def repeat(text: str, n: int) -> list[str]:
    """Repeat a text."""
    return [text for _ in range(n)]

def convert(html: str) -> int:
    """Measure a page as Markdown."""
    return len(text.html_to_markdown(html))

tool(count); tool(unique); tool(decode); tool(show); tool(link); tool(repeat); tool(convert)
"#;

struct Attack {
    name: &'static str,
    tool: &'static str,
    arguments: Value,
}

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let modules = Modules::many(0)?;
    modules.write("attacked", MAIN)?;
    modules.write("hello", &hello("hello"))?;
    let mut rows = Vec::new();
    for attack in attacks() {
        let mut net = Net::connect(&bench.contenders.larkspur, modules.path(), Era::Modern)?;
        rows.push(attack.measure_cpu(&mut net)?);
        rows.push(attack.measure_latency(&mut net, bench.effort.rounds)?);
    }
    Ok(rows)
}

/// About one megabyte each.
fn attacks() -> Vec<Attack> {
    let colliding = || (0..100_000).map(|i| format!("AAAA{i:04x}"));
    let keys: Value = colliding().map(|key| (key, json!(1))).collect();
    let attack = |name, tool, arguments| Attack { name, tool, arguments };
    let shifted: Vec<u64> = (0..80_000).map(|i| i << 32).collect();
    vec![
        attack("keys of one hash", "count", json!({"v": keys})),
        attack("integers of one hash", "unique", json!({"xs": shifted})),
        attack("a document with keys of one hash", "decode", json!({"text": keys.to_string()})),
        attack("an integer of a million digits", "decode", json!({"text": "9".repeat(1_000_000)})),
        attack("a document nested 100,000 deep", "decode", json!({"text": "[".repeat(100_000)})),
        attack("a list of 500,000 as text", "show", json!({"v": vec![1; 500_000]})),
        attack("a chain of 500,000", "link", json!({"v": vec![1; 500_000]})),
        attack("results of 100 MB", "repeat", json!({"text": "x".repeat(100_000), "n": 1_000})),
        attack("a page of open tags", "convert", json!({"html": "<ul><li>".repeat(120_000)})),
    ]
}

impl Attack {
    fn post(&self) -> Post<'static> {
        Post {
            method: "tools/call",
            name: Some(self.tool),
            params: json!({"name": self.tool, "arguments": self.arguments}),
            expected: "",
        }
    }

    fn measure_cpu(&self, net: &mut Net) -> Result<Row> {
        let millis = net.weigh(&self.post(), 1)?.cpu_micros() / 1e3;
        let what = format!("CPU of one request, {}", self.name);
        Ok(Row::new(what, Amount(millis, Unit::Millis).alone()).bar(CPU_BAR))
    }

    /// Calls the trivial tool until the last attacker has its answer.
    fn measure_latency(&self, net: &mut Net, rounds: u32) -> Result<Row> {
        let trivial = Post::hello();
        net.repeat(&trivial, 200)?;
        let quiet = percentile(&latencies(net, |passed| passed >= 300)?);
        let request = net.request(&self.post());
        let address = net.address();
        let is_over = AtomicBool::new(false);
        let attacked = thread::scope(|scope| {
            let attackers: Vec<_> = (0..ATTACKERS)
                .map(|_| scope.spawn(|| send(address, &request, rounds, &is_over)))
                .collect();
            let attacked =
                latencies(net, |_| attackers.iter().all(thread::ScopedJoinHandle::is_finished));
            is_over.store(true, Ordering::Relaxed);
            for attacker in attackers {
                attacker.join().map_err(|_| anyhow::anyhow!("an attacker panicked"))??;
            }
            attacked
        })?;
        let attacked_p99 = percentile(&attacked);
        let what = format!("p99 under {}, {ATTACKERS} at once, above quiet", self.name);
        let note = format!("{attacked_p99:.1} of {} calls, quiet {quiet:.1}", attacked.len());
        let above = (attacked_p99 - quiet).max(0.0);
        Ok(Row::new(what, Amount(above, Unit::Millis).noted(note)).bar(BAR))
    }
}

/// Sends it once in each round, at a lower priority than the server's and the measured caller's:
/// attackers do not share the machine.
fn send(address: (&str, u16), request: &str, rounds: u32, is_over: &AtomicBool) -> Result<()> {
    rustix::process::setpriority_process(None, 10)?;
    for _ in 0..rounds {
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        let mut stream = TcpStream::connect(address)?;
        stream.write_all(request.as_bytes())?;
        read_answer(&mut BufReader::new(stream), &mut Vec::new())?;
    }
    Ok(())
}

/// Milliseconds of one call after another, with a pause between them, until it is enough.
fn latencies(net: &mut Net, is_enough: impl Fn(usize) -> bool) -> Result<Vec<f64>> {
    let trivial = Post::hello();
    let mut times = Vec::new();
    while !is_enough(times.len()) {
        let begin = Instant::now();
        net.repeat(&trivial, 1)?;
        times.push(begin.elapsed().as_secs_f64() * 1e3);
        thread::sleep(PAUSE);
    }
    Ok(times)
}

fn percentile(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    let at = (times.len() * 99).div_ceil(100).saturating_sub(1);
    times.get(at).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the values are exact in binary")]
mod tests {
    use super::*;

    #[test]
    fn percentile_is_a_value_that_was_seen() {
        let times: Vec<f64> = (1..=200).rev().map(f64::from).collect();
        assert_eq!(percentile(&times), 198.0);
        assert_eq!(percentile(&[3.0]), 3.0);
        assert!(percentile(&[]).is_nan());
    }
}
