//! Answers that are given again: to whom they belong, while they hold, and never instead of work.

use crate::fixture::{Opening, Server};
use crate::quotas::{block_on, by};
use crate::room::Room;
use crate::wire::PATIENCE;
use model::Caller;
use runtime::{Asking, Call, ProjectFile, Runtime, Settings};
use serde_json::{Value, json};
use std::time::Instant;
use tokio::task::JoinSet;

/// Each run of a function gives another number, so that an answer tells which run it is from.
const COUNTED: &str = r#"
def count(ctx, name):
    return ctx.state.update(name, lambda n: (n or 0) + 1)
def own(ctx, x: int = 1, y: dict = {}) -> dict:
    return {"who": ctx.caller["name"], "x": x, "run": count(ctx, "own")}
def shared(ctx, x: int = 1) -> int:
    return count(ctx, "shared")
def short(ctx) -> int:
    return count(ctx, "short")
def outer(ctx) -> list:
    return [ctx.call("box.own", {})["run"], count(ctx, "outer")]
def fails(ctx) -> int:
    fail("run %d" % count(ctx, "fails"))
def says_error(ctx):
    return {"content": [text("run %d" % count(ctx, "says"))], "isError": True}
def asks(ctx) -> int:
    ctx.can("elicit")
    return count(ctx, "asks")
def grows(ctx) -> int:
    ctx.tools.add(shared, name = "more")
    return count(ctx, "grows")
def outgrows(ctx) -> int:
    ctx.call("box.grows", {})
    return count(ctx, "outgrows")
def page(ctx, topic: str):
    return "%s %d" % (topic, count(ctx, "page"))
def touch(ctx, topic: str) -> str:
    ctx.resource_updated("box://" + topic)
    return "touched"
tool(own, cache = "1h")
tool(shared, cache = {"for": "1h", "public": True})
tool(short, cache = "1ms")
tool(outer)
tool(fails, cache = "1h")
tool(says_error, cache = "1h")
tool(asks, cache = "1h")
tool(grows, cache = "1h")
tool(outgrows, cache = "1h")
tool(touch)
resource("box://{topic}", page, cache = "1h")
"#;

fn room(project: &str) -> Room {
    let room = Room::new();
    room.write("box.star", COUNTED).project(project);
    room
}

fn open(room: &Room) -> Runtime {
    let project = ProjectFile::open(room.path().join("larkspur.toml")).unwrap();
    Runtime::open(Settings {
        folders: vec![room.modules().to_owned()],
        project,
        ..Settings::default()
    })
}

fn call(runtime: &Runtime, who: &str, tool: &str, args: Value) -> Value {
    match block_on(runtime.call(by(who, tool, args))) {
        Ok(output) => output.into_json(),
        Err(error) => Value::String(error.to_string()),
    }
}

#[test]
fn an_answer_is_given_again_to_the_same_caller_for_the_same_arguments() {
    let room = room("");
    let runtime = open(&room);
    let run = |who: &str, args: Value| call(&runtime, who, "own", args)["run"].as_u64().unwrap();
    assert_eq!(run("ada", json!({})), 1);
    assert_eq!(run("ada", json!({})), 1);
    // What is left out is what it is by default, and the order does not matter.
    assert_eq!(run("ada", json!({"x": 1})), 1);
    assert_eq!(run("ada", json!({"y": {}, "x": 1})), 1);
    assert_eq!(run("ada", json!({"y": {"a": 1, "b": 2}})), 2);
    assert_eq!(run("ada", json!({"y": {"b": 2, "a": 1}})), 2);
    assert_eq!(run("ada", json!({"x": 2})), 3);
    assert_eq!(run("bo", json!({})), 4);
    assert_eq!(run("ada", json!({})), 1);
    // By the meta tool, in the form it gives; and from a script, which is the same call.
    let inner = json!({"module": "box", "tool": "own", "params": {}, "output": "json"});
    assert_eq!(call(&runtime, "ada", "call", inner.clone())["run"], 5);
    assert_eq!(call(&runtime, "ada", "call", inner)["run"], 5);
    assert_eq!(call(&runtime, "ada", "outer", json!({})), json!([1, 1]));
    assert_eq!(call(&runtime, "ada", "outer", json!({})), json!([1, 2]));
    let metrics = runtime.metrics();
    assert!(metrics.contains("\nlarkspur_cache_hits_total 8\n"), "{metrics}");
    assert!(metrics.contains("\nlarkspur_cache_misses_total 5\n"), "{metrics}");
    // Scopes are part of who somebody is: they may open more on the way.
    let mut more = by("ada", "own", json!({}));
    more.caller = Caller::named("ada").with_token(vec!["all".into()], serde_json::Map::new());
    assert_eq!(block_on(runtime.call(more)).unwrap().into_json()["run"], 6);
    // And whoever runs the server is not one who has his name.
    assert_eq!(run("local", json!({})), 7);
    let local = Call::new("own", model::Args::new());
    assert_eq!(block_on(runtime.call(local)).unwrap().into_json()["run"], 8);
}

#[test]
fn what_is_public_is_everybodys() {
    let room = room("");
    let runtime = open(&room);
    for who in ["ada", "bo", "cy"] {
        assert_eq!(call(&runtime, who, "shared", json!({})), 1);
    }
}

#[test]
fn what_is_no_answer_or_nobody_elses_runs_each_time() {
    let room = room("");
    let runtime = open(&room);
    for (tool, first, second) in [
        ("fails", json!("run 1"), json!("run 2")),
        ("says_error", json!("run 1"), json!("run 2")),
        ("grows", json!(1), json!(2)),
        ("outgrows", json!(1), json!(2)),
    ] {
        assert_eq!(call(&runtime, "ada", tool, json!({})), first, "{tool}");
        assert_eq!(call(&runtime, "ada", tool, json!({})), second, "{tool}");
    }
    // It holds no longer than it says.
    let deadline = Instant::now() + PATIENCE;
    while call(&runtime, "ada", "short", json!({})) != 2 {
        assert!(Instant::now() < deadline);
    }
    // A client that was asked what it can do may be another next time.
    let mut server = Server::start_in(room, Opening::Modern);
    let first = server.call("asks", json!({})).result();
    let again = server.call("asks", json!({})).result();
    assert_ne!(first["content"], again["content"]);
}

#[test]
fn a_destructive_tool_cannot_have_it() {
    let room = Room::new();
    room.write(
        "hub.star",
        "def wipe() -> str:\n    return 'gone'\ntool(wipe, destructive = True, cache = '60s')\n",
    );
    let said = "a destructive tool must run each time it is called; take `cache` away";
    room.run(&["check"]).exits(1).says(said);
    room.write("hub.star", "def ping() -> str:\n    return ''\ntool(ping, cache = 'soon')\n");
    room.run(&["check"]).exits(1).says("`soon` is not a duration");
    room.write("hub.star", "def ping() -> str:\n    return ''\ntool(ping, cache = True)\n");
    let said = "`cache` is a time such as \"60s\", or {\"for\": \"60s\", \"public\": True}";
    room.run(&["check"]).exits(1).says(said);
}

#[test]
fn a_resource_is_read_once_until_it_changes() {
    let room = room("");
    let runtime = open(&room);
    let read = |who: &str, uri: &str| {
        let asking = Asking { caller: Caller::named(who.to_owned()), ..Asking::default() };
        let read = block_on(runtime.read(uri, asking)).unwrap();
        serde_json::to_value(&read[0]).unwrap()["text"].clone()
    };
    assert_eq!(read("ada", "box://tea"), "tea 1");
    assert_eq!(read("ada", "box://tea"), "tea 1");
    assert_eq!(read("bo", "box://tea"), "tea 2");
    assert_eq!(read("ada", "box://milk"), "milk 3");
    call(&runtime, "cy", "touch", json!({"topic": "tea"}));
    assert_eq!(read("ada", "box://tea"), "tea 4");
    assert_eq!(read("ada", "box://milk"), "milk 3");
}

#[test]
fn what_is_loaded_or_configured_anew_answers_anew_and_says_when_it_does_not() {
    let mut server = Server::start_in(room("[audit]\n"), Opening::Modern);
    let first = server.call("own", json!({})).result();
    assert!(first["_meta"].get("larkspur/cached").is_none(), "{first}");
    let again = server.call("own", json!({})).result();
    assert_eq!(again["_meta"]["larkspur/cached"], true);
    assert_eq!(again["structuredContent"], first["structuredContent"]);
    server.edit("box", &COUNTED.replace("\"x\": x", "\"x\": x, \"new\": True"));
    server.status_until("reloaded", |status| status["reloads"] == 1);
    let edited = server.call("own", json!({})).result();
    assert_eq!(edited["structuredContent"]["new"], true);
    assert_eq!(edited["structuredContent"]["run"], 2);
    server.project("[audit]\n[role.all]\nusers = ['*']\nallow = ['*']\n");
    let deadline = Instant::now() + PATIENCE;
    while server.call("own", json!({})).result()["structuredContent"]["run"] != 3 {
        assert!(Instant::now() < deadline, "what was kept outlives the configuration");
    }
    let path = server.room.path().join(".larkspur/audit.jsonl");
    server.wait_until("written", || {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        text.contains("\"cached\":true").then_some(())
    });
}

/// Callers, arguments and tools at random, at once and in a room that is too small for all: whoever gets
/// an answer gets his own.
#[test]
fn nobody_ever_gets_what_is_anothers() {
    let room = room("[limits]\ncache = '64KiB'\n");
    let runtime = open(&room);
    let mut dice = 0x2545_f491_4f6c_dd1d_u64;
    let mut roll = |sides: u64| {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        dice % sides
    };
    block_on(async {
        let mut calls = JoinSet::new();
        for _ in 0..10_000 {
            let (who, x) = (format!("c{}", roll(12)), roll(4));
            let runtime = runtime.clone();
            calls.spawn(async move {
                let output = runtime.call(by(&who, "own", json!({"x": x}))).await.unwrap();
                let answer = output.into_json();
                assert_eq!((&answer["who"], &answer["x"]), (&json!(who), &json!(x)));
            });
            if calls.len() > 32 {
                calls.join_next().await.unwrap().unwrap();
            }
        }
        while let Some(ended) = calls.join_next().await {
            ended.unwrap();
        }
    });
    let metrics = runtime.metrics();
    let count = |name: &str| -> u64 {
        let line = metrics.lines().find(|line| line.starts_with(&format!("larkspur_{name} ")));
        line.unwrap().rsplit(' ').next().unwrap().parse().unwrap()
    };
    assert!(count("cache_hits_total") > 5_000, "{metrics}");
    assert!(count("cache_bytes") <= 64 << 10);
}

#[test]
fn in_a_test_every_call_runs() {
    let room = room("");
    room.write(
        "box_test.star",
        "def test_runs(t):\n    a = t.call('box.own', {}).value\n    b = t.call('box.own', {}).value\n    testing.ne(a['run'], b['run'])\n",
    );
    room.run(&["test"]).exits(0);
}
