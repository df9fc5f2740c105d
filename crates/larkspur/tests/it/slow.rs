//! Clients that take their time, and bodies that never end: they cost little, and nobody else waits.

use crate::room::Room;
use crate::web::{Web, written};
use rustix::process::{Resource, getrlimit, setrlimit};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const HELLO: &str = "def hello() -> str:\n    return 'hello'\ntool(hello)";
/// Longer than a client may take for its headers or its body, and not forever.
const PATIENCE: Duration = Duration::from_mins(1);

fn web() -> Web {
    let room = Room::new();
    room.write("greet.star", HELLO).project("[server]\nconnections_per_address = 4096\n");
    Web::start(room, &[])
}

fn hello(web: &Web) {
    let call =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "hello"}});
    let reply = web.plain(&call);
    assert_eq!(reply.is(200).json()["result"]["content"][0]["text"], "hello");
}

/// Opens many that send a beginning, and then a byte now and then.
fn many(web: &Web, beginning: &[u8], count: usize) -> Vec<TcpStream> {
    let streams = (0..count).map(|_| {
        let mut stream = web.connect();
        stream.write_all(beginning).unwrap();
        stream.set_nonblocking(true).unwrap();
        stream
    });
    streams.collect()
}

/// Goes on with a byte each, and with good traffic between, until all of them have been closed.
fn drip_until_closed(web: &Web, mut streams: Vec<TcpStream>) {
    let deadline = Instant::now() + PATIENCE;
    while !streams.is_empty() {
        assert!(Instant::now() < deadline, "{} are still open", streams.len());
        hello(web);
        streams.retain_mut(|stream| {
            let _ = stream.write(b" ");
            let mut answer = [0; 512];
            loop {
                match stream.read(&mut answer) {
                    Ok(0) => return false,
                    Ok(_) => {}
                    Err(error) => return error.kind() == std::io::ErrorKind::WouldBlock,
                }
            }
        });
    }
}

/// Room for the sockets of both sides.
fn many_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
    assert!(limit.current.is_none_or(|most| most > 4_096), "{limit:?}");
}

#[test]
fn slow_headers_and_slow_bodies_are_closed() {
    many_files();
    let web = web();
    let headers = many(&web, b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow:", 1_000);
    let slow = [("Content-Type", "application/json"), ("Content-Length", "100000")];
    let body = written(web.port, "POST", "/mcp", &slow, "{");
    let bodies = many(&web, &body, 1_000);
    drip_until_closed(&web, headers);
    drip_until_closed(&web, bodies);
    hello(&web);
}
