//! A server that is told to end: what was begun is finished, and nothing new is begun.
// Tests that read /proc are left out elsewhere, and with them the only users of some helpers.
#![cfg_attr(not(target_os = "linux"), allow(dead_code, unused_imports))]

use crate::held::{Held, Upstream};
use crate::room::Room;
use crate::web::{Reply, Web, read_reply, written};
use serde_json::{Value, json};
use std::io::{BufReader, Write};

fn call(tool: &str, args: Value) -> String {
    json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": args}})
        .to_string()
}

struct Waiting {
    web: Web,
    held: Held,
    call: BufReader<std::net::TcpStream>,
}

/// A call is in flight, and its answer is in the test's hand.
fn waiting(flags: &[&str]) -> Waiting {
    let upstream = Upstream::new();
    let web = Web::start(upstream.room(), flags);
    let headers = [("Content-Type", "application/json")];
    let mut stream = web.connect();
    let call = upstream.call(7).to_string();
    let request = written(web.port, "POST", "/mcp", &headers, &call);
    stream.write_all(&request).unwrap();
    Waiting { web, held: upstream.accept(), call: BufReader::new(stream) }
}

impl Waiting {
    fn answer(&mut self) -> Reply {
        self.held.answer();
        read_reply(&mut self.call)
    }
}

#[test]
fn calls_in_flight_are_finished() {
    for signal in ["TERM", "INT"] {
        let mut waiting = waiting(&[]);
        waiting.web.signal(signal);
        // It says that it ends before it does, and takes nothing new.
        while waiting.web.get("/health/ready").status != 503 {}
        let headers = [("Content-Type", "application/json")];
        let refused = waiting.web.ask("POST", "/mcp", &headers, &call("hello", json!({})));
        assert_eq!(refused.status, 503, "{refused:#?}");
        waiting.web.get("/health/live").is(200);
        let reply = waiting.answer();
        assert_eq!(reply.is(200).json()["result"]["content"][0]["text"], "late");
        let (status, _) = waiting.web.wire.ended();
        assert!(status.success(), "{status}");
    }
}

#[test]
fn a_second_signal_ends_at_once() {
    let mut waiting = waiting(&[]);
    waiting.web.signal("TERM");
    while waiting.web.get("/health/ready").status != 503 {}
    waiting.web.signal("TERM");
    // Its answer never comes.
    let (status, _) = waiting.web.wire.ended();
    assert!(status.success(), "{status}");
}

/// Nothing of a call stays behind when its client has gone.
#[test]
#[cfg(target_os = "linux")]
fn a_client_that_hangs_up_ends_the_commands_of_its_call() {
    let room = Room::new();
    room.write("naps/main.star", "def nap():\n    exec.run(\"sleep\", [\"1000\"])\ntool(nap)");
    room.write(
        "naps/module.toml",
        "name = 'naps'\nversion = '1.0.0'\ndescription = 'd'\n[permissions]\nexec = ['sleep']\n",
    );
    let web = Web::start(room, &[]);
    let headers = [("Content-Type", "application/json")];
    let request = written(web.port, "POST", "/mcp", &headers, &call("nap", json!({})));
    let mut stream = web.connect();
    stream.write_all(&request).unwrap();
    let await_sleep = |wanted: bool| {
        let deadline = std::time::Instant::now() + crate::wire::PATIENCE;
        while runs_below("sleep", web.wire.pid()) != wanted {
            assert!(std::time::Instant::now() < deadline, "{wanted}");
        }
    };
    await_sleep(true);
    drop(stream);
    await_sleep(false);
}

/// Is a program of this name among the descendants of a process?
#[cfg(target_os = "linux")]
fn runs_below(program: &str, ancestor: u32) -> bool {
    let name = std::fs::read_to_string(format!("/proc/{ancestor}/comm"));
    if name.is_ok_and(|name| name.trim() == program) {
        return true;
    }
    let Ok(threads) = std::fs::read_dir(format!("/proc/{ancestor}/task")) else {
        return false;
    };
    let files = threads.flatten().map(|thread| thread.path().join("children"));
    let lists = files.filter_map(|file| std::fs::read_to_string(file).ok());
    let children: Vec<u32> = lists
        .flat_map(|list| list.split_whitespace().flat_map(str::parse).collect::<Vec<_>>())
        .collect();
    children.into_iter().any(|child| runs_below(program, child))
}

/// Whoever hangs up does not want the answer: the script is ended, and what it waits for let go.
#[test]
fn a_client_that_hangs_up_takes_its_call_back() {
    use std::io::Read;
    let waiting = waiting(&[]);
    let Waiting { web, mut held, call } = waiting;
    drop(call);
    held.0.set_read_timeout(Some(crate::wire::PATIENCE)).unwrap();
    let mut rest = Vec::new();
    held.0.read_to_end(&mut rest).unwrap();
    web.get("/health").is(200);
}
