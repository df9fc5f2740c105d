//! What scripts log reaches clients that ask for it: from a level on, on the stream of the request.

use crate::fixture::{Opening, Server};
use crate::room::Room;
use crate::web::{MODERN, Web, modern};
use serde_json::{Value, json};

const TALK: &str = r#"
def talk(ctx) -> str:
    log.debug("a detail")
    ctx.log.info("it begins", step = 1)
    print("for the server alone")
    log.warn("it is late")
    log.error("it broke")
    return "done"

def ask(ctx) -> str:
    return ctx.call("talk.talk")

def chatter() -> str:
    for i in range(500):
        log.info("line %d" % i)
    return "done"

def page():
    log.warn("a page is read")
    return "text"

def letter():
    log.warn("a letter is written")
    return "text"

tool(talk)
tool(ask)
tool(chatter)
resource("talk://page", page)
prompt(letter)
"#;

/// What a client sees of the lines of `talk`, with how grave they are.
fn all() -> Vec<Value> {
    vec![
        json!({"level": "debug", "logger": "talk", "data": "a detail"}),
        json!({"level": "info", "logger": "talk", "data": {"message": "it begins", "step": 1}}),
        json!({"level": "warning", "logger": "talk", "data": "it is late"}),
        json!({"level": "error", "logger": "talk", "data": "it broke"}),
    ]
}

/// From each level on: how many of them are left out.
const LEVELS: [(&str, usize); 8] = [
    ("debug", 0),
    ("info", 1),
    ("notice", 2),
    ("warning", 2),
    ("error", 3),
    ("critical", 4),
    ("alert", 4),
    ("emergency", 4),
];

fn server(opening: Opening) -> Server {
    let mut server = Server::start_as(opening);
    server.module("talk", TALK);
    server
}

/// The lines that have come so far.
fn heard(server: &mut Server) -> Vec<Value> {
    let words = std::iter::from_fn(|| server.wire().notified("notifications/message"));
    words.map(|word| word["params"].clone()).collect()
}

#[test]
fn a_legacy_client_sets_a_level() {
    let mut server = server(Opening::Legacy);
    server.call("talk", json!({})).text("done");
    assert_eq!(heard(&mut server), Vec::<Value>::new());
    for (level, left_out) in LEVELS {
        let set = server.request("logging/setLevel", json!({"level": level}));
        assert_eq!(set.result(), json!({}));
        server.call("talk", json!({})).text("done");
        assert_eq!(heard(&mut server), all()[left_out..], "{level}");
    }
}

#[test]
fn a_modern_request_names_its_level() {
    let mut server = server(Opening::Modern);
    for (level, left_out) in LEVELS {
        let meta = json!({"io.modelcontextprotocol/logLevel": level});
        let call = json!({"name": "talk", "_meta": meta});
        server.request("tools/call", call).text("done");
        assert_eq!(heard(&mut server), all()[left_out..], "{level}");
        // The next one has not asked.
        server.call("talk", json!({})).text("done");
        assert_eq!(heard(&mut server), Vec::<Value>::new(), "{level}");
    }
    let set = server.request("logging/setLevel", json!({"level": "debug"}));
    set.refused(-32601, "logging/setLevel");
}

#[test]
fn a_level_that_is_none_is_refused() {
    let mut server = server(Opening::Legacy);
    for params in [json!({"level": "loud"}), json!({})] {
        let set = server.request("logging/setLevel", params);
        set.refused(-32602, "logging/setLevel");
    }
}

#[test]
fn calls_in_calls_resources_and_prompts_are_heard_as_well() {
    let mut server = server(Opening::Legacy);
    let set = server.request("logging/setLevel", json!({"level": "debug"}));
    set.result();
    server.call("ask", json!({})).text("done");
    assert_eq!(heard(&mut server), all());
    let data = |server: &mut Server| -> Vec<Value> {
        heard(server).iter().map(|line| line["data"].clone()).collect()
    };
    let read = server.request("resources/read", json!({"uri": "talk://page"}));
    read.result();
    assert_eq!(data(&mut server), ["a page is read"]);
    server.request("prompts/get", json!({"name": "letter"})).result();
    assert_eq!(data(&mut server), ["a letter is written"]);
}

fn web() -> Web {
    let room = Room::new();
    room.write("talk.star", TALK);
    Web::start(room, &[])
}

/// All events but the last are lines, and the last is the answer.
#[track_caller]
fn lines_of(events: &[Value]) -> Vec<Value> {
    let (answer, words) = events.split_last().unwrap();
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{events:#?}");
    let words = words.iter();
    words.map(|word| word["params"].clone()).collect()
}

const BOTH: (&str, &str) = ("Accept", "application/json, text/event-stream");

#[test]
fn by_network_lines_come_on_the_stream_of_their_request() {
    let web = web();
    let headers = [
        BOTH,
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "talk"),
    ];
    let mut message = modern("tools/call", json!({"name": "talk"}));
    // Nobody has asked for lines: there is nothing to stream.
    let reply = web.post(&headers, &message);
    assert_eq!(reply.is(200).header("content-type"), Some("application/json"));
    message["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = json!("debug");
    let reply = web.post(&headers, &message);
    assert_eq!(lines_of(&reply.is(200).events()), all());
}

#[test]
fn in_a_session_lines_come_on_the_stream_of_their_request() {
    let web = web();
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}});
    let reply = web.post(&[BOTH], &hello);
    let id = reply.is(200).header("mcp-session-id").unwrap().to_owned();
    let agreed = reply.events().pop().unwrap();
    assert_eq!(agreed["result"]["capabilities"]["logging"], json!({}));
    let headers = [BOTH, ("Mcp-Session-Id", id.as_str()), ("MCP-Protocol-Version", "2025-11-25")];
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    web.post(&headers, &ready).is(202);
    let call =
        json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "talk"}});
    assert_eq!(lines_of(&web.post(&headers, &call).events()), Vec::<Value>::new());
    let set = json!({"jsonrpc": "2.0", "id": 2, "method": "logging/setLevel", "params": {"level": "info"}});
    let set = web.post(&headers, &set).events();
    assert_eq!(set.last().unwrap()["result"], json!({}));
    assert_eq!(lines_of(&web.post(&headers, &call).events()), all()[1..]);
    let call =
        json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "chatter"}});
    let many = lines_of(&web.post(&headers, &call).events());
    let many: Vec<&str> = many.iter().filter_map(|line| line["data"].as_str()).collect();
    let expected: Vec<String> = (0..500).map(|i| format!("line {i}")).collect();
    assert_eq!(many, expected);
}
