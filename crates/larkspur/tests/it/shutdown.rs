//! The end of input, signals, and messages that are too large.
// Tests that read /proc are left out elsewhere, and with them the only users of some helpers.
#![cfg_attr(not(target_os = "linux"), allow(dead_code, unused_imports))]

use crate::calls::SPIN;
use crate::fixture::{Opening, Server, greeting};
use crate::held::Upstream;
use crate::room::Room;
use crate::screen::Screen;
use crate::web::{Web, read_reply, written};
use serde_json::json;
use std::io::{BufReader, Write};
use std::process::Command;
use std::time::Duration;

/// Calls in flight may take 30 s, and then their threads have some time to end.
const DRAINED: Duration = Duration::from_secs(45);

fn signal(pid: u32, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &pid.to_string()]).status();
    assert!(sent.unwrap().success());
}

/// Longer than the five seconds that calls had once.
const NAP: &str = r#"
def nap() -> str:
    time.sleep("6500ms")
    return "rested"

tool(nap)
"#;

#[test]
fn a_call_in_flight_at_the_end_of_input_has_the_drain_limit() {
    for opening in [Opening::Legacy, Opening::Modern] {
        let mut server = Server::start_as(opening);
        server.module("nap", NAP).up();
        let id = server.send_call("nap", json!({}));
        server.status_until("in flight", |status| status["in_flight"] == 1);
        server.leave_within(DRAINED);
        server.answer(id).text("rested");
    }
}

#[test]
fn a_call_that_is_cut_off_is_reported() {
    let mut server = Server::start();
    server.room.project("[limits]\ntimeout = '10m'\nticks = 5_000_000_000\n");
    server.module("spin", SPIN).up();
    server.send_call("spin", json!({}));
    server.status_until("in flight", |status| status["in_flight"] == 1);
    drop(server.wire().take_stdin());
    let (status, _) = server.wire().ended_within(DRAINED);
    assert_eq!(status.code(), Some(1));
    server.warned("cut off").warned("spin");
}

/// Over HTTP its client is told; the connection alone would not say why.
#[test]
fn a_call_over_http_that_is_cut_off_is_answered() {
    let room = Room::new();
    room.project("[limits]\ntimeout = '10m'\nticks = 5_000_000_000\n");
    room.write("spin.star", SPIN);
    let mut web = Web::start(room, &[]);
    let call =
        json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "spin"}});
    let headers = [("Content-Type", "application/json")];
    let mut stream = web.connect();
    stream.set_read_timeout(Some(DRAINED)).unwrap();
    let request = written(web.port, "POST", "/mcp", &headers, &call.to_string());
    stream.write_all(&request).unwrap();
    let is_running = || web.get("/metrics").body.contains("larkspur_calls_in_flight 1");
    while !is_running() {}
    web.signal("TERM");
    let reply = read_reply(&mut BufReader::new(stream));
    let answer = reply.is(503).json();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(7), &json!(-32603)));
    let why = answer["error"]["message"].as_str().unwrap();
    assert!(why.contains("cut off"), "{why}");
    web.wire.ended_within(DRAINED);
}

/// Service managers and containers start programs without an input.
#[test]
fn the_end_of_input_ends_stdio_alone() {
    let upstream = Upstream::new();
    let mut web = Web::start(upstream.room(), &["--transport", "stdio,http"]);
    web.wire.send(upstream.call(7).to_string().as_bytes());
    let mut held = upstream.accept();
    drop(web.wire.take_stdin());
    web.wire.warned("stdin closed");
    web.get("/health/ready").is(200);
    // Its call is finished as well.
    held.answer();
    let answer = web.wire.answer(&json!(7));
    assert_eq!(answer["result"]["content"][0]["text"], "late");
    let call =
        json!({"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"name": "hello"}});
    let reply = web.plain(&call).is(200).json();
    assert_eq!(reply["result"]["content"][0]["text"], "hello");
    web.signal("TERM");
    let (status, _) = web.wire.ended();
    assert_eq!(status.code(), Some(0));
}

#[test]
fn a_signal_lets_calls_over_stdio_finish() {
    for name in ["TERM", "INT"] {
        let upstream = Upstream::new();
        let mut server = Server::start_in(upstream.room(), Opening::Legacy);
        server.line(upstream.call(70).to_string().as_bytes());
        let mut held = upstream.accept();
        signal(server.wire().pid(), name);
        held.answer();
        server.answer(70).text("late");
        let (status, _) = server.wire().ended();
        assert_eq!(status.code(), Some(0), "{name}");
    }
}

#[test]
fn sighup_reads_the_configuration_again() {
    let upstream = Upstream::new();
    let mut web = Web::start(upstream.room(), &[]);
    let call = upstream.call(7).to_string();
    let headers = [("Content-Type", "application/json")];
    let mut stream = web.connect();
    let request = written(web.port, "POST", "/mcp", &headers, &call);
    stream.write_all(&request).unwrap();
    let mut held = upstream.accept();
    for _ in 0..2 {
        web.signal("HUP");
        web.get("/health/ready").is(200);
    }
    web.wire.warned("SIGHUP");
    held.answer();
    let reply = read_reply(&mut BufReader::new(stream));
    assert_eq!(reply.is(200).json()["result"]["content"][0]["text"], "late");
    web.signal("TERM");
    let (status, _) = web.wire.ended();
    assert_eq!(status.code(), Some(0));
}

/// Nobody could end a server whose terminal is gone.
#[test]
fn sighup_with_a_terminal_drains_and_ends() {
    let upstream = Upstream::new();
    let room = upstream.room();
    let mut screen = Screen::start(&room, &["serve", "--http", "-p", "0"]);
    let address = screen.until_between("listening on http://", "/mcp");
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let headers = [("Content-Type", "application/json")];
    let call = upstream.call(7).to_string();
    stream.write_all(&written(0, "POST", "/mcp", &headers, &call)).unwrap();
    let mut held = upstream.accept();
    screen.hang_up();
    held.answer();
    let reply = read_reply(&mut BufReader::new(stream));
    assert_eq!(reply.is(200).json()["result"]["content"][0]["text"], "late");
    assert_eq!(screen.end().code, Some(0));
}

fn room(project: &str) -> Room {
    let room = Room::new();
    room.write("greet.star", &greeting("hello"));
    room.project(project);
    room
}

/// A call with so many bytes, and the name in it; its id comes first, or last as some clients write it.
fn sized(bytes: usize, id_first: bool) -> (String, String) {
    let make = |name: &str| {
        let call = format!(
            r#""method":"tools/call","params":{{"name":"hello","arguments":{{"name":"{name}"}}}}"#
        );
        if id_first {
            format!(r#"{{"jsonrpc":"2.0","id":7,{call}}}"#)
        } else {
            format!(r#"{{{call},"jsonrpc":"2.0","id":7}}"#)
        }
    };
    let name = "x".repeat(bytes - make("").len());
    (make(&name), name)
}

/// The setting, and what holds without it.
const SIZES: [(&str, usize); 2] = [("message_bytes = '64KiB'", 64 << 10), ("", 4 << 20)];

#[test]
fn a_message_over_stdio_has_a_maximum_size() {
    for (setting, most) in SIZES {
        let project = format!("[server]\nresult_tokens = 9_000_000\n{setting}\n");
        for id_first in [true, false] {
            let mut server = Server::start_in(room(&project), Opening::Legacy);
            let (line, name) = sized(most, id_first);
            server.line(line.as_bytes()).answer(7).text(&format!("hello {name}"));
            for bytes in [most + 1, 2 * most, 5 * most] {
                server
                    .line(sized(bytes, id_first).0.as_bytes())
                    .answer(7)
                    .refused(-32600, "message_bytes");
            }
            server.call("hello", json!({"name": "ada"})).text("hello ada");
            let more = server.wire().unasked();
            assert!(more.is_empty(), "{more:#?}");
        }
    }
}

/// Clients that write a whole body before they read see why it was refused.
#[test]
fn a_message_over_http_has_a_maximum_size() {
    for (setting, most) in SIZES {
        let project = format!("[server]\nresult_tokens = 9_000_000\n{setting}\n");
        let web = Web::start(room(&project), &[]);
        let headers = [("Content-Type", "application/json")];
        let post = |bytes: usize| {
            let request = written(web.port, "POST", "/mcp", &headers, &sized(bytes, true).0);
            let mut stream = web.connect();
            stream.write_all(&request).expect("the server reads the body");
            read_reply(&mut BufReader::new(stream))
        };
        post(most).is(200);
        for bytes in [most + 1, 5 << 20, 20 << 20] {
            let reply = post(bytes);
            assert!(reply.is(413).body.contains("message_bytes"), "{reply:#?}");
        }
        post(most).is(200);
    }
}
