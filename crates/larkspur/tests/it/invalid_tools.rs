//! Tools that are invalid beside ones that are not, and schemas that clients reject.

use crate::fixture::Server;
use crate::room::Room;
use serde_json::{Value, json};

const HUB: &str = r#"
Issue = record(number = int, title = str)

def any(**args):
    """Take anything."""
    return args

def issue() -> Issue:
    """Give an issue."""
    return Issue(number = 1, title = "first")

tool(any)
tool(
    any, name = "broken",
    input_schema = {"type": "object", "properties": {"n": {"type": "whole"}}},
)
tool(issue, select = ["number", "author"])
"#;

const SCHEMAS: &str = r#"
def any(**args):
    """Take anything."""
    return args

tool(any, name = "booleans", input_schema = {"type": "object", "properties": {"x": True, "y": False}})
tool(any, name = "choices", input_schema = {
    "$schema": "http://json-schema.org/draft-07/schema#", "title": "Args", "type": "object",
    "oneOf": [
        {"properties": {"id": {"type": "integer"}}, "required": ["id"]},
        {"properties": {"name": {"type": "string", "title": "Name"}}, "required": ["name"]},
    ],
})
tool(any, name = "old", input_schema = {
    "type": "object", "properties": {"n": {"type": "integer", "minimum": 0, "exclusiveMinimum": True}},
})
"#;

#[test]
fn an_invalid_tool_leaves_the_others() {
    let mut server = Server::start();
    server
        .module("hub", HUB)
        .lists(&["any"])
        .call("any", json!({"n": 1}))
        .text(r#"{"n":1}"#)
        .warned("hub.star is served without an invalid tool\ntool `broken`: the input schema is not valid");
    assert_eq!(server.status()["modules"][0]["state"], "partial");
    let room = &server.room;
    room.run(&["list"])
        .exits(1)
        .says("any(")
        .notes("hub.star is served without an invalid tool")
        .notes("hub.star:13")
        .notes("invalid besides: hub.star:17 tool `issue`: `select` names `author`, which the declared result does not have; there are number, title");
    room.run(&["check"]).exits(1).says("tool `broken`");
}

/// With nothing left to serve, the last good version goes on.
#[test]
fn a_module_without_a_valid_tool_is_not_served() {
    let room = Room::new();
    let source = HUB.replace("tool(any)\n", "");
    room.write("hub.star", &source);
    room.run(&["list"]).exits(1).notes("hub.star cannot be loaded");
}

#[test]
fn schemas_that_clients_reject_are_rewritten_in_the_list() {
    let mut server = Server::start();
    server.module("hub", SCHEMAS);
    let listed = server.request("tools/list", json!({})).result();
    let tools = listed["tools"].as_array().unwrap().iter();
    let schemas: Vec<Value> = tools.map(|tool| tool["inputSchema"].clone()).collect();
    let expected = [
        json!({"type": "object", "properties": {"x": {}}}),
        json!({
            "type": "object",
            "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
            "description": "Give id, or name.",
        }),
        json!({"type": "object", "properties": {"n": {"type": "integer", "exclusiveMinimum": 0}}}),
    ];
    assert_eq!(schemas, expected);
    server
        .call("booleans", json!({"x": [1]}))
        .text(r#"{"x":[1]}"#)
        .call("booleans", json!({"y": 1}))
        .fails("y")
        .call("choices", json!({"id": 1, "name": "a"}))
        .fails("oneOf")
        .call("old", json!({"n": 1}))
        .text(r#"{"n":1}"#)
        .call("old", json!({"n": 0}))
        .fails("0");
}
