//! JSON-RPC batches, which revision 2025-03-26 has and no other.

use crate::fixture::{Opening, Server};
use crate::room::Room;
use crate::session::Session;
use crate::web::{Reply, Web};
use serde_json::{Value, json};

const REVISION: &str = "2025-03-26";

/// What a batch is answered with, in the order of the ids.
enum Answer {
    Replies(&'static [(&'static str, &'static str)]),
    One(i64),
    Nothing,
}

use Answer::{Nothing, One, Replies};

/// Each reply as its id, and `result` or the code of the error.
const BATCHES: [(&str, Answer); 11] = [
    (r#"[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]"#, Replies(&[("1", "result")])),
    (
        r#"[{"jsonrpc":"2.0","id":"b","method":"ping"},{"jsonrpc":"2.0","method":"notifications/odd"},
            {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hello"}},
            {"jsonrpc":"2.0","id":2,"method":"no/such"},{"jsonrpc":"2.0","id":3,"method":"tools/call"},
            {"jsonrpc":"2.0","id":4}]"#,
        Replies(&[
            ("\"b\"", "result"),
            ("1", "result"),
            ("2", "-32601"),
            ("3", "-32602"),
            ("4", "-32600"),
        ]),
    ),
    (
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},3,[],{"jsonrpc":"2.0","id":2,"Method":"ping"}]"#,
        Replies(&[("1", "result"), ("2", "-32600"), ("null", "-32600"), ("null", "-32600")]),
    ),
    (
        r#"[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}},
            {"jsonrpc":"2.0","id":2,"method":"ping"}]"#,
        Replies(&[("1", "-32600"), ("2", "result")]),
    ),
    (r#"[{"jsonrpc":"2.0","method":"notifications/odd"}]"#, Nothing),
    (
        r#"[{"jsonrpc":"2.0","method":"notifications/odd"},{"jsonrpc":"2.0","method":"tools/list"}]"#,
        Nothing,
    ),
    (r#"[{"jsonrpc":"2.0","id":99,"result":{}}]"#, Nothing),
    ("[]", One(-32600)),
    (" [ ] ", One(-32600)),
    ("[", One(-32700)),
    (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},]"#, One(-32700)),
];

fn room() -> Room {
    let room = Room::new();
    room.write("greet.star", "def hello() -> str:\n    return 'hello'\ntool(hello)");
    room
}

/// One line, as stdio wants it.
fn line(batch: &str) -> String {
    batch.lines().map(str::trim).collect()
}

#[track_caller]
fn check(batch: &str, expected: &Answer, got: Option<Value>) {
    match (expected, got) {
        (Nothing, None) => {}
        (One(code), Some(reply)) => {
            let error = (&reply["id"], &reply["error"]["code"]);
            assert_eq!(error, (&Value::Null, &json!(code)), "{batch}: {reply}");
        }
        (Replies(expected), Some(Value::Array(replies))) => {
            let mut got: Vec<(String, String)> = replies
                .iter()
                .map(|reply| {
                    let kind = match reply["error"]["code"].as_i64() {
                        Some(code) => code.to_string(),
                        None => "result".to_owned(),
                    };
                    (reply["id"].to_string(), kind)
                })
                .collect();
            got.sort();
            let got: Vec<(&str, &str)> = got.iter().map(|(id, kind)| (&**id, &**kind)).collect();
            assert_eq!(got, *expected, "{batch}: {replies:#?}");
        }
        (_, got) => panic!("{batch}: {got:#?}"),
    }
}

fn answer(reply: &Reply) -> Option<Value> {
    if reply.status == 202 {
        assert_eq!(reply.body, "");
        return None;
    }
    assert_eq!(reply.header("content-type"), Some("application/json"), "{reply:#?}");
    Some(reply.json())
}

#[test]
fn a_batch_over_http_is_answered_with_a_list() {
    let web = Web::start(room(), &[]);
    let session = Session::open(&web, REVISION, json!({}));
    for (batch, expected) in &BATCHES {
        let mut headers = session.headers();
        headers.push(("Content-Type", "application/json"));
        let reply = web.ask("POST", "/mcp", &headers, batch);
        check(batch, expected, answer(&reply));
    }
}

#[test]
fn a_batch_over_stdio_is_answered_with_a_list() {
    let mut server = Server::start_in(room(), Opening::Bare);
    let who = json!({"name": "t", "version": "1"});
    let params = json!({"protocolVersion": REVISION, "capabilities": {}, "clientInfo": who});
    server.request("initialize", params).result();
    server.notify("notifications/initialized", json!({}));
    for (batch, expected) in &BATCHES {
        server.line(line(batch).as_bytes());
        let got = match expected {
            Nothing => None,
            One(_) => Some(server.answer(Value::Null).message),
            Replies(_) => Some(server.wire().list()),
        };
        check(batch, expected, got);
        server.up();
    }
    let more = server.wire().unasked();
    assert!(more.is_empty(), "{more:#?}");
}
