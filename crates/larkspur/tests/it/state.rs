//! `ctx.state`: what a module keeps across calls, reloads, restarts and kills.

use crate::fixture::{Opening, Server, body_of};
use crate::folder::manifest;
use serde_json::json;
use std::process::Command;

const KEEPER: &str = r#"
def set(ctx, key: str, value):
    ctx.state.set(key, value)

def get(ctx, key: str):
    return ctx.state.get(key, "nothing")

def count(ctx) -> int:
    return ctx.state.update("count", lambda n: n + 1, default = 0)

def keys(ctx, prefix: str = ""):
    return ctx.state.list(prefix)

def drop(ctx, key: str):
    return ctx.state.delete(key)

def large(ctx, bytes: int):
    return attempt(ctx.state.set, "large", "x" * bytes).error.message

tool(set)
tool(get)
tool(count)
tool(keys)
tool(drop)
tool(large)
"#;

fn keeper() -> Server {
    let mut server = Server::start();
    server.module("keeper", KEEPER);
    server
}

#[test]
fn state_is_kept_across_calls_reloads_restarts_and_kills() {
    let mut server = keeper();
    let value = json!({"a": [1, null, "ü"], "big": 9_007_199_254_740_993_i64});
    server
        .call("get", json!({"key": "k"}))
        .text("nothing")
        .call("set", json!({"key": "k", "value": value}))
        .text("null")
        .call("get", json!({"key": "k"}))
        .text(&value.to_string())
        .edit("keeper", &KEEPER.replace("\"nothing\"", "\"void\""))
        .until("get", json!({"key": "other"}), "void")
        .call("get", json!({"key": "k"}))
        .text(&value.to_string());
    server.leave_within(crate::wire::PATIENCE);
    let mut server = Server::start_in(server.leave_room(), Opening::Legacy);
    server
        .call("get", json!({"key": "k"}))
        .text(&value.to_string())
        .call("set", json!({"key": "late", "value": 1}))
        .text("null");
    let pid = server.wire().pid().to_string();
    let killed = Command::new("kill").args(["-KILL", &pid]).status().unwrap();
    assert!(killed.success());
    server.wire().ended();
    let mut server = Server::start_in(server.leave_room(), Opening::Legacy);
    server
        .call("get", json!({"key": "late"}))
        .text("1")
        .call("keys", json!({}))
        .text(r#"["k","late"]"#)
        .call("drop", json!({"key": "k"}))
        .text("true")
        .call("drop", json!({"key": "k"}))
        .text("false")
        .call("keys", json!({"prefix": "k"}))
        .text("[]");
    assert!(server.room.at(".larkspur/state.db").exists());
}

#[test]
fn fifty_updates_at_once_lose_nothing() {
    let mut server = keeper();
    server.up();
    let calls: Vec<i64> = (0..50).map(|_| server.send_call("count", json!({}))).collect();
    let mut counts: Vec<usize> = calls
        .into_iter()
        .map(|id| {
            let result = server.answer(id).result();
            body_of(&result).parse().unwrap_or_else(|_| panic!("{result:#}"))
        })
        .collect();
    counts.sort_unstable();
    assert_eq!(counts, (1..=50).collect::<Vec<_>>());
    server.call("get", json!({"key": "count"})).text("50");
}

#[test]
fn two_servers_share_one_state() {
    const EACH: usize = 20;
    let mut one = keeper();
    one.project("").up();
    let mut two = Server::start();
    let of_one = |file: &str| one.room.path().join(file).display().to_string();
    two.flags =
        vec!["--config".into(), of_one("larkspur.toml"), "--modules".into(), of_one("modules")];
    two.up();
    let mine: Vec<i64> = (0..EACH).map(|_| one.send_call("count", json!({}))).collect();
    let theirs: Vec<i64> = (0..EACH).map(|_| two.send_call("count", json!({}))).collect();
    for (mine, theirs) in mine.into_iter().zip(theirs) {
        assert_eq!(one.answer(mine).result()["isError"], false);
        assert_eq!(two.answer(theirs).result()["isError"], false);
    }
    one.call("get", json!({"key": "count"})).text("40");
    two.call("get", json!({"key": "count"})).text("40");
}

#[test]
fn modules_do_not_see_each_others_state() {
    let mut server = keeper();
    server
        .module("other", &KEEPER.replace("def ", "def other_").replace("tool(", "tool(other_"))
        .call("set", json!({"key": "k", "value": 1}))
        .text("null")
        .call("other_get", json!({"key": "k"}))
        .text("nothing");
}

#[test]
fn a_value_that_is_too_large_is_a_clear_error() {
    let mut server = keeper();
    let text =
        server.call("large", json!({"bytes": 2_000_000})).result()["content"][0]["text"].take();
    expect_test::expect![
        "the value of `large` has 2000002 bytes as JSON; one value may have 262144"
    ]
    .assert_eq(text.as_str().unwrap());
}

#[test]
fn hooks_keep_state_too_and_the_project_says_where() {
    let main = "def start(deps, config, ctx):\n    \
                return ctx.state.update(\"starts\", lambda n: n + 1, default = 0)\n\
                def starts(ctx) -> int:\n    return ctx.instance\ntool(starts)\n";
    let mut server = Server::start();
    server
        .project("[server]\ndata_dir = \"kept/here\"\n")
        .folder_module("a", &manifest("a", ""), main)
        .call("starts", json!({}))
        .text("1");
    server.order("reload a").exits(0);
    server.call("starts", json!({})).text("2");
    assert!(server.room.path().join("kept/here/state.db").exists());
    assert!(!server.room.path().join(".larkspur").exists());
}
