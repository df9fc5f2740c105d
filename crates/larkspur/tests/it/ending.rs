//! A server that is told to end: what was begun is finished, and nothing new is begun.
// Tests that read /proc are left out elsewhere, and with them the only users of some helpers.
#![cfg_attr(not(target_os = "linux"), allow(dead_code, unused_imports))]

use crate::room::Room;
use crate::web::{Reply, Web, read_reply, written};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

/// Waits in a call until the test's own server answers.
const WAIT: &str = r#"
def wait(url: str) -> str:
    return http.get(url)["body"]

def hello() -> str:
    return "hello"

tool(wait)
tool(hello)
"#;

fn call(tool: &str, args: Value) -> String {
    json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": args}})
        .to_string()
}

struct Waiting {
    web: Web,
    upstream: std::net::TcpStream,
    call: BufReader<std::net::TcpStream>,
}

/// A call is in flight, and its answer is in the test's hand.
fn waiting(flags: &[&str]) -> Waiting {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let room = Room::new();
    let source = format!("permissions(http = ['127.0.0.1:{port}'])\n{WAIT}");
    room.write("wait.star", &source);
    let web = Web::start(room, flags);
    let args = json!({"url": format!("http://127.0.0.1:{port}/")});
    let headers = [("Content-Type", "application/json")];
    let mut stream = web.connect();
    let request = written(web.port, "POST", "/mcp", &headers, &call("wait", args));
    stream.write_all(&request).unwrap();
    let (upstream, _) = listener.accept().unwrap();
    let mut asked = BufReader::new(upstream.try_clone().unwrap()).lines();
    while asked.next().unwrap().unwrap() != "" {}
    Waiting {
        web,
        upstream,
        call: BufReader::new(stream),
    }
}

impl Waiting {
    fn answer(&mut self) -> Reply {
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlate";
        self.upstream.write_all(answer).unwrap();
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
        let refused = waiting
            .web
            .ask("POST", "/mcp", &headers, &call("hello", json!({})));
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

/// A client that closes its end of the pipe takes the other door with it.
#[test]
fn the_end_of_input_ends_both_doors() {
    let mut waiting = waiting(&["--transport", "stdio,http"]);
    drop(waiting.web.wire.take_stdin());
    while waiting.web.get("/health/ready").status != 503 {}
    let reply = waiting.answer();
    assert_eq!(reply.is(200).json()["result"]["content"][0]["text"], "late");
    let (status, _) = waiting.web.wire.ended();
    assert!(status.success(), "{status}");
}

/// Nothing of a call stays behind when its client has gone.
#[test]
#[cfg(target_os = "linux")]
fn a_client_that_hangs_up_ends_the_commands_of_its_call() {
    let room = Room::new();
    room.write(
        "naps/main.star",
        "def nap():\n    exec.run(\"sleep\", [\"1000\"])\ntool(nap)",
    );
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
    let files = threads
        .flatten()
        .map(|thread| thread.path().join("children"));
    let lists = files.filter_map(|file| std::fs::read_to_string(file).ok());
    let children: Vec<u32> = lists
        .flat_map(|list| {
            list.split_whitespace()
                .flat_map(str::parse)
                .collect::<Vec<_>>()
        })
        .collect();
    children.into_iter().any(|child| runs_below(program, child))
}

/// Whoever hangs up does not want the answer: the script is ended, and what it waits for let go.
#[test]
fn a_client_that_hangs_up_takes_its_call_back() {
    use std::io::Read;
    let waiting = waiting(&[]);
    let Waiting {
        web,
        mut upstream,
        call,
    } = waiting;
    drop(call);
    upstream
        .set_read_timeout(Some(crate::wire::PATIENCE))
        .unwrap();
    let mut rest = Vec::new();
    upstream.read_to_end(&mut rest).unwrap();
    web.get("/health").is(200);
}
