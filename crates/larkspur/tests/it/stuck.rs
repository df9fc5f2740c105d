//! Files and calls that ignore every limit: they fail alone, and the server goes on.

use crate::fixture::{Server, ada, greeting, saying};
use crate::room::Room;
use crate::web::Web;
use serde_json::json;
use std::time::{Duration, Instant};

/// Hashing a tuple that contains itself twice, forty levels deep, is one step that does not end.
const HASH: &str = "
def weigh(n: int):
    x = ()
    for i in range(n):
        x = (x, x)
    return {}.get(x, 1)
";

/// A file that does not finish loading.
fn stuck_file() -> String {
    format!("{HASH}X = weigh(40)\n")
}

/// A tool that does not return for n = 40.
fn stuck_tool() -> String {
    format!("{HASH}tool(weigh)\n")
}

fn room() -> Room {
    let room = Room::new();
    room.project("[limits]\ntimeout = '500ms'\n");
    room
}

fn server() -> Server {
    Server::start_in(room(), crate::fixture::Opening::Legacy)
}

#[test]
fn server_starts_beside_a_file_that_does_not_load() {
    let mut server = server();
    server
        .module("bomb", &stuck_file())
        .module("greet", &greeting("hello"))
        .call("hello", ada())
        .text("hello ada")
        .warned("bomb.star cannot be loaded")
        .warned("bomb.star does not finish loading: it ignores its time limit of 500 ms")
        .edit("greet", &saying("hello", "bye"))
        .until("hello", json!({}), "bye")
        .module("more", &saying("more", "more"))
        .until("more", json!({}), "more");
    let room = &server.room;
    room.run(&["status"])
        .exits(0)
        .says("1 thread ignores its deadline")
        .says("failed: not served")
        .says("bomb.star does not finish loading");
    room.run(&["reload", "greet"]).exits(0);
    let status = server.status();
    assert_eq!(status["modules"][2]["state"], "failed", "{status:#}");
    server.edit("bomb", &saying("fixed", "fixed")).until("fixed", json!({}), "fixed");
}

#[test]
fn last_good_version_stays_when_an_edit_does_not_load() {
    let mut server = server();
    server
        .module("greet", &greeting("hello"))
        .module("other", &saying("other", "one"))
        .up()
        .edit("greet", &stuck_file())
        .warned("greet.star cannot be loaded; its last good version is still served")
        .call("hello", ada())
        .text("hello ada")
        .edit("other", &saying("other", "two"))
        .until("other", json!({}), "two")
        .remove("greet.star")
        .edit("other", &saying("other", "three"))
        .until("other", json!({}), "three");
}

#[test]
fn commands_end_beside_a_file_that_does_not_load() {
    let room = room();
    room.write("bomb.star", &stuck_file())
        .write("bomb_test.star", "load('bomb.star', 'X')\ndef test_x():\n    pass\n")
        .write("greet.star", &greeting("hello"))
        .write(
            "greet_test.star",
            "load('greet.star', 'hello')\ndef test_it():\n    testing.eq(1, 1)\n",
        );
    room.run(&["list"]).says("hello").notes("bomb.star");
    room.run(&["check"]).exits(1).says("bomb.star does not finish loading");
    room.run(&["test"]).exits(1).says("bomb.star does not finish loading").says("✓ test_it");
    room.run(&["call", "greet.hello", "name=ada"]).exits(0).says("hello ada");
}

#[test]
fn module_that_leaves_three_calls_is_stopped_with_the_reason() {
    let mut server = server();
    server.module("heavy", &stuck_tool()).module("greet", &greeting("hello")).up();
    for _ in 0..3 {
        server
            .call("weigh", json!({"n": 40}))
            .fails("stopped after 500 ms, the time one call may take (limit `timeout`)");
    }
    let why = "module `heavy` was stopped: it left 3 calls running that ignore their deadline";
    server
        .warned("heavy.star was stopped")
        .warned("`larkspur start heavy` starts it as it is")
        .call("weigh", json!({"n": 1}))
        .fails(why)
        .call("hello", ada())
        .text("hello ada");
    server
        .room
        .run(&["status"])
        .exits(0)
        .says("3 threads ignore their deadline")
        .says("✗ heavy  failed: not served")
        .says(why);
    server.order("start heavy").exits(0);
    server.call("weigh", json!({"n": 1})).text("1");
    server.call("weigh", json!({"n": 40})).fails("500 ms");
    server.status_until("counted for its instance", |status| {
        let heavy = status["modules"].as_array().unwrap().iter();
        let mut heavy = heavy.filter(|module| module["name"] == "heavy");
        heavy.any(|module| module["state"] == "running" && module["stuck"] == 1)
    });
}

#[test]
fn stopped_module_is_served_again_once_it_is_edited() {
    let mut server = server();
    server.module("heavy", &stuck_tool()).up();
    for _ in 0..3 {
        server.call("weigh", json!({"n": 40})).fails("500 ms");
    }
    server.warned("heavy.star was stopped").edit("heavy", &saying("weigh", "light")).until(
        "weigh",
        json!({}),
        "light",
    );
}

#[test]
fn abandoned_threads_are_shown_over_http() {
    let room = room();
    room.write("heavy.star", &stuck_tool());
    let web = Web::start(room, &[]);
    let params = json!({"name": "weigh", "arguments": {"n": 40}});
    web.modern("tools/call", params).is(200);
    let stuck = || web.get("/health").is(200).json()["stuck"].clone();
    let deadline = Instant::now() + Duration::from_secs(20);
    while stuck() != 1 {
        assert!(Instant::now() < deadline, "never counted");
        std::thread::yield_now();
    }
    assert_eq!(web.get("/health/ready").is(200).json(), json!({"status": "ok", "stuck": 1}));
    let metrics = web.get("/metrics").is(200).body.clone();
    assert!(metrics.contains("larkspur_threads_stuck 1"), "{metrics}");
}
