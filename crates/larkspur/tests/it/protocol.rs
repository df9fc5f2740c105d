//! How a conversation begins, and lines and ids that are out of the ordinary.

use crate::fixture::{Opening, Server, ada, described, greeting, saying};
use crate::folder::manifest;
use crate::room::Room;
use crate::wire::PATIENCE;
use serde_json::json;

#[test]
fn nobody_needs_to_introduce_themselves() {
    let mut server = Server::start_as(Opening::Bare);
    server
        .module("greet", &greeting("hello"))
        .line(br#"{"jsonrpc":"2.0","id":"a","method":"tools/list"}"#);
    let tools = server.answer("a").result()["tools"].clone();
    assert_eq!(tools[0]["name"], "hello");
    server.call("hello", ada()).text("hello ada");
}

/// A session goes on with the names it knows, whatever comes, goes or gets another name.
#[test]
fn names_stay_while_modules_come_and_go() {
    let mut server = Server::start();
    server
        .folder_module("alpha", &manifest("alpha", ""), &saying("hello", "alpha"))
        .module("greet", &saying("hi", "greet"))
        .lists(&["alpha_hello", "hi"])
        // The bare name that a client knows from an earlier release.
        .call("hello", json!({}))
        .text("alpha")
        .warned("tool name `hello` is deprecated")
        .folder_module("beta", &manifest("beta", ""), &saying("hello", "beta"))
        .module("above", &saying("hi", "above"))
        .changed()
        .lists(&["alpha_hello", "beta_hello", "hi"])
        .call("hi", json!({}))
        .text("greet")
        .until("above.hi", json!({}), "above")
        .warned("`above.hi` is not listed: the name `hi` belongs to `greet.hi`")
        .remove("greet.star")
        .changed()
        .lists(&["alpha_hello", "beta_hello"])
        .call("hi", json!({}))
        .refused(-32602, "there is no tool `hi`");
}

#[test]
fn a_line_without_end_is_refused_and_skipped() {
    let mut server = Server::start();
    server.module("greet", &greeting("hello")).up();
    let long = "x".repeat(9 << 20);
    let message =
        json!({"jsonrpc": "2.0", "id": "long", "method": "tools/call", "params": {"name": long}});
    server
        .line(message.to_string().as_bytes())
        .answer("long")
        .refused(-32600, "bytes")
        .call("hello", ada())
        .text("hello ada");
    assert!(server.wire().unasked().is_empty());
}

#[test]
fn a_long_line_within_the_bound_is_a_message() {
    let room = Room::new();
    room.write("greet.star", &greeting("hello"));
    room.project("[server]\nresult_tokens = 9_000_000\n");
    let name = "x".repeat(3 << 20);
    let greeted = format!("hello {name}");
    Server::start_in(room, Opening::Legacy).call("hello", json!({"name": name})).text(&greeted);
}

/// An id in use belongs to the request that came first, however odd the second one is.
#[test]
fn an_id_gets_one_answer_while_it_is_in_use() {
    let mut server = Server::start();
    server.module("slow", crate::calls::SLOW).up();
    let id = server.send_call("slow", json!({"turns": 300_000}));
    for params in [json!({"name": "slow", "arguments": {"turns": 1}}), json!({"name": 3})] {
        let again = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        server.line(again.to_string().as_bytes());
    }
    let old = json!({"jsonrpc": "1.0", "id": id, "method": "ping"});
    server.line(old.to_string().as_bytes()).up();
    server.answer(id).text("300000");
    server.up();
    let more = server.wire().unasked();
    assert!(more.is_empty(), "{more:#?}");
}

/// A client that reads no more, but still writes, must not hold the server at its end.
#[test]
fn a_client_that_stopped_reading_is_no_reason_to_stay() {
    use std::io::Write;
    use std::process::Stdio;
    let room = crate::room::Room::new();
    room.write("greet.star", &described("hello", &"Greets. ".repeat(2_000)));
    let mut child = room
        .larkspur(&["serve"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    std::thread::spawn(move || {
        // Ending early, and with it its input, is right as well.
        let _ = (0..2_000).try_for_each(|id| {
            let list = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"});
            writeln!(stdin, "{list}")
        });
    });
    let deadline = std::time::Instant::now() + PATIENCE;
    let (done, ended) = std::sync::mpsc::channel::<()>();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break Some(status),
            None if std::time::Instant::now() > deadline => break None,
            None => drop(ended.recv_timeout(std::time::Duration::from_millis(10))),
        }
    };
    drop(done);
    if status.is_none() {
        child.kill().unwrap();
    }
    child.wait().unwrap();
    assert!(status.is_some(), "it still waits for a client that has gone");
}
