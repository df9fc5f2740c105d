//! Ten thousand requests that no client would send, and a body of a gigabyte.
// Tests that read /proc are left out elsewhere, and with them the only users of some helpers.
#![cfg_attr(not(target_os = "linux"), allow(dead_code, unused_imports))]

use crate::fuzz::{Chance, line};
use crate::room::Room;
use crate::web::{MODERN, Web, read_head, written};
use serde_json::json;
use std::io::{BufReader, Read, Write};

const REQUESTS: u64 = 10_000;
const HELLO: &str = "def hello(name: str = 'you') -> str:\n    return 'hello ' + name\ntool(hello)";

fn web() -> Web {
    let room = Room::new();
    room.write("greet.star", HELLO);
    Web::start(room, &[])
}

fn still_there(web: &Web) {
    let call =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "hello"}});
    let reply = web.plain(&call);
    assert_eq!(reply.is(200).json()["result"]["content"][0]["text"], "hello you");
    assert!(!web.wire.stderr().contains("panicked"), "{}", web.wire.stderr());
}

/// Headers that are right, nearly right, and wrong.
const HEADERS: [(&str, &str); 12] = [
    ("Accept", "application/json, text/event-stream"),
    ("Accept", "*/*"),
    ("MCP-Protocol-Version", MODERN),
    ("MCP-Protocol-Version", "2025-06-18"),
    ("MCP-Protocol-Version", "\u{7f}"),
    ("Mcp-Method", "tools/call"),
    ("Mcp-Method", "tools/list"),
    ("Mcp-Name", "hello"),
    ("Mcp-Name", "=?base64?////?="),
    ("Mcp-Session-Id", "00000000-0000-0000-0000-000000000000"),
    ("Last-Event-ID", "7/7"),
    ("Content-Encoding", "identity"),
];

#[test]
fn fuzzed_requests_do_not_end_the_server() {
    let web = web();
    let mut chance = Chance(0x6a09_e667_f3bc_c908);
    let mut seen = std::collections::BTreeMap::new();
    for i in 0..REQUESTS {
        let body = line(i, &mut chance);
        // One that listens, or has a session, is answered for as long as the test would wait.
        if body.windows(6).any(|part| part == b"listen") {
            continue;
        }
        let mut headers = vec![("Content-Type", "application/json")];
        for _ in 0..chance.below(4) {
            headers.push(HEADERS[chance.below(HEADERS.len())]);
        }
        let length = body.len().to_string();
        headers.push(("Content-Length", &length));
        let mut request = written(web.port, "POST", "/mcp", &headers, "");
        request.extend_from_slice(&body);
        let mut stream = web.connect();
        let _ = stream.write_all(&request);
        let mut stream = BufReader::new(stream);
        let (status, _) = read_head(&mut stream);
        *seen.entry(status).or_insert(0) += 1;
        assert!(status < 500, "{status} to {}", String::from_utf8_lossy(&body));
    }
    assert!(seen[&200] > 500, "{seen:?}");
    assert!(seen[&400] > 500, "{seen:?}");
    still_there(&web);
}

/// Memory that the server uses, in bytes.
fn rss(web: &Web) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", web.wire.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    let kib = line.split_whitespace().nth(1).unwrap();
    kib.parse::<u64>().unwrap() << 10
}

/// Sends until the server has heard enough; answers the status.
fn pour(web: &Web, head: &[u8], piece: &[u8]) -> u16 {
    let mut stream = web.connect();
    stream.write_all(head).unwrap();
    let mut reader = stream.try_clone().unwrap();
    let mut sent = 0;
    while sent < 1 << 30 {
        match stream.write(piece) {
            Ok(count) => sent += count,
            Err(_) => break,
        }
    }
    let mut answer = [0; 12];
    // Whoever closes with the rest unread may take the answer back.
    match reader.read_exact(&mut answer) {
        Ok(()) => std::str::from_utf8(&answer[9..]).unwrap().parse().unwrap(),
        Err(_) => 413,
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_gigabyte_costs_little() {
    let web = web();
    still_there(&web);
    let before = rss(&web);
    let json = ("Content-Type", "application/json");
    let known = written(web.port, "POST", "/mcp", &[json, ("Content-Length", "1073741824")], "");
    assert_eq!(pour(&web, &known, &vec![b' '; 65_536]), 413);
    let chunks = written(web.port, "POST", "/mcp", &[json, ("Transfer-Encoding", "chunked")], "");
    let mut piece = b"10000\r\n".to_vec();
    piece.resize(piece.len() + 65_536, b' ');
    piece.extend_from_slice(b"\r\n");
    assert_eq!(pour(&web, &chunks, &piece), 413);
    let expecting = [json, ("Content-Length", "1073741824"), ("Expect", "100-continue")];
    web.raw(&written(web.port, "POST", "/mcp", &expecting, "")).is(413);
    let more = rss(&web) - before;
    assert!(more <= 16 << 20, "{more} bytes more than before");
    still_there(&web);
}
