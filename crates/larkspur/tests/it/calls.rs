//! Calls that go on while their module is edited.

use crate::fixture::Server;
use crate::folder::{answering, manifest};
use serde_json::json;

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

/// What a call began with is what it ends with: a dependency replaced meanwhile answers as it was.
#[test]
fn a_call_sees_one_set_of_versions() {
    let base = |version: &str| {
        format!(
            "def start(deps, config):\n    return \"{version}\"\n{}",
            answering("base_version", "ctx.instance")
        )
    };
    let slow = "def slow(ctx) -> str:\n    first = ctx.call(\"base_version\")\n    ctx.progress(0)\n    \
                for i in range(2000000):\n        pass\n    return first + ctx.call(\"base_version\") + ctx.deps[\"base\"]\n\
                tool(slow)\n";
    let mut server = Server::start();
    server
        .folder_module("base", &manifest("base", ""), &base("a"))
        .folder_module("upon", &manifest("upon", "depends_on = [\"base\"]"), slow)
        .up();
    let call = json!({"name": "slow", "arguments": {}, "_meta": {"progressToken": 1}});
    let id = server.send("tools/call", call);
    server.wire().notification("notifications/progress");
    server.main("base", &base("b")).until("base_version", json!({}), "b");
    server.answer(id).text("aaa").call("slow", json!({})).text("bbb");
}
