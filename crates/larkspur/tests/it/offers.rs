//! Tools that come and go while a module runs: `ctx.tools.add` and `ctx.tools.remove`.

use crate::fixture::Server;
use crate::folder::manifest;
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

tool(add)
tool(remove)
tool(fails)
"#;

const DECLARED: [&str; 3] = ["maker_add", "maker_fails", "maker_remove"];

fn maker() -> Server {
    let mut server = Server::start();
    server
        .folder_module("maker", &manifest("maker", ""), MAKER)
        .lists(&[&DECLARED[..], &["maker_say_one", "maker_say_two"]].concat());
    server
}

#[test]
fn a_list_that_a_handler_changes_is_told_of() {
    let mut server = maker();
    let [x, y] = ["x ", "y "].map(|text| json!({"name": "say_x", "text": text}));
    server.call("add", x).text("null").changed().call("add", y).text("null").changed();
    server.call("remove", json!({"name": "say_x"})).text("null").changed();
    server.call("fails", json!({"name": "x"})).fails("no").not_told();
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
