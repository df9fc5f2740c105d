//! Threads of lower priority for scripts and large messages, seen from outside.

use crate::fixture::{Server, body_of, saying};
use crate::room::Room;
use crate::web::Web;
use serde_json::{Value, json};

const LENGTH: &str = "
def length(text: str) -> int:
    return len(text)
tool(length)
";

const LARGE: usize = 65 << 10;

fn text(length: usize) -> Value {
    json!({"text": "a".repeat(length)})
}

/// Nice values of the threads of a process that have this name.
fn nice(pid: u32, name: &str) -> Vec<i32> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let stats = threads.filter_map(|thread| {
        let file = thread.ok()?.path().join("stat");
        std::fs::read_to_string(file).ok()
    });
    let named = stats.filter_map(|stat| {
        // The fields from the third on follow the name.
        let (head, fields) = stat.rsplit_once(") ")?;
        let is_named = head.split_once('(')?.1 == name;
        let nice = fields.split(' ').nth(16)?.parse().ok()?;
        is_named.then_some(nice)
    });
    named.collect()
}

fn lowered(pid: u32, by: i32) -> i32 {
    let serving = nice(pid, "tokio-rt-worker");
    assert!(!serving.is_empty(), "threads that serve");
    let main = serving[0];
    assert!(serving.iter().all(|nice| *nice == main), "{serving:?}");
    (main + by).min(19)
}

#[track_caller]
fn all_lowered(pid: u32, name: &str, by: i32) {
    let nice = nice(pid, name);
    assert!(!nice.is_empty(), "there is no thread `{name}`");
    let expected = lowered(pid, by);
    assert!(nice.iter().all(|nice| *nice == expected), "{nice:?}");
}

#[test]
fn calls_run_at_lower_priority() {
    let mut server = Server::start();
    server.module("one", &saying("one", "1")).call("one", json!({})).text("1");
    let pid = server.wire().pid();
    all_lowered(pid, "script", 10);
}

#[test]
fn large_line_is_parsed_at_lowest_priority() {
    let mut server = Server::start();
    server.module("length", LENGTH).call("length", text(10)).text("10");
    let pid = server.wire().pid();
    assert!(nice(pid, "large").is_empty());
    let small = server.send_call("length", text(20));
    let large = server.send_call("length", text(LARGE));
    let last = server.send_call("length", text(30));
    server.answer(last).text("30");
    server.answer(large).text(&LARGE.to_string());
    server.answer(small).text("20");
    all_lowered(pid, "large", 19);
    server
        .line(format!("{{\"jsonrpc\": {}", "[".repeat(LARGE)).as_bytes())
        .call("length", text(2 * LARGE))
        .text(&(2 * LARGE).to_string());
}

#[test]
fn large_body_is_parsed_at_lowest_priority() {
    let room = Room::new();
    room.write("length.star", LENGTH);
    let web = Web::start(room, &[]);
    let pid = web.wire.pid();
    let call = |length| {
        let params = json!({"name": "length", "arguments": text(length)});
        let reply = web.modern("tools/call", params).is(200).json();
        body_of(&reply["result"]).to_owned()
    };
    assert_eq!(call(10), "10");
    assert!(nice(pid, "large").is_empty());
    assert_eq!(call(LARGE), LARGE.to_string());
    all_lowered(pid, "large", 19);
    let unknown = json!({"name": "unknown", "arguments": text(LARGE)});
    assert_eq!(web.modern("tools/call", unknown).code(), -32602);
}
