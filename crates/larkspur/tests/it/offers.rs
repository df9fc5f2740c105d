//! Tools that come and go while a module runs: `ctx.tools.add` and `ctx.tools.remove`.

use crate::fixture::Server;
use crate::folder::manifest;
use expect_test::{Expect, expect};
use serde_json::json;
use std::collections::BTreeSet;

const MAKER: &str = r#"
def saying(word):
    return lambda: word + "!"

def start(deps, config, ctx):
    for word in ["one", "two"]:
        ctx.tools.add(saying(word), name = "say_" + word)
    return "kept"

def add(ctx, name: str, text: str):
    def made(ctx, times: int = 1) -> str:
        return (text + ctx.instance) * times
    ctx.tools.add(made, name = name, description = "Says " + text)

def remove(ctx, name: str):
    ctx.tools.remove(name)

def fails(ctx, name: str):
    ctx.tools.add(lambda: 1, name = name)
    fail("no")

def both(ctx):
    ctx.tools.add(lambda: 1, name = "passing")
    ctx.tools.remove("passing")
    ctx.tools.remove("say_one")
    ctx.tools.add(lambda: "again", name = "say_one")

tool(add)
tool(remove)
tool(fails)
tool(both)
"#;

const DECLARED: [&str; 4] = ["maker_add", "maker_both", "maker_fails", "maker_remove"];

fn maker() -> Server {
    let mut server = Server::start();
    server
        .folder_module("maker", &manifest("maker", ""), MAKER)
        .lists(&[&DECLARED[..], &["maker_say_one", "maker_say_two"]].concat());
    server
}

#[test]
fn tools_added_by_start_are_tools() {
    let mut server = maker();
    server.call("say_one", json!({})).text("one!").call("maker.say_two", json!({})).text("two!");
}

#[test]
fn a_handler_adds_and_removes_tools() {
    let mut server = maker();
    server
        .call("add", json!({"name": "say_x", "text": "x "}))
        .text("null")
        .changed()
        .call("say_x", json!({"times": 2}))
        .text("x keptx kept")
        .call("say_x", json!({"times": "many"}))
        .fails("times")
        // One of its name is replaced.
        .call("add", json!({"name": "say_x", "text": "y "}))
        .text("null")
        .changed()
        .call("say_x", json!({}))
        .text("y kept")
        .call("remove", json!({"name": "say_x"}))
        .text("null")
        .changed()
        .call("say_x", json!({}))
        .refused(-32602, "there is no tool `say_x`")
        .call("both", json!({}))
        .text("null")
        .call("say_one", json!({}))
        .text("again");
}

#[test]
fn a_reload_and_a_stop_take_them_away() {
    let mut server = maker();
    server
        .call("add", json!({"name": "say_x", "text": "x"}))
        .text("null")
        .changed()
        .main("maker", &MAKER.replace("\"two\"", "\"three\""))
        .changed()
        .lists(&[&DECLARED[..], &["maker_say_one", "maker_say_three"]].concat())
        .call("add", json!({"name": "say_x", "text": "x"}))
        .text("null")
        .changed();
    server.order("stop maker").exits(0);
    server.changed().lists(&[]);
    server.order("start maker").exits(0);
    server.changed().lists(&[&DECLARED[..], &["maker_say_one", "maker_say_three"]].concat());
}

#[track_caller]
fn refused(tool: &str, arguments: serde_json::Value, expected: Expect) {
    let mut server = maker();
    let result = server.call(tool, arguments).result();
    assert_eq!(result["isError"], true, "{result:#}");
    expected.assert_eq(result["content"][0]["text"].as_str().unwrap());
    server.not_told().lists(&[&DECLARED[..], &["maker_say_one", "maker_say_two"]].concat());
}

#[test]
fn a_failed_call_changes_nothing() {
    refused(
        "remove",
        json!({"name": "say_on"}),
        expect!["module `maker` has no tool `say_on` to remove; did you mean `say_one`?"],
    );
    refused(
        "remove",
        json!({"name": "elephant"}),
        expect!["module `maker` has no tool `elephant` to remove"],
    );
    refused("fails", json!({"name": "x"}), expect!["no"]);
    refused(
        "add",
        json!({"name": "not a name", "text": ""}),
        expect!["tool name `not a name` may hold only letters, digits, `_` and `-`"],
    );
}

#[test]
fn twenty_calls_at_once_lose_no_tool() {
    let mut server = maker();
    let calls: Vec<i64> = (0..20)
        .map(|i| server.send_call("add", json!({"name": format!("say_{i}"), "text": "x"})))
        .collect();
    for id in calls {
        server.answer(id).text("null");
    }
    let there: BTreeSet<String> = server.tools().into_iter().collect();
    for i in 0..20 {
        assert!(there.contains(&format!("maker_say_{i}")), "{there:?}");
        server.call(&format!("say_{i}"), json!({})).text("xkept");
    }
}
