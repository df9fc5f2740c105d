//! Calls that want too much, and the others beside them.
// Tests that read /proc are left out elsewhere, and with them the only users of some helpers.
#![cfg_attr(not(target_os = "linux"), allow(dead_code, unused_imports))]

use crate::calls::{SLOW, SPIN};
use crate::fixture::{Server, ada, greeting};
use crate::room::Room;
use crate::wire::PATIENCE;
use model::Args;
use runtime::{Call, Overload, RequestErrorKind, Runtime, Settings, Stats};
use serde_json::json;
use settings::Bounds;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

const GREEDY: &str = r#"
def endless():
    many = list(range(100000))
    for i in range(10000000):
        found = 99999 in many

def steps():
    for i in range(1000000):
        for j in range(1000000):
            pass

def hungry():
    pile = []
    for i in range(10000000):
        pile.append("a" * 100000 + str(i))
    return len(pile)

def deep(n: int):
    return deep(n + 1)

def wide():
    return "a" * 100000000000

def long():
    return ["x" * 1000 for i in range(20000)]

tool(endless, timeout = "300ms")
tool(hungry)
tool(deep)
tool(wide)
tool(steps)
tool(long)
"#;

#[test]
fn a_limit_is_named_in_the_answer() {
    let mut server = Server::start();
    server.module("greedy", GREEDY);
    server
        .call("endless", json!({}))
        .fails("stopped after 300 ms, the time one call may take (limit `timeout`)")
        .call("steps", json!({}))
        .fails("stopped after 50000000 steps, the most one call may take (limit `ticks`)")
        .call("hungry", json!({}))
        .fails("stopped at 256 MiB of memory, the most one call may use (limit `heap`)")
        .call("deep", json!({"n": 1}))
        .fails("(limit `call_depth`)")
        .call("wide", json!({}))
        .fails("one text may have")
        .call("long", json!({}))
        .fails("result");
    let status = server.status();
    assert_eq!(status["stuck"], 0, "{status:#}");
    assert_eq!(status["in_flight"], 0, "{status:#}");
}

#[test]
fn greedy_calls_disturb_nobody() {
    let mut server = Server::start();
    server
        .module("greedy", &GREEDY.replace("300ms", "5s"))
        .module("greet", &greeting("hello"))
        .up();
    let greedy: Vec<i64> = ["endless", "endless", "hungry"]
        .iter()
        .map(|tool| server.send_call(tool, json!({})))
        .collect();
    server.status_until("in flight", |status| status["in_flight"] == 3);
    for _ in 0..20 {
        server.call("hello", ada()).text("hello ada");
    }
    // The small ones are done while the endless ones are still at it.
    let status = server.status();
    assert!(status["in_flight"].as_u64() >= Some(2), "{status:#}");
    for (id, limit) in greedy.into_iter().zip(["timeout", "timeout", "heap"]) {
        server.answer(id).fails(limit);
    }
    server.call("hello", ada()).text("hello ada");
}

/// More calls than there are places: the rest wait, and all are answered.
#[test]
fn more_calls_than_places_are_all_answered() {
    let mut server = Server::start();
    server.module("slow", SLOW).module("greet", &greeting("hello")).up();
    let slow: Vec<i64> =
        (0..600).map(|_| server.send_call("slow", json!({"turns": 3_000}))).collect();
    server.call("hello", ada()).text("hello ada");
    for id in slow {
        server.answer(id).text("3000");
    }
    assert_eq!(server.status()["failed"], 0);
}

/// Beyond the places and the queue a call is turned away at once. With fewer of both than a server
/// has: so many calls at work would leave no time for anybody else on a small machine.
#[test]
fn more_calls_than_the_queue_holds_are_turned_away() {
    let room = Room::new();
    room.write("spin.star", SPIN);
    let runtime = Runtime::open(Settings {
        folders: vec![room.modules().to_owned()],
        bounds: Bounds { calls: 2, queue: 3, ..Bounds::default() },
        ..Settings::default()
    });
    let executor = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    executor.block_on(async {
        let mut calls = JoinSet::new();
        for _ in 0..2 + 3 + 4 {
            let runtime = runtime.clone();
            calls.spawn(async move { runtime.call(Call::new("spin", Args::new())).await });
        }
        for _ in 0..4 {
            let ended = calls.join_next().await.unwrap().unwrap();
            let (waiting, limit) = (3, "queue");
            let full = Overload::QueueFull { waiting, limit };
            assert_eq!(ended.unwrap_err().kind, RequestErrorKind::Busy(full));
        }
        // A call that has its place counts a moment later.
        let deadline = Instant::now() + PATIENCE;
        while in_flight(&runtime) < 2 {
            assert!(Instant::now() < deadline, "only {} run", in_flight(&runtime));
            tokio::task::yield_now().await;
        }
        assert_eq!(in_flight(&runtime), 2);
        // Who waits no longer ends what runs for them.
        calls.shutdown().await;
    });
    let deadline = Instant::now() + PATIENCE;
    while in_flight(&runtime) > 0 {
        assert!(Instant::now() < deadline, "the threads do not come back");
        std::thread::yield_now();
    }
}

fn in_flight(runtime: &Runtime) -> u64 {
    Stats::get(&runtime.stats().in_flight)
}

#[test]
fn a_bomb_at_load_stops_nobody() {
    let mut server = Server::start();
    server
        .module("greet", &greeting("hello"))
        .up()
        .module("bomb", "X = [0] * 100000000000\ndef f():\n    return 1\ntool(f)\n")
        .module("recursive", "def f():\n    return f()\nf()\n")
        .warned("bomb.star cannot be loaded")
        .warned("recursive.star cannot be loaded")
        .call("hello", ada())
        .text("hello ada");
}

/// The engine compares a list with a type of forty levels without looking at the clock; a list that
/// holds itself twice at each of them has too many elements to come back.
fn endless_check() -> String {
    let nested = format!("{}int{}", "list[".repeat(40), "]".repeat(40));
    format!(
        r#"
def compare(x: {nested}):
    return 1

def weigh(n: int):
    x = 1
    for i in range(n):
        x = [x, x]
    return compare(x) if n == 40 else n

tool(weigh, timeout = "1s")
"#
    )
}

/// A tool that was quick earns a place where its calls arrive. Should one of them never come back,
/// its caller is answered all the same, and so is everybody else.
#[test]
fn a_call_that_never_comes_back_is_answered_without() {
    let mut server = Server::start();
    server.module("endless", &endless_check()).module("greet", &greeting("hello")).up();
    for _ in 0..50 {
        server.call("weigh", json!({"n": 1})).text("1");
    }
    let stuck = server.send_call("weigh", json!({"n": 40}));
    for _ in 0..20 {
        server.call("hello", ada()).text("hello ada");
    }
    server.answer(stuck).fails("stopped after 1 s, the time one call may take (limit `timeout`)");
    server.status_until("stuck", |status| status["stuck"] == 1);
    server.call("weigh", json!({"n": 1})).text("1");
    server.call("hello", ada()).text("hello ada");
}

/// One file each: an expression that would take the machine, how much of it, and what stops it.
const BOMBS: [(&str, u64, &str); 27] = [
    ("'a' * n", 2_000_000_000, "a text of 2000000000 bytes"),
    ("[0] * n", 2_000_000_000, "a repetition of 2000000000 elements"),
    ("list(range(n))", 2_000_000_000, "a list of 2000000000 elements"),
    ("sorted(range(n))", 2_000_000_000, "sorted of 2000000000 elements"),
    ("max(range(n))", 2_000_000_000, "max of 2000000000 elements"),
    ("all(range(1, n))", 2_000_000_000, "all of 1999999999 elements"),
    ("zip(range(n), range(n))", 2_000_000_000, "zip of 2000000000 elements"),
    ("','.join(['a' * 1000000] * n)", 1_000, "a text of 1000001000 bytes"),
    ("('a' * n).replace('a', 'b' * n)", 1_000_000, "a text of"),
    ("grow(lambda x: x + x, 'a', n)", 60, "a text of"),
    ("grow(lambda x: x + x, [0], n)", 60, "a sequence of"),
    ("grow(lambda x: x * x, 3, n)", 60, "a product of"),
    ("json.encode(grow(lambda x: [x, x], [], n))", 40, "longer than"),
    ("str(grow(lambda x: [x, x], [], n))", 40, "longer than"),
    ("grow(lambda x: [x], [], n)", 300, "nested deeper than 128"),
    ("{grow(lambda x: (1, x), None, n): 1}", 1_600_000, "nested deeper than 500"),
    ("{grow(lambda x: (x, x), (1,), n): 1}", 40, "longer than"),
    ("[1].remove(grow(lambda x: (1, x), None, n))", 1_600_000, "nested deeper than 500"),
    ("json.decode('9' * n)", 4_000_000, "too many for an integer"),
    ("set([i << 32 for i in range(n)])", 20_000, "share one hash"),
    ("str(grow(lambda x: [x], [], n))", 200_000, "nested deeper than 500"),
    ("[i for i in range(n)]", 2_000_000_000, "stopped"),
    ("grow(lambda x: x, 0, n)", 2_000_000_000, "stopped after"),
    ("forever(n)", 1, "too deeply"),
    ("json.decode('[' * n)", 100_000, "recursion limit exceeded"),
    ("json.decode('1e%d' % n)", 999, "too large for a number"),
    ("(lambda *a: len(a))(*range(n))", 2_000_000_000, "a list of 2000000000 elements"),
];

/// Once with a constant in a function that nobody calls, once with an argument.
fn bomb(expression: &str, n: u64) -> String {
    format!(
        r#"
def grow(step, x, n):
    for i in range(n):
        x = step(x)
    return x

def forever(n):
    return forever(n + 1)

def never():
    n = {n}
    return {expression}

def bomb(n: int):
    return {expression}

tool(bomb, timeout = "10s")
"#
    )
}

#[test]
#[cfg(target_os = "linux")]
fn bombs_are_stopped_below_a_gigabyte() {
    let mut server = Server::start();
    for (i, (expression, n, _)) in BOMBS.iter().enumerate() {
        server.module(&format!("bomb{i}"), &bomb(expression, *n));
    }
    server.module("greet", &greeting("hello")).up();
    for (i, (expression, n, said)) in BOMBS.iter().enumerate() {
        let begin = Instant::now();
        server.call(&format!("bomb{i}.bomb"), json!({"n": n})).fails(said);
        assert!(begin.elapsed() < Duration::from_secs(12), "{expression}");
        server.call("hello", ada()).text("hello ada");
    }
    let kilobytes = server.peak_memory();
    assert!(kilobytes < 1_000_000, "{kilobytes} kB at the most");
}
