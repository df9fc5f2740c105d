//! `larkspur dev`: the board while somebody writes.

use crate::fixture::greeting;
use crate::folder::manifest;
use crate::room::Room;
use crate::web::{read_reply, written};
use crate::wire::{PATIENCE, keep};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

struct Dev {
    child: Child,
    said: Arc<Mutex<String>>,
    /// What was read before this has been dealt with.
    from: usize,
}

impl Dev {
    fn start(room: &Room) -> Self {
        Self::with(room, &[])
    }

    /// With further flags.
    fn with(room: &Room, flags: &[&str]) -> Self {
        let mut child = room
            .larkspur(&[&["dev"], flags].concat())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let said = Arc::new(Mutex::new(String::new()));
        drop(keep(child.stdout.take().unwrap(), Arc::clone(&said)));
        Self { child, said, from: 0 }
    }

    /// Waits for this to be said after what was waited for before.
    #[track_caller]
    fn says(&mut self, part: &str) -> &mut Self {
        let (_quiet, nothing) = std::sync::mpsc::channel::<()>();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let said = self.said.lock().unwrap()[self.from..].to_owned();
            if let Some(at) = said.find(part) {
                self.from += at + part.len();
                return self;
            }
            assert!(Instant::now() < deadline, "`{part}` was never said, but:\n{said}");
            let _ = nothing.recv_timeout(Duration::from_millis(5));
        }
    }
}

impl Dev {
    /// Where it serves, and all that was said until then.
    #[track_caller]
    fn port(&mut self) -> u16 {
        self.says("serving http://127.0.0.1:");
        let from = self.from;
        self.says("/mcp");
        let said = self.said.lock().unwrap()[from..self.from].to_owned();
        said.trim_end_matches("/mcp").parse().unwrap()
    }

    #[track_caller]
    fn ends(&mut self) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                assert!(status.success(), "{status}");
                return;
            }
            assert!(Instant::now() < deadline, "it does not end");
            std::thread::yield_now();
        }
    }
}

/// A call as curl makes it.
fn call(port: u16, tool: &str, args: Value) -> TcpStream {
    let params = json!({"name": tool, "arguments": args});
    let message =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let headers = [("Content-Type", "application/json")];
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = written(port, "POST", "/mcp", &headers, &message);
    stream.write_all(&request).unwrap();
    stream
}

fn answer(stream: TcpStream) -> Value {
    read_reply(&mut BufReader::new(stream)).is(200).json()
}

impl Drop for Dev {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const TEST: &str = "load(\"greet\", \"hello\")\n\
                    def test_hello():\n    testing.eq(hello(\"ada\"), \"hello ada\")\n";

/// It is a server like any other to those who ask.
#[test]
fn status_and_orders_find_it() {
    let room = Room::new();
    room.write("hello.star", &greeting("hi"));
    let mut dev = Dev::start(&room);
    dev.port();
    dev.says("hello");
    room.run(&["status"]).exits(0).says("hello");
    room.run(&["reload", "hello"]).exits(0);
    dev.child.kill().unwrap();
    dev.child.wait().unwrap();
    room.run(&["status"]).exits(1);
}

#[test]
fn the_board_shows_what_happens_as_it_happens() {
    let room = Room::new();
    room.write("greet.star", &greeting("hello")).write("greet_test.star", TEST);
    let mut dev = Dev::start(&room);
    dev.says("watching modules")
        .says("● greet  1 tool  loaded in")
        .says("  surface: flat (1 tool, ")
        .says(" tokens < 2,000)\n")
        .says("tests: 1 passed");
    room.write("greet.star", "def hello(name: str) -> str:\n    return oops\ntool(hello)\n");
    dev.says("✗ modules/greet.star  new version refused, the last good one is still served")
        .says("2 │     return oops")
        .says("^^^^")
        .says("tests: 1 failed");
    room.write("greet.star", &greeting("good day"));
    dev.says("● greet  reloaded, 1 tool").says("✗ test_hello").says("tests: 1 failed");
    room.write("greet_test.star", &TEST.replace("hello ada", "good day ada"));
    dev.says("greet_test.star  saved").says("tests: 1 passed");
    room.remove("greet_test.star").remove("greet.star");
    dev.says("○ greet  removed");
}

#[test]
fn an_empty_folder_says_what_to_do() {
    let room = Room::without("modules");
    let mut dev = Dev::start(&room);
    dev.says("no modules yet; `larkspur new hello` writes one");
    room.run(&["new", "hello"]).exits(0);
    dev.says("● hello  loaded, 1 tool").says("tests: 3 passed");
}

#[test]
fn clients_are_told_where_it_is_and_their_calls_are_shown() {
    let room = Room::new();
    room.write("greet.star", &greeting("hello"))
        .write("sad.star", "def cry(word: str) -> str:\n    fail(\"no\\nmore\")\ntool(cry)\n");
    let mut dev = Dev::with(&room, &["-p", "0"]);
    let port = dev.port();
    dev.says("for a client's configuration:\n");
    let from = dev.from;
    dev.says("\n}\n");
    let configuration: Value =
        serde_json::from_str(&dev.said.lock().unwrap()[from..dev.from]).unwrap();
    let url = format!("http://127.0.0.1:{port}/mcp");
    assert_eq!(configuration, json!({"mcpServers": {"larkspur": {"type": "http", "url": url}}}));
    let hello = answer(call(port, "hello", json!({"name": "hush-hush"})));
    assert_eq!(hello["result"]["content"][0]["text"], "hello hush-hush");
    dev.says("Z  greet.hello  ").says(" ms  ok\n");
    answer(call(port, "cry", json!({"word": "hush-hush"})));
    dev.says("Z  sad.cry  ").says(" ms  error no\n");
    answer(call(port, "helo\r\n", json!({"word": "hush-hush"})));
    dev.says("Z  helo\\r\\n  ").says("error there is no tool `helo");
    assert!(!dev.said.lock().unwrap().contains("hush"));
    // An edit is served at once, and the next call shows it.
    room.write("greet.star", &greeting("good day"));
    dev.says("● greet  reloaded, 1 tool");
    let hello = answer(call(port, "hello", json!({"name": "ada"})));
    assert_eq!(hello["result"]["content"][0]["text"], "good day ada");
}

#[test]
fn a_port_that_is_taken_gives_way_unless_it_was_asked_for() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let room = Room::new();
    room.write("greet.star", &greeting("hello")).project(&format!("[server]\nport = {port}\n"));
    let mut dev = Dev::start(&room);
    let other = dev.port();
    assert_ne!(other, port);
    dev.says(&format!("port {port} is taken"));
    answer(call(other, "hello", json!({"name": "ada"})));
    room.run(&["dev", "-p", &port.to_string()])
        .exits(1)
        .notes(&format!("cannot listen on 127.0.0.1:{port}"))
        .notes("-p 0 takes a free port");
    drop(taken);
    assert_eq!(Dev::start(&room).port(), port);
}

#[test]
fn other_machines_are_for_serve() {
    let room = Room::new();
    room.run(&["dev", "--host", "0.0.0.0"]).exits(2).notes(
        "`larkspur dev` listens on this machine only; for others use `larkspur serve --http \
         --host 0.0.0.0 --auth token`",
    );
    // Nor does the project's file open it.
    room.project("[server]\nhost = '0.0.0.0'\nauth = 'token'\n");
    let mut dev = Dev::with(&room, &["-p", "0"]);
    let port = dev.port();
    dev.says("\"Authorization\": \"Bearer ");
    let refused = read_reply(&mut BufReader::new(call(port, "hello", json!({}))));
    refused.is(401);
}

#[test]
fn ctrl_c_lets_calls_finish() {
    let upstream = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = upstream.local_addr().unwrap();
    let room = Room::new();
    let wait = "def wait(url: str) -> str:\n    return http.get(url)[\"body\"]\ntool(wait)\n";
    room.write("wait.star", &format!("permissions(http = ['{at}'])\n{wait}"));
    let mut dev = Dev::with(&room, &["-p", "0"]);
    let port = dev.port();
    let waiting = call(port, "wait", json!({"url": format!("http://{at}/")}));
    let (mut asked, _) = upstream.accept().unwrap();
    let mut lines = BufReader::new(asked.try_clone().unwrap()).lines();
    while lines.next().unwrap().unwrap() != "" {}
    let pid = dev.child.id().to_string();
    let sent = Command::new("kill").args(["-s", "INT", &pid]).status();
    assert!(sent.unwrap().success());
    asked
        .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlate")
        .unwrap();
    assert_eq!(answer(waiting)["result"]["content"][0]["text"], "late");
    dev.says("Z  wait.wait  ");
    dev.ends();
}

#[test]
fn what_is_offered_is_counted() {
    let room = Room::new();
    let mut dev = Dev::with(&room, &["-p", "0"]);
    dev.says("no modules yet");
    room.write("words.star", "def begin() -> str:\n    return \"x\"\nprompt(begin)\n");
    dev.says("● words  loaded, 1 prompt,");
    room.write(
        "words.star",
        "def begin() -> str:\n    return \"x\"\nprompt(begin)\nresource(\"words://x\", begin)\n",
    );
    dev.says("● words  reloaded, 1 resource, 1 prompt,");
}

#[test]
fn secrets_that_are_not_set_are_waited_for() {
    let room = Room::new();
    let secrets = "[secrets]\ntoken = { hosts = ['a.example.org'] }";
    room.write("hub/module.toml", &manifest("hub", secrets))
        .write("hub/main.star", &greeting("hello"));
    let mut dev = Dev::start(&room);
    let waits = "◐ waits for the secret `token`; `larkspur secret set hub.token` sets it";
    dev.says("● hub  1 tool").says(waits);
    room.write("hub/main.star", &greeting("good day"));
    dev.says("● hub  reloaded, 1 tool").says(waits);
    room.run_with(&["secret", "set", "hub.token"], "x").exits(0);
    room.write("hub/main.star", &greeting("good evening"));
    dev.says("● hub  reloaded, 1 tool");
    let from = dev.from;
    room.write("more.star", &greeting("hi"));
    dev.says("● more  loaded");
    assert!(!dev.said.lock().unwrap()[from..].contains("waits"));
}
