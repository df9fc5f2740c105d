//! Data beside a shorter text: every client gets it as text, whatever its revision.

use crate::fixture::{Opening, Server};
use crate::room::Room;
use crate::web::{MODERN, Web};
use serde_json::{Value, json};

const SEARCH: &str = r#"
ITEMS = [{"name": "ball"}, {"name": "football"}]

def result(words, data):
    return {"content": [text(words)], "structuredContent": data}

def as_list():
    return result("Found 2 items matching: ball", ITEMS)
def as_object():
    return result("Found 2 items matching: ball", {"items": ITEMS})
def in_text():
    return result("Found 2: " + json.encode(ITEMS), ITEMS)
def of_fault():
    return result("not allowed", ["a", "b"]) | {"isError": True}
tool(as_list)
tool(as_object)
tool(in_text)
tool(of_fault)
"#;

const LIST: &str = r#"[{"name":"ball"},{"name":"football"}]"#;
const OBJECT: &str = r#"{"items":[{"name":"ball"},{"name":"football"}]}"#;

/// Each tool with the block that is added to its text.
const ADDED: [(&str, Option<&str>); 4] = [
    ("as_list", Some(LIST)),
    ("as_object", Some(OBJECT)),
    ("in_text", None),
    ("of_fault", Some(r#"["a","b"]"#)),
];

const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

fn room() -> Room {
    let room = Room::new();
    room.write("search.star", SEARCH);
    room
}

fn initialize(version: &str) -> Value {
    json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}})
}

/// One call on one transport, by one revision.
fn check(what: &str, mut call: impl FnMut(&str) -> Value) {
    for (tool, added) in ADDED {
        let result = call(tool);
        let block = &result["content"][1]["text"];
        assert_eq!(block.as_str(), added, "{what} {tool}: {result:#}");
        assert_eq!(result.get("structuredContent"), None, "{what} {tool}");
    }
}

#[test]
fn data_reaches_every_revision_over_stdio() {
    for version in LEGACY {
        let mut server = Server::start_in(room(), Opening::Bare);
        let answer = server.request("initialize", initialize(version)).result();
        assert_eq!(answer["protocolVersion"], version);
        server.notify("notifications/initialized", json!({}));
        check(version, |tool| server.call(tool, json!({})).result());
    }
    let mut server = Server::start_in(room(), Opening::Modern);
    check(MODERN, |tool| server.call(tool, json!({})).result());
    let mut server = Server::start_in(room(), Opening::Bare);
    check("none", |tool| server.call(tool, json!({})).result());
}

#[test]
fn data_reaches_every_revision_over_http() {
    let web = Web::start(room(), &[]);
    let call = |tool: &str| json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": {}}});
    let accept = ("Accept", "application/json, text/event-stream");
    for version in LEGACY {
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize(version)});
        let reply = web.post(&[accept], &hello);
        let id = reply.is(200).header("mcp-session-id").unwrap().to_owned();
        let headers = [accept, ("Mcp-Session-Id", id.as_str()), ("MCP-Protocol-Version", version)];
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        web.post(&headers, &initialized).is(202);
        check(version, |tool| {
            let reply = web.post(&headers, &call(tool));
            reply.is(200).events().pop().unwrap()["result"].take()
        });
    }
    check("plain", |tool| web.plain(&call(tool)).is(200).json()["result"].take());
    check(MODERN, |tool| {
        let reply = web.modern("tools/call", json!({"name": tool, "arguments": {}}));
        reply.is(200).json()["result"].take()
    });
}

#[test]
fn data_reaches_the_terminal() {
    let room = room();
    let found = "Found 2 items matching: ball";
    for (tool, text) in [
        ("search.as_list", format!("{found}\n{LIST}")),
        ("search.as_object", format!("{found}\n{OBJECT}")),
        ("search.in_text", format!("Found 2: {LIST}")),
    ] {
        room.run(&["call", tool]).exits(0).says_only(&text);
    }
    let whole = room.run(&["call", "search.as_list", "--format", "json"]);
    let whole = whole.exits(0).json();
    assert_eq!(whole["content"], json!([{"type": "text", "text": found}]));
    assert_eq!(whole["structuredContent"].to_string(), LIST);
    let meta = room.run(&["call", "call", "module=search", "tool=as_list"]);
    meta.exits(0).says("football");
}
