//! `errors = "mapped"`: all eight rows of its table, on both transports.

use crate::fixture::body_of;
use crate::room::Room;
use crate::web::Web;
use serde_json::{Value, json};

const TOOLS: &str = r#"
def add(a: int, b: int) -> int:
    return a + b

def broken():
    fail("nothing works today")

tool(add)
tool(broken)
"#;

const BAD_RESOURCE: &str = r#"
def bad():
    fail("unreadable")

resource("bad://it", bad)
"#;

fn call(name: &str, args: Value) -> String {
    json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": name, "arguments": args}})
        .to_string()
}

#[test]
fn every_row_of_the_table() {
    let room = Room::new();
    room.write("sums.star", TOOLS).write("bad.star", BAD_RESOURCE);
    room.project("[server]\nerrors = 'mapped'\n");
    let mut web = Web::start(room, &["--transport", "stdio,http"]);
    let read = |uri: &str| {
        json!({"jsonrpc": "2.0", "id": 7, "method": "resources/read", "params": {"uri": uri}})
            .to_string()
    };
    for (message, code, status) in [
        ("{".to_owned(), -32700, 400),
        (r#"{"jsonrpc":"2.0","id":7}"#.to_owned(), -32600, 400),
        (r#"{"jsonrpc":"2.0","id":7,"method":"no/such"}"#.to_owned(), -32601, 404),
        (r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#.to_owned(), -32602, 400),
        (read("bad://it"), -32603, 500),
        (read("none://x"), -32000, 404),
        (call("no_such", json!({})), -32000, 404),
        (call("broken", json!({})), -32001, 500),
        (call("add", json!({"a": "x"})), -32002, 400),
    ] {
        let headers = [("Content-Type", "application/json")];
        let reply = web.ask("POST", "/mcp", &headers, &message);
        assert_eq!((reply.code(), reply.status), (code, status), "{message}: {reply:#?}");
        web.wire.send(message.as_bytes());
        let id = reply.json()["id"].clone();
        let spoken = web.wire.answer(&id);
        assert_eq!(spoken["error"]["code"], code, "{message}");
        assert_eq!(spoken, reply.json(), "{message}");
    }
    let data = |message: String| {
        let headers = [("Content-Type", "application/json")];
        web.ask("POST", "/mcp", &headers, &message).json()["error"]["data"].clone()
    };
    assert_eq!(
        data(call("ad", json!({}))),
        json!({"type": "not-found", "tool": "ad", "available": ["add"]})
    );
    assert_eq!(
        data(call("broken", json!({}))),
        json!({"type": "runtime-error", "tool": "sums.broken", "cause": "nothing works today"})
    );
    assert_eq!(
        data(call("add", json!({"a": "x"})))["validation-errors"],
        json!({"a": ["expected an integer, got the string \"x\""], "b": ["is required"]})
    );
    let answer = web.plain(&serde_json::from_str(&call("add", json!({"a": 1, "b": 2}))).unwrap());
    assert_eq!(body_of(&answer.is(200).json()["result"]), "3");
}
