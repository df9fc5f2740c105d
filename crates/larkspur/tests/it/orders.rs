//! `larkspur reload`, `start` and `stop` against a running server.

use crate::fixture::{Server, saying};
use crate::folder::{answering, living, manifest, module, needs, states};
use serde_json::json;

/// `a`, `b` upon it, `c` upon that, and `d` beside them.
fn chain() -> Server {
    let mut server = Server::start();
    server
        .living("c", "b")
        .living("b", "a")
        .living("a", "")
        .living("d", "")
        .up()
        .logged(&["a: start", "b: start", "c: start", "d: start"]);
    server
}

const STARTED: usize = 4;

/// What was logged after the first starts.
#[track_caller]
fn then(server: &mut Server, expected: &[&str]) {
    let all = ["a: start", "b: start", "c: start", "d: start"];
    let all: Vec<&str> = all[..STARTED].iter().chain(expected).copied().collect();
    server.logged(&all);
}

#[test]
fn stopping_takes_the_dependents_down_first_and_starting_brings_them_back() {
    let mut server = chain();
    server.order("stop b").exits(0);
    server
        .changed()
        .lists(&["a_a_tool", "d_d_tool"])
        .stands("a running, b stopped, c waiting, d running");
    then(&mut server, &["c: stop", "b: stop"]);
    let status = server.status();
    assert_eq!(
        module(&status, "c")["error"],
        "c/module.toml:4 module `c` waits for `b`, which is stopped"
    );
    assert_eq!(module(&status, "b")["error"], "module `b` is stopped");
    server
        .room
        .run(&["status"])
        .exits(0)
        .says("○ b  stopped")
        .says("◐ c  waiting: c/module.toml:4 module `c` waits for `b`, which is stopped");
    server.order("start b").exits(0);
    server
        .changed()
        .call("c_tool", json!({}))
        .text("c")
        .stands("a running, b running, c running, d running");
    then(&mut server, &["c: stop", "b: stop", "b: start", "c: start"]);
}

#[test]
fn starting_brings_what_it_depends_on() {
    let mut server = chain();
    server.order("stop a").exits(0);
    server.stands("a stopped, b waiting, c waiting, d running");
    let after = server.order("start c --format json");
    assert_eq!(
        states(&after.exits(0).json()[0]),
        ["a running", "b running", "c running", "d running"]
    );
    then(&mut server, &["c: stop", "b: stop", "a: stop", "a: start", "b: start", "c: start"]);
}

#[test]
fn what_is_stopped_stays_stopped_across_edits() {
    let mut server = chain();
    server.order("stop b d").exits(0);
    server
        .main("b", &living("b").replace("return \"b\"", "return \"b2\""))
        .main("d", "def oops(:\n")
        .main("a", &living("a").replace("return \"a\"", "return \"a2\""))
        .until("a_tool", json!({}), "a2")
        .stands("a running, b stopped, c waiting, d stopped")
        .lists(&["a_a_tool"]);
    server.order("start d").exits(1).says("def oops(:");
    server.stands("a running, b stopped, c waiting, d failed");
    server.order("start b").exits(0);
    server.call("b_tool", json!({})).text("b2").stands("a running, b running, c running, d failed");
}

#[test]
fn a_stopped_dependent_is_not_started_with_its_base() {
    let mut server = chain();
    server.order("stop c").exits(0);
    server.order("stop a").exits(0);
    server.order("start a").exits(0);
    server.stands("a running, b running, c stopped, d running");
}

#[test]
fn who_can_do_without_goes_on_without() {
    let mut server = Server::start();
    server
        .living("opt", "")
        .folder_module(
            "a",
            &manifest("a", "optional_deps = [\"opt\"]"),
            &answering("deps", "ctx.deps"),
        )
        .call("deps", json!({}))
        .text(r#"{"opt":"opt"}"#);
    server.order("stop opt").exits(0);
    server.call("deps", json!({})).text(r#"{"opt":null}"#).stands("a running, opt stopped");
    server.order("start opt").exits(0);
    server.call("deps", json!({})).text(r#"{"opt":"opt"}"#).stands("a running, opt running");
}

#[test]
fn reloading_restarts_a_module_and_its_dependents_once() {
    let mut server = chain();
    server.order("reload b").exits(0).says("● b 1.0.0  1 tool");
    then(&mut server, &["b: start", "c: start", "c: stop", "b: stop"]);
    server.order("reload").exits(0);
    let mut log = server.log_of(STARTED + 4 + 8);
    log.drain(..STARTED + 4);
    let starts: Vec<&String> = log.iter().filter(|line| line.ends_with("start")).collect();
    assert_eq!(starts, ["a: start", "b: start", "c: start", "d: start"]);
}

#[test]
fn a_reload_that_fails_says_so_and_keeps_what_is_served() {
    let mut server = Server::start();
    server.module("a", &saying("x", "1")).up();
    server.module("a", "def oops(:\n");
    server
        .order("reload a")
        .exits(1)
        .says("✗ a  stale: the last good version is still served")
        .says("def oops(:");
    server.call("x", json!({})).text("1");
}

/// An edit that is reloaded by order, before the watcher has had its say, leaves nothing unwatched.
#[test]
fn what_an_order_loads_is_watched_like_the_rest() {
    let mut server = Server::start();
    server
        .folder_module("a", &manifest("a", ""), &saying("x", "1"))
        .file("a/lib.star", "W = \"2\"\n")
        .up();
    for round in 0..10 {
        let lib = format!("lib{round}");
        server.file(&format!("a/{lib}.star"), "W = \"2\"\n").main(
            "a",
            &format!("load(\"{lib}\", \"W\")\ndef x() -> str:\n    return W\ntool(x)\n"),
        );
        server.order("reload a").exits(0);
        server.call("x", json!({})).text("2").file(&format!("a/{lib}.star"), "W = \"3\"\n").until(
            "x",
            json!({}),
            "3",
        );
    }
}

#[test]
fn orders_are_refused_with_a_reason() {
    let mut server = chain();
    server.living("weather", "").changed();
    for order in ["reload", "start", "stop"] {
        server
            .order(&format!("{order} wether"))
            .exits(2)
            .notes("there is no module `wether`; did you mean `weather`?");
        server
            .order(&format!("{order} a nonsense"))
            .exits(2)
            .notes("there is no module `nonsense`");
    }
    // Nothing of a refused order is carried out.
    server.stands("a running, b running, c running, d running, weather running");
    server.order("stop a").exits(0);
    server.order("reload a").exits(2).notes("`a` is stopped; `larkspur start a` starts it");
    server.room.run(&["stop", "a", "-e", "elsewhere"]).exits(1).notes("no server is running");
}

/// A stop waits for nobody: the call in flight ends well, and then the module stops.
#[test]
fn a_call_in_flight_ends_before_its_module_stops() {
    let slow = crate::calls::SLOW.replace("return count", "log.info(\"done\")\n    return count");
    let mut server = Server::start();
    server
        .living("base", "")
        .folder_module("a", &manifest("a", &needs("base")), &(living("a") + &slow))
        .up();
    let call =
        json!({"name": "slow", "arguments": {"turns": 2_000_000}, "_meta": {"progressToken": 1}});
    let id = server.send("tools/call", call);
    server.wire().notification("notifications/progress");
    server.order("stop base").exits(0);
    server.lists(&[]);
    assert_eq!(server.log(), ["base: start", "a: start"]);
    server.answer(id).text("2000000");
    server.logged(&["base: start", "a: start", "a: done", "a: stop", "base: stop"]);
}
