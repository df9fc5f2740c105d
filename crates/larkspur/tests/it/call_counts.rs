//! A call is counted the same whichever way it was made, and once.

use crate::quotas::{block_on, by, reopened};
use crate::room::Room;
use crate::web::Web;
use runtime::Runtime;
use serde_json::{Value, json};
use std::time::Duration;

const SHOP: &str = r#"
permissions(calls = ["shop.*"])

def slow():
    for i in range(10000000):
        many = [i] * 1000

def slower():
    for i in range(10000000):
        many = [i] * 1000

def through(ctx):
    attempt(ctx.call, "shop.slow", {})

tool(slow, timeout = "50ms")
tool(slower)
tool(through)
"#;

fn shop() -> (Room, Runtime) {
    let room = Room::new();
    room.write("shop.star", SHOP);
    let runtime = reopened(&room);
    (room, runtime)
}

/// The value of one line of the metrics page; a line that is not there counts nothing.
fn count(runtime: &Runtime, name: &str) -> u64 {
    let page = runtime.metrics();
    let line = page.lines().find_map(|line| line.strip_prefix(name));
    line.map_or(0, |value| value.trim().parse().unwrap())
}

/// Of the tool that was stopped: calls, errors; of all calls: failures, limit hits.
fn counts(runtime: &Runtime, tool: &str) -> [u64; 4] {
    let of = |name: &str| format!("larkspur_{name}{{module=\"shop\",tool=\"{tool}\"}}");
    [
        count(runtime, &of("calls_total")),
        count(runtime, &of("call_errors_total")),
        count(runtime, "larkspur_requests_failed_total"),
        count(runtime, "larkspur_limit_hits_total{limit=\"timeout\"}"),
    ]
}

#[test]
fn a_timeout_is_counted_the_same_every_way() {
    let call = json!({"module": "shop", "tool": "slow"});
    let task = json!({"id": "t", "module": "shop", "tool": "slow"});
    let short = json!({"id": "t", "module": "shop", "tool": "slower", "timeout_ms": 50});
    for (name, arguments, stopped) in [
        ("slow", json!({}), "slow"),
        ("call", call, "slow"),
        ("batch", json!({"tasks": [task]}), "slow"),
        ("batch", json!({"tasks": [short]}), "slower"),
        ("through", json!({}), "slow"),
    ] {
        let (_room, runtime) = shop();
        let _ = block_on(runtime.call(by("ada", name, arguments.clone())));
        assert_eq!(
            counts(&runtime, stopped),
            [1, 1, 1, 1],
            "{name} {arguments}: {}",
            runtime.metrics()
        );
    }
}

#[test]
fn a_call_whose_caller_leaves_is_counted_as_failed() {
    let (_room, runtime) = shop();
    block_on(async {
        let call = runtime.call(by("ada", "slower", json!({})));
        let left = tokio::time::timeout(Duration::from_millis(50), call).await;
        assert!(left.is_err());
    });
    assert_eq!(counts(&runtime, "slower"), [1, 1, 1, 0]);
    assert_eq!(count(&runtime, "larkspur_requests_total"), 1);
}

#[test]
fn an_unknown_tool_is_charged_once_over_http() {
    let room = Room::new();
    room.write("shop.star", SHOP);
    room.project("[limits]\ncaller_rate = '3/h'\n");
    let web = Web::start(room, &[]);
    let ask = |name: &str| {
        let params = json!({"name": name, "arguments": {}});
        let message: Value =
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        web.plain(&message)
    };
    for _ in 0..3 {
        assert!(ask("nope").body.contains("there is no tool"));
    }
    ask("nope").is(429);
}
