//! `ctx.call`: tools that call tools.

use crate::fixture::{Server, saying};
use crate::folder::{answering, manifest};
use expect_test::{Expect, expect};
use serde_json::json;
use std::time::{Duration, Instant};

const CALLER: &str = r#"
def through(ctx, tool: str, args: dict = {}):
    return ctx.call(tool, args)

def careful(ctx, tool: str, args: dict = {}):
    outcome = attempt(ctx.call, tool, args)
    return outcome.value if outcome.ok else "caught: " + outcome.error.message

def again(ctx, n: int = 0) -> int:
    return ctx.call("caller.again", {"n": n + 1})

def patient(ctx):
    return attempt(ctx.call, "spin").error.message

tool(through)
tool(careful)
tool(again)
tool(patient, timeout = "700ms")
"#;

const OTHER: &str = r#"
def add(a: int, b: int = 1) -> int:
    return a + b

def structured() -> dict:
    return {"list": [1, {"x": None}]}

def refuses():
    fail("the oven is cold")

tool(add)
tool(structured)
tool(refuses)
"#;

fn caller() -> Server {
    let mut server = Server::start();
    server
        .folder("caller", "calls = ['other.*', 'spin.*']", CALLER)
        .module("other", OTHER)
        .module("spin", crate::calls::SPIN);
    server
}

#[test]
fn a_tool_calls_another() {
    let mut server = caller();
    server
        .call("through", json!({"tool": "other.add", "args": {"a": 2}}))
        .text("3")
        .call("through", json!({"tool": "add", "args": {"a": 2, "b": 5}}))
        .text("7")
        .call("through", json!({"tool": "structured"}))
        .text(r#"{"list":[1,{"x":null}]}"#)
        .call("through", json!({"tool": "through", "args": {"tool": "add", "args": {"a": 1}}}))
        .text("2");
    let status = server.status();
    assert_eq!((&status["calls"], &status["failed"]), (&json!(9), &json!(0)));
}

#[track_caller]
fn caught(tool: &str, args: serde_json::Value, expected: Expect) {
    let mut server = caller();
    let result = server.call("careful", json!({"tool": tool, "args": args})).result();
    expected.assert_eq(result["content"][0]["text"].as_str().unwrap());
    server.call("through", json!({"tool": tool, "args": args})).fails("");
}

#[test]
fn what_goes_wrong_there_can_be_caught() {
    caught("other.refuses", json!({}), expect!["caught: other.refuses: the oven is cold"]);
    caught(
        "other.add",
        json!({"a": "x"}),
        expect![[
            r#"caught: other.add was not called: `a` expected an integer, got the string "x""#
        ]],
    );
    caught(
        "other.ad",
        json!({}),
        expect![
            "caught: other.ad: there is no tool `other.ad`; did you mean `other.add` or `other.refuses` or `other.structured`?"
        ],
    );
}

#[test]
fn a_circle_of_calls_ends_with_a_clear_error() {
    let mut server = caller();
    let result = server.call("again", json!({})).result();
    assert_eq!(result["isError"], true);
    expect!["caller.again was not called: caller.again is already 8 calls deep in others"]
        .assert_eq(result["content"][0]["text"].as_str().unwrap());
}

#[test]
fn the_outer_deadline_bounds_the_inner_call() {
    let mut server = caller();
    let begin = Instant::now();
    server.call("patient", json!({})).fails("stopped after 700 ms");
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    server.call("add", json!({"a": 1})).text("2");
}

#[test]
fn hooks_have_nobody_to_call() {
    let mut server = Server::start();
    server
        .folder_module(
            "a",
            &manifest("a", ""),
            "def start(deps, config, ctx):\n    ctx.call(\"x\")\n",
        )
        .module("x", &saying("x", "1"))
        .stands("a failed, x running");
    let error = server.module_status("a")["error"].take();
    assert_eq!(
        error,
        "a/main.star:2 `start` of module `a` failed: ctx.call works in calls, not while a module starts or stops"
    );
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

/// A module that calls the tool it is given, with this in its manifest.
fn calling(more: &str) -> Server {
    let mut server = Server::start();
    let caller = "def through(ctx, tool: str, args: dict = {}):\n    return ctx.call(tool, args)\n\
                  def own() -> str:\n    return \"own\"\ntool(through)\ntool(own)\n";
    server.folder_module("caller", &manifest("caller", more), caller).folder_module(
        "other",
        &manifest("other", ""),
        OTHER,
    );
    server
}

/// Ways in which a script reaches `other.add`.
fn ways() -> [serde_json::Value; 4] {
    let task = json!({"id": "a", "module": "other", "tool": "add", "params": {"a": 2}, "raw_output": true});
    [
        json!({"tool": "other.add", "args": {"a": 2}}),
        json!({"tool": "add", "args": {"a": 2}}),
        json!({"tool": "call", "args": {"module": "other", "tool": "add", "params": {"a": 2}}}),
        json!({"tool": "batch", "args": {"tasks": [task]}}),
    ]
}

#[test]
fn undeclared_tools_of_other_modules_are_denied() {
    let denied = "`other.add` is not among the tools module `caller` may call; ";
    for (more, fix) in [
        ("", "add calls = [\"other.add\"] to [permissions] in module.toml"),
        (
            "[permissions]\ncalls = ['other.structured']",
            "add \"other.add\" to `calls` under [permissions] in module.toml",
        ),
    ] {
        let mut server = calling(more);
        for way in ways() {
            let result = server.call("through", way.clone()).result();
            let text = result["content"][0]["text"].as_str().unwrap();
            assert!(text.contains(&format!("{denied}{fix}")), "{way}: {text}");
        }
        server.call("through", json!({"tool": "caller.own"})).text("own");
    }
}

#[test]
fn declared_tools_of_other_modules_are_called() {
    for more in [
        "depends_on = ['other']",
        "optional_deps = ['other']",
        "[permissions]\ncalls = ['other.add']",
        "[permissions]\ncalls = ['other.*']",
    ] {
        let mut server = calling(more);
        for way in ways() {
            let result = server.call("through", way.clone()).result();
            let text = result["content"][0]["text"].as_str().unwrap();
            assert!(!text.contains("may call"), "{more} {way}: {text}");
            assert_eq!(result["isError"], false, "{more} {way}: {text}");
        }
    }
}

#[test]
fn single_file_calls_its_own_tools_only() {
    let mut server = Server::start();
    server
        .module("caller", CALLER)
        .module("other", OTHER)
        .call("through", json!({"tool": "other.add", "args": {"a": 2}}))
        .fails("`other.add` is not among the tools module `caller` may call")
        .call("through", json!({"tool": "caller.careful", "args": {"tool": "caller.none"}}))
        .text("caught: caller.none: there is no tool `caller.none`");
}
