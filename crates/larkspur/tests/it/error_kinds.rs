//! `error(KIND, …, member = …)` reaches the client with its kind and its members.

use crate::client::{Client, DOORS};
use crate::fixture::{Opening, Server, body_of};
use crate::folder::manifest;
use crate::room::Room;
use crate::web::Web;
use serde_json::{Value, json};

const MODULE: &str = r#"
def typed():
    error("config-error", "Missing required config: api-key", missing = ["api-key"])

def bare():
    error("not-now", "come back later")

def plain():
    fail("nothing works today")

tool(typed)
tool(bare)
tool(plain)
"#;

const META: &str = "larkspur/error";

/// Kind and members of what each tool ends with; a plain `fail` has none.
fn errors() -> [(&'static str, Value); 3] {
    let config = json!({"kind": "config-error", "data": {"missing": ["api-key"]}});
    [("typed", config), ("bare", json!({"kind": "not-now", "data": {}})), ("plain", Value::Null)]
}

fn room(project: &str) -> Room {
    let room = Room::new();
    room.write("m.star", MODULE).project(project);
    room
}

#[test]
fn a_result_names_the_kind_of_its_error() {
    for door in DOORS {
        let mut client = Client::start(room(""), door, json!({}));
        for (tool, expected) in errors() {
            let calls = [
                json!({"name": tool, "arguments": {}}),
                json!({"name": "call", "arguments": {"module": "m", "tool": tool}}),
            ];
            for call in calls {
                let (answer, _) = client.talk("tools/call", call, |_| json!({}));
                let result = &answer["result"];
                assert_eq!(result["isError"], true, "{door:?} {tool}: {answer:#}");
                assert_eq!(result["_meta"][META], expected, "{door:?} {tool}: {answer:#}");
                // What a model reads is said in the text, as ever.
                assert!(!body_of(result).is_empty(), "{door:?} {tool}");
            }
        }
    }
}

#[test]
fn mapped_errors_have_the_kind_as_their_type() {
    // Statuses of HTTP are in `it mapped`.
    for door in DOORS.into_iter().filter(|door| door.is_modern()) {
        let mapped = room("[server]\nerrors = 'mapped'\n");
        let mut client = Client::start(mapped, door, json!({}));
        for (tool, expected) in errors() {
            let call = json!({"name": tool, "arguments": {}});
            let (answer, _) = client.talk("tools/call", call, |_| json!({}));
            let error = &answer["error"];
            assert_eq!(error["code"], -32001, "{door:?} {tool}: {answer:#}");
            let kind = expected["kind"].as_str().unwrap_or("runtime-error");
            assert_eq!(error["data"]["type"], kind, "{door:?} {tool}: {answer:#}");
            let members = expected["data"].as_object().into_iter().flatten();
            for (name, value) in members {
                assert_eq!(&error["data"][name], value, "{door:?} {tool}: {answer:#}");
            }
        }
    }
}

/// A client sees which of its arguments were meant, also after a retry.
#[test]
fn mapped_validation_errors_hold_the_arguments() {
    let room = room("[server]\nerrors = 'mapped'\n");
    room.write("sums.star", "def add(a: int) -> int:\n    return a\ntool(add)");
    let mut server = Server::start_in(room, Opening::Legacy);
    let answer = server.call("add", json!({"a": "x", "b": [1]})).message;
    assert_eq!(answer["error"]["code"], -32002, "{answer:#}");
    let arguments = &answer["error"]["data"]["arguments"];
    assert_eq!(*arguments, json!({"a": "x", "b": [1]}), "{answer:#}");
}

/// -32002 is of rejected arguments there, and so of nothing else.
#[test]
fn an_unknown_resource_has_the_mapped_code_of_what_is_not_found() {
    let room = room("[server]\nerrors = 'mapped'\n");
    let web = Web::start(room, &[]);
    let params = json!({"uri": "none://x"});
    let read = json!({"jsonrpc": "2.0", "id": 7, "method": "resources/read", "params": params});
    let reply = web.plain(&read);
    let error = reply.is(404).json()["error"].clone();
    assert_eq!(error["code"], -32000, "{error:#}");
    assert_eq!(error["data"]["type"], "not-found", "{error:#}");
    assert_eq!(error["data"]["uri"], "none://x", "{error:#}");
}

/// A module that cannot start says why in words and in data.
#[test]
fn a_failed_start_has_a_kind_in_reports() {
    let mut server = Server::start();
    let source = "def start(deps, config):\n    error('config-error', 'missing api-key', missing = ['api-key'])\n\n\
                  def hello():\n    return 1\ntool(hello)";
    server.folder_module("bad", &manifest("bad", ""), source).up();
    let data = json!({"missing": ["api-key"]});
    let listed = server.room.run(&["list", "--format", "json"]).json();
    let error = &listed["broken"][0]["error"];
    assert_eq!((&error["kind"], &error["data"]), (&json!("config-error"), &data), "{listed:#}");
    let status = server.room.run(&["status", "--format", "json"]).json();
    let module = &status[0]["modules"][0];
    let seen = (&module["error_kind"], &module["error_data"]);
    assert_eq!(seen, (&json!("config-error"), &data), "{status:#}");
}
