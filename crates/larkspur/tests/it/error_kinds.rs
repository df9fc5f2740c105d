//! `error(KIND, …, member = …)` reaches the client with its kind and its members.

use crate::client::{Client, DOORS};
use crate::fixture::body_of;
use crate::room::Room;
use serde_json::{Value, json};

const MODULE: &str = r#"
def typed():
    error("config-error", "Missing required config: api-key", missing = ["api-key"])

def bare():
    error("not-now", "come back later")

def plain():
    fail("nothing works today")

def through(ctx):
    return ctx.call("m.typed")

tool(typed)
tool(bare)
tool(plain)
tool(through)
"#;

const META: &str = "larkspur/error";

/// Kind and members of what each tool ends with; a plain `fail` has none.
fn errors() -> [(&'static str, Value); 4] {
    let config = json!({"kind": "config-error", "data": {"missing": ["api-key"]}});
    [
        ("typed", config.clone()),
        ("bare", json!({"kind": "not-now", "data": {}})),
        ("plain", Value::Null),
        // Whatever stands between, it is the same error.
        ("through", config),
    ]
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
                assert_eq!(
                    result["_meta"][META], expected,
                    "{door:?} {tool}: {answer:#}"
                );
                // What a model reads is said in the text, as ever.
                assert!(!body_of(result).is_empty(), "{door:?} {tool}");
            }
        }
    }
}

#[test]
fn mapped_errors_have_the_kind_as_their_type() {
    for door in DOORS {
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
