//! Calls and what comes back, also while the module is edited.

use crate::fixture::{Opening, Server, greeting};
use serde_json::{Value, json};

/// Takes a while that grows with `turns`, and tells when it has begun.
pub(crate) const SLOW: &str = r"
def slow(ctx, turns: int) -> int:
    ctx.progress(0)
    count = 0
    for i in range(turns):
        count += 1
    return count

tool(slow)
";

/// Does not end by itself, nor soon by the number of its steps.
pub(crate) const SPIN: &str = r"
def spin():
    many = list(range(100000))
    for i in range(10000000):
        found = 99999 in many

tool(spin)
";

const KINDS: &str = r#"
Colour = one_of("red", "green")
Point = record(x = int, y = field(int, 0))

def echo(value):
    return value

def typed(number: float, colour: Colour = "red", tags: list[str] = [], limit: int = 10) -> str:
    return "%s %s %s %d" % (number, colour, ",".join(tags), limit)

def point(at: Point) -> int:
    return at.x + at.y

def refuses():
    fail("the oven is cold")

def divides(by: int) -> int:
    return 1 // by

def raw() -> dict:
    return {"content": [{"type": "text", "text": "as it stands"}], "isError": True}

tool(echo)
tool(typed)
tool(point)
tool(refuses)
tool(divides)
tool(raw)
"#;

#[test]
fn arguments_arrive_and_answers_leave_unharmed() {
    let mut server = Server::start();
    server.module("kinds", KINDS);
    for value in [
        json!(null),
        json!(true),
        json!(-1),
        json!(9_007_199_254_740_993_i64),
        json!(i64::MIN),
        json!(1.5),
        json!("äöü 🜁 \u{0} \n \" \\"),
        json!([1, [2, [3]]]),
        json!({"a": {"b": [null]}}),
        serde_json::from_str("123456789012345678901234567890").unwrap(),
    ] {
        let text = match &value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        server.call("echo", json!({"value": value})).text(&text);
    }
}

#[test]
fn arguments_are_checked_coerced_and_filled_in() {
    let mut server = Server::start();
    server
        .module("kinds", KINDS)
        .call("typed", json!({"number": 2}))
        .text("2.0 red  10")
        .call("typed", json!({"number": 2.5, "colour": "green", "tags": ["a", "b"], "limit": 3}))
        .text("2.5 green a,b 3")
        .call("point", json!({"at": {"x": 1, "y": 2}}))
        .text("3")
        .call("point", json!({"at": {"x": 1}}))
        .text("1")
        .call("typed", json!({}))
        .fails("`number` is required")
        .call("typed", json!({"number": "two"}))
        .fails("number")
        .call("typed", json!({"number": 1, "colour": "blue"}))
        .fails("colour")
        .call("typed", json!({"numbr": 1, "number": 1}))
        .fails("did you mean `number`?");
}

#[test]
fn what_a_tool_cannot_do_is_a_result() {
    let mut server = Server::start();
    server
        .module("kinds", KINDS)
        .call("refuses", json!({}))
        .fails("the oven is cold")
        .call("divides", json!({"by": 0}))
        .fails("zero")
        .call("divides", json!({"by": 1}))
        .text("1")
        .call("raw", json!({}))
        .fails("as it stands");
}

/// Handlers of a version go on to their end, while the next version answers.
#[test]
fn calls_in_flight_across_an_edit_end_on_their_own_version() {
    const CALLS: usize = 100;
    let versioned = |version: &str| SLOW.replace("return count", &format!("return \"{version}\""));
    let versioned = |version: &str| versioned(version).replace("-> int", "-> str");
    let mut server = Server::start();
    server.module("slow", &versioned("old")).up();
    let old: Vec<i64> = (0..CALLS)
        .map(|i| {
            let arguments = json!({"turns": 60_000});
            let meta = json!({"progressToken": i});
            server
                .send("tools/call", json!({"name": "slow", "arguments": arguments, "_meta": meta}))
        })
        .collect();
    // A word of progress says that the handler runs.
    for _ in 0..CALLS {
        server.wire().notification("notifications/progress");
    }
    server.edit("slow", &versioned("new")).until("slow", json!({"turns": 1}), "new");
    let running = server.status()["in_flight"].as_u64().unwrap();
    assert!(running > 0, "the edit waited for the calls");
    for id in old {
        server.answer(id).text("old");
    }
    server.call("slow", json!({"turns": 1})).text("new");
}

#[test]
fn starlark_mcp_modules_are_served_unchanged() {
    let source = r#"
def describe_extension():
    return Extension(
        name = "weather",
        version = "1.0.0",
        description = "Weather",
        tools = [Tool(
            name = "forecast",
            description = "Says how it will be",
            parameters = [ToolParameter(name = "city", param_type = "string", required = True)],
            handler = lambda params: {"content": [{"type": "text", "text": "sun in " + params["city"]}]},
        )],
    )
"#;
    for opening in [Opening::Legacy, Opening::Modern] {
        let mut server = Server::start_as(opening);
        server
            .module("anything", source)
            .module("greet", &greeting("hello"))
            .lists(&["forecast", "hello"])
            .call("forecast", json!({"city": "Graz"}))
            .text("sun in Graz")
            .call("weather.forecast", json!({"city": "Graz"}))
            .text("sun in Graz");
    }
}
