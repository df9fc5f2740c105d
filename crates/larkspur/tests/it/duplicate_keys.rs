//! A key that stands twice in one object is an error wherever arguments come in.

use crate::fixture::{Opening, Server};
use crate::room::Room;
use crate::web::{MODERN, Web, modern};
use serde_json::{Value, json};

const ECHO: &str = r#"
def echo(name: str = "", more: dict = {}, any = None) -> dict:
    return {"name": name, "more": more, "any": any}
def greet(name: str = "", more: dict = {}):
    return name
tool(echo)
prompt(greet)
"#;

/// Arguments, each with a key twice.
const ARGUMENTS: [&str; 3] = [
    r#"{"name":"a","name":"b"}"#,
    r#"{"name":"a","n\u0061me":"b"}"#,
    r#"{"more":{"list":[{"name":1,"x":{},"name":2}]}}"#,
];
const TWICE: &str = "the key `name` is there twice in one object";

fn room() -> Room {
    let room = Room::new();
    room.write("m.star", ECHO);
    room
}

/// A request whose `arguments` are these, as text: no JSON value can hold them.
fn request(mut message: Value, arguments: &str) -> String {
    message["params"]["arguments"] = json!("ARGUMENTS");
    message.to_string().replace("\"ARGUMENTS\"", arguments)
}

#[track_caller]
fn refused(answer: &Value) {
    let error = &answer["error"];
    let seen = (&answer["id"], &error["code"], &error["message"]);
    assert_eq!(seen, (&json!(7), &json!(-32602), &json!(TWICE)), "{answer}");
}

#[test]
fn duplicate_keys_are_refused_over_stdio() {
    let mut server = Server::start_in(room(), Opening::Legacy);
    for method in ["tools/call", "prompts/get"] {
        let name = if method == "tools/call" { "echo" } else { "greet" };
        for arguments in ARGUMENTS {
            let message =
                json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": {"name": name}});
            server.line(request(message, arguments).as_bytes());
            refused(&server.answer(7).message);
        }
    }
    // Equal keys in different objects are none of its business.
    let once = json!({"more": {"name": 1, "x": {"name": 2}}, "name": "a"});
    server.call("echo", once).result();
}

#[test]
fn duplicate_keys_are_refused_over_http() {
    let web = Web::start(room(), &[]);
    let plain = [("Content-Type", "application/json")];
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "echo"),
    ];
    for arguments in ARGUMENTS {
        let mut message = modern("tools/call", json!({"name": "echo"}));
        message["id"] = json!(7);
        let body = request(message.clone(), arguments);
        refused(&web.ask("POST", "/mcp", &headers, &body).is(200).json());
        message["params"].as_object_mut().unwrap().remove("_meta");
        let body = request(message, arguments);
        refused(&web.ask("POST", "/mcp", &plain, &body).is(200).json());
    }
}

#[test]
fn duplicate_keys_are_refused_in_commands() {
    let room = room();
    for arguments in ARGUMENTS {
        room.run_with(&["call", "m.echo", "-"], arguments).exits(2).notes(TWICE);
        for name in ["any:", "any", "more"] {
            room.run(&["call", "m.echo", &format!("{name}={arguments}")]).exits(2).notes(TWICE);
        }
        // What is text to the tool is text.
        room.run(&["call", "m.echo", &format!("name={arguments}")]).exits(0);
        let task = format!(r#"{{"id":"a","module":"m","tool":"echo","params":{arguments}}}"#);
        let list = format!("[{task}]");
        for tasks in [task, list] {
            room.run_with(&["batch", "-"], &tasks).exits(2).notes(TWICE);
        }
    }
}
