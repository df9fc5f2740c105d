//! One tool by every road: by its name, by `call`, by `batch`, by `ctx.call`, on both doors and in both
//! eras. The same result, validated, limited and counted the same.

use crate::client::{Client, DOORS, all_abilities};
use crate::fixture::{Opening, Server, body_of, list_of};
use crate::room::Room;
use crate::wire::PATIENCE;
use serde_json::{Value, json};
use std::time::Instant;

const SHOP: &str = r#"
def stock(shelf: str, limit: int = 2) -> list[dict]:
    """What lies on a shelf."""
    if shelf == "cellar":
        fail("the cellar is locked")
    return [{"id": i, "shelf": shelf} for i in range(limit)]

def slow():
    for i in range(10000000):
        many = [i] * 1000

tool(stock)
tool(slow, timeout = "50ms")
"#;

const OLD: &str = r#"
def find(params):
    return {"content": [{"type": "text", "text": '{"found": [%s]}' % params.get("n", 1)}]}

def describe_extension():
    return Extension(name = "old", version = "1.0.0", description = "Old.", tools = [
        Tool(name = "find", description = "Finds.", handler = find,
             parameters = [ToolParameter(name = "n", param_type = "integer")]),
    ])
"#;

const CALLER: &str = r#"
permissions(calls = ["shop.*", "old.*"])

def through(ctx, tool: str, args: dict = {}):
    outcome = attempt(ctx.call, tool, args)
    if outcome.ok:
        return outcome.value
    fail(outcome.error.message)

tool(through)
"#;

fn room() -> Room {
    let room = Room::new();
    room.write("shop.star", SHOP).write("old.star", OLD).write("caller.star", CALLER);
    room
}

/// A tool with its arguments, and the ways to call it.
fn roads(module: &str, tool: &str, args: &Value) -> [(String, Value); 7] {
    let meta = json!({
        "module": module, "tool": tool, "params": args, "output": "json", "select": null,
    });
    let task =
        json!({"id": "t", "module": module, "tool": tool, "params": args, "raw_output": true});
    let batch = json!({"tasks": [task]});
    let path = format!("{module}.{tool}");
    [
        (tool.to_owned(), args.clone()),
        ("call".to_owned(), meta.clone()),
        ("call_module_tool".to_owned(), meta.clone()),
        ("through".to_owned(), json!({"tool": path, "args": args})),
        ("through".to_owned(), json!({"tool": "call", "args": meta})),
        ("batch".to_owned(), batch.clone()),
        ("through".to_owned(), json!({"tool": "batch", "args": batch})),
    ]
}

/// The text of a result, and whether it is an error.
fn outcome(answer: &Value) -> (String, bool) {
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str();
    let text = text.unwrap_or_else(|| panic!("no text: {answer:#}"));
    let of_batch: Value = match text.strip_prefix("t:") {
        Some(_) => crate::batch_text::read_batch_data(result),
        None => serde_json::from_str(text).unwrap_or_default(),
    };
    if let Some(error) = of_batch["errors"]["t"]["message"].as_str() {
        return (error.to_owned(), true);
    }
    if let Some(value) = of_batch["results"].get("t") {
        return (value.to_string(), false);
    }
    (body_of(result).to_owned(), result["isError"] == true)
}

#[test]
fn every_road_leads_to_the_same_result() {
    let cases = [
        (
            ("shop", "stock", json!({"shelf": "top"})),
            Ok(r#"[{"id":0,"shelf":"top"},{"id":1,"shelf":"top"}]"#),
        ),
        (("old", "find", json!({"n": 7})), Ok(r#"{"found":[7]}"#)),
        (("shop", "stock", json!({"shelf": "cellar"})), Err("the cellar is locked")),
        (("shop", "stock", json!({"shelf": [1]})), Err("shelf` expected a string, got a list")),
        (("shop", "slow", json!({})), Err("stopped after 50 ms")),
    ];
    for door in DOORS {
        let mut client = Client::start(room(), door, json!({}));
        for ((module, tool, args), expected) in &cases {
            for (name, arguments) in roads(module, tool, args) {
                let params = json!({"name": name, "arguments": arguments});
                let (answer, _) = client.talk("tools/call", params, |_| json!({}));
                let (text, is_error) = outcome(&answer);
                let what = format!("{door:?} {name} {arguments}");
                match expected {
                    Ok(expected) => {
                        assert!(!is_error, "{what}: {text}");
                        let expected: Value = serde_json::from_str(expected).unwrap();
                        match expected {
                            Value::Array(items) => assert_eq!(list_of(&text), items, "{what}"),
                            _ => assert_eq!(text.parse::<Value>().unwrap(), expected, "{what}"),
                        }
                    }
                    Err(expected) => {
                        assert!(is_error && text.contains(expected), "{what}: {text}");
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_called_is_counted_and_the_meta_tool_is_not() {
    let args = json!({"shelf": "top"});
    let mut server = Server::start_in(room(), Opening::Legacy);
    for (name, arguments) in roads("shop", "stock", &args) {
        server.call(&name, arguments).result();
    }
    let bad = json!({"module": "shop", "tool": "stock"});
    server.call("call", bad).fails("`shelf` is required");
    let status = server.status();
    // Three of the seven went through another tool.
    assert_eq!((&status["calls"], &status["failed"]), (&json!(11), &json!(1)));
}

#[test]
fn what_the_model_can_mend_is_said_with_the_way_out() {
    let mut server = Server::start_in(room(), Opening::Legacy);
    for (args, expected) in [
        (
            json!({"module": "shop", "tool": "stock", "params": {"shelf": [1]}}),
            concat!(
                "shop.stock was not called: `shelf` expected a string, got a list\n",
                "shop.stock(shelf: str, limit: int = 2) -> list[dict]"
            ),
        ),
        (
            json!({"module": "shp", "tool": "stock"}),
            "there is no module `shp`; did you mean `shop`?",
        ),
        (
            json!({"module": "shop", "tool": "stok"}),
            "there is no tool `shop.stok`; did you mean `stock`?",
        ),
        (
            json!({"module": "shop", "tool": "call"}),
            "there is no tool `shop.call`; `get_module_schema` with modules: [\"shop\"] lists its tools",
        ),
        (json!({"module": "shop"}), "call was not called: `tool` is required"),
        (
            json!({"module": "shop", "tool": "stock", "parms": {}}),
            "call was not called: `parms` is not a parameter; did you mean `params`?",
        ),
        (
            json!({"module": "shop", "tool": "stock", "output": "jsn"}),
            concat!(
                "call was not called: `output` expected one of \"compact\", \"json\", \"toon\", ",
                "\"markdown\", got the string \"jsn\"; did you mean \"json\"?"
            ),
        ),
    ] {
        let result = server.call("call", args.clone()).result();
        assert_eq!(result["content"][0]["text"], *expected, "{args}");
        assert_eq!(result["isError"], true, "{args}");
    }
}

const ASKS: &str = r#"
def order(ctx) -> str:
    return "for " + ctx.elicit("For whom?", {"name": "string"})["content"]["name"]

def brew(ctx, what: str = "tea") -> str:
    time.sleep("300ms")
    return what + " is ready"

tool(order)
tool(brew, task = True)
"#;

#[test]
fn questions_are_asked_through_call_as_well() {
    for door in DOORS {
        let room = Room::new();
        room.write("shop.star", ASKS);
        let mut client = Client::start(room, door, all_abilities());
        let arguments = json!({"module": "shop", "tool": "order"});
        let params = json!({"name": "call", "arguments": arguments});
        let ada = |_: &Value| json!({"action": "accept", "content": {"name": "ada"}});
        let (answer, asked) = client.talk("tools/call", params, ada);
        assert_eq!(outcome(&answer), ("for ada".to_owned(), false), "{door:?}");
        assert_eq!(asked.len(), 1, "{door:?}");
    }
}

#[test]
fn a_long_call_becomes_a_task_through_call_as_well() {
    for door in DOORS.into_iter().filter(|door| door.is_modern()) {
        let room = Room::new();
        room.write("shop.star", ASKS);
        let can = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
        let mut client = Client::start(room, door, can);
        let arguments = json!({"module": "shop", "tool": "brew", "params": {"what": "coffee"}});
        let params = json!({"name": "call", "arguments": arguments});
        let created = client.once("tools/call", params)["result"].clone();
        assert_eq!(created["resultType"], "task", "{door:?} {created:#}");
        let get = json!({"taskId": created["taskId"]});
        let deadline = Instant::now() + PATIENCE;
        let ended = loop {
            let task = client.once("tasks/get", get.clone())["result"].clone();
            if task["status"] == "completed" {
                break task;
            }
            assert!(Instant::now() < deadline, "{door:?} {task:#}");
        };
        let text = &ended["result"]["content"][0]["text"];
        assert_eq!(text, "coffee is ready", "{door:?}");
    }
}

#[test]
fn codes_of_their_own_hold_for_what_is_called_through_call() {
    let room = room();
    room.project("[server]\nerrors = 'mapped'\n");
    let mut server = Server::start_in(room, Opening::Legacy);
    for (args, code, data) in [
        (
            json!({"module": "old", "tool": "find", "params": {"n": "x"}}),
            -32002,
            json!({
                "type": "validation-error",
                "tool": "old.find",
                "validation-errors": {"n": ["expected an integer, got the string \"x\""]},
                "signature": "old.find(n?: int)",
                "arguments": {"n": "x"},
            }),
        ),
        (
            json!({"module": "shop", "tool": "stok"}),
            -32000,
            json!({"type": "not-found", "available": ["stock"]}),
        ),
        (
            json!({"module": "shop", "tool": "stock", "params": {"shelf": "cellar"}}),
            -32001,
            json!({"type": "runtime-error", "tool": "shop.stock", "cause": "the cellar is locked"}),
        ),
        (
            json!({"tool": "stock"}),
            -32002,
            json!({
                "type": "validation-error",
                "tool": "call",
                "validation-errors": {"module": ["is required"]},
                "arguments": {"tool": "stock"},
            }),
        ),
    ] {
        let answer = server.call("call", args.clone()).message;
        assert_eq!(answer["error"]["code"], code, "{args}");
        assert_eq!(answer["error"]["data"], data, "{args}");
    }
}
