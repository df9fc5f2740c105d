//! Legacy sessions over HTTP: how many there are, what ends them, and what they cost.

use crate::held::Upstream;
use crate::room::Room;
use crate::session::{Session, initialize, response};
use crate::web::Web;
use serde_json::json;

const REVISION: &str = "2025-11-25";

fn web(project: &str) -> Web {
    let room = Room::new();
    room.project(project);
    Web::start(room, &[])
}

fn open(web: &Web) -> Session<'_> {
    Session::open(web, REVISION, json!({}))
}

/// Status of a ping in each session.
fn statuses(sessions: &[Session<'_>]) -> Vec<u16> {
    let pings = sessions.iter().map(|session| session.ping().status);
    pings.collect()
}

#[test]
fn the_session_that_has_been_idle_longest_is_evicted() {
    for setting in ["sessions_per_caller", "sessions"] {
        let web = web(&format!("[server]\n{setting} = 3\n"));
        let mut sessions: Vec<Session<'_>> = (0..3).map(|_| open(&web)).collect();
        sessions[0].ping().is(200);
        sessions.push(open(&web));
        assert_eq!(statuses(&sessions), [200, 404, 200, 200], "{setting}");
        sessions.push(open(&web));
        assert_eq!(statuses(&sessions), [404, 404, 200, 200, 200], "{setting}");
        let unknown = web.post(
            &[("Mcp-Session-Id", "none")],
            &json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}),
        );
        assert_eq!(sessions[0].ping().body, unknown.is(404).body, "{setting}");
    }
}

#[test]
fn a_caller_has_256_sessions_by_default() {
    let web = web("");
    let mut sessions: Vec<Session<'_>> = (0..256).map(|_| open(&web)).collect();
    assert_eq!(statuses(&sessions), [200; 256]);
    sessions.push(open(&web));
    let mut expected = vec![404];
    expected.extend([200; 256]);
    assert_eq!(statuses(&sessions), expected);
}

#[test]
fn settings_that_make_no_sense_are_reported_with_their_place() {
    for (setting, place) in [
        ("sessions = 0", "larkspur.toml:2:12"),
        ("sessions_per_caller = 0", "larkspur.toml:2:23"),
        ("sessions_per_caller = 'many'", "larkspur.toml:2:23"),
    ] {
        let room = Room::new();
        room.project(&format!("[server]\n{setting}\n"));
        let name = setting.split(' ').next().unwrap();
        let ran = room.run(&["serve", "--http", "-p", "0"]);
        ran.exits(6).notes(place).notes(&format!("`server.{name}`"));
    }
}

/// An `initialize` costs the server more than most calls.
#[test]
fn initialize_counts_by_rate() {
    let web = web("[limits]\ncaller_rate = '2/h'\n");
    let open = || initialize(&web, REVISION, json!({}));
    open().is(200);
    // Without a session it counts as well.
    let plain = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": REVISION, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    web.plain(&plain).is(200);
    for reply in [open(), web.plain(&plain)] {
        let error = reply.is(429).json()["error"].clone();
        assert_eq!(error["code"], 1001, "{error}");
        assert_eq!(error["data"]["limit"], "caller_rate", "{error}");
        let wait: u64 = reply.header("retry-after").unwrap().parse().unwrap();
        assert!((1700..=1800).contains(&wait), "{wait}");
    }
}

#[test]
fn a_deleted_session_is_unknown() {
    let web = web("");
    let session = open(&web);
    assert_eq!(session.delete().is(204).body, "");
    session.ping().is(404);
    session.delete().is(404);
}

/// The second one is rejected at once, and the first one goes on.
#[test]
fn an_id_in_use_is_rejected() {
    let upstream = Upstream::new();
    let web = Web::start(upstream.room(), &[]);
    let session = open(&web);
    let first = session.send(&upstream.call(7));
    let mut held = upstream.accept();
    let ping = json!({"jsonrpc": "2.0", "id": 7, "method": "ping"});
    for again in [upstream.call(7), ping] {
        let reply = session.post(&again);
        let answer = reply.is(400).json();
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        assert_eq!(answer["id"], 7, "{answer}");
        let why = answer["error"]["message"].as_str().unwrap();
        assert!(why.contains("in use"), "{why}");
    }
    // Ids of another session are none of its business.
    let other = open(&web);
    let other = other.post(&json!({"jsonrpc": "2.0", "id": 7, "method": "ping"}));
    other.is(200);
    held.answer();
    let answer = response(first).is(200).events().pop().unwrap();
    assert_eq!(answer["id"], 7);
    assert_eq!(answer["result"]["content"][0]["text"], "late");
}

/// Kilobytes of memory in use, looked at from outside.
#[cfg(target_os = "linux")]
fn rss(web: &Web) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", web.wire.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1));
    kilobytes.unwrap().parse().unwrap()
}

/// 2,000 sessions that nobody ends take as much as the 256 that are kept.
#[test]
#[cfg(target_os = "linux")]
fn sessions_take_bounded_memory() {
    let web = web("");
    let many = |count: u32| {
        for _ in 0..count {
            initialize(&web, REVISION, json!({})).is(200);
        }
        rss(&web)
    };
    let full = many(300);
    let more = many(2_000).saturating_sub(full);
    assert!(more < 32 << 10, "{more} kB more than with 300 sessions");
}

#[test]
#[cfg(target_os = "linux")]
fn memory_is_returned_when_sessions_end() {
    let web = web("");
    let round = || {
        for _ in 0..100 {
            let session = open(&web);
            let status = session.delete().status;
            assert!(status == 204, "{status}");
        }
        rss(&web)
    };
    let first = round();
    let mut last = first;
    for _ in 0..5 {
        last = round();
    }
    let more = last.saturating_sub(first);
    assert!(more < 8 << 10, "{more} kB more than after the first sessions");
}
