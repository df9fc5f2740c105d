//! Batches: what runs at once, what is tried again, what takes too long, and what a terminal shows.

use crate::batch_text::read_batch_data;
use crate::fixture::Server;
use crate::room::Room;
use crate::screen::{Screen, plain};
use crate::upstream::{self, Web};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Mock of the Notion tools that `CHAIN` calls, and tools that misbehave.
const NOTION: &str = r##"
def search(query: str) -> dict:
    return {"results": [{"id": "p1", "title": query}, {"id": "p2", "title": "other"}]}

def get_page_content(page_id: str) -> str:
    return "# " + page_id

def meet(ctx, me: str, other: str) -> str:
    ctx.state.set(me, True)
    for _ in range(100000):
        if ctx.state.get(other):
            return me + " met " + other
        time.sleep("5ms")

def spill() -> str:
    fail("the pot is empty")

def echo(value: str) -> str:
    return value

def nested(ctx, tasks: list) -> dict:
    return ctx.call("batch", {"tasks": tasks})

def rows() -> list[dict]:
    return [{"id": 1, "note": "x" * 100}]

tool(search); tool(get_page_content); tool(meet); tool(spill); tool(echo)
tool(nested); tool(rows, compact = lambda result: "%d rows" % len(result))
"##;

fn room() -> Room {
    let room = Room::new();
    room.write("notion.star", NOTION);
    room
}

fn task(id: &str, tool: &str, params: Value) -> Value {
    json!({"id": id, "module": "notion", "tool": tool, "params": params, "raw_output": true})
}

/// What a batch answered, and whether that is an error.
fn run(server: &mut Server, tasks: &Value) -> (Value, bool) {
    let params = json!({"name": "batch", "arguments": {"tasks": tasks}});
    read(&server.request("tools/call", params).result())
}

fn read(result: &Value) -> (Value, bool) {
    (read_batch_data(result), result["isError"] == true)
}

fn server() -> Server {
    Server::start_in(room(), crate::fixture::Opening::Modern)
}

fn statuses(answer: &Value) -> Value {
    let tasks = answer["tasks"].as_object().unwrap().iter();
    tasks.map(|(id, task)| (id.clone(), task["status"].clone())).collect()
}

/// Search, then read the first hit: two tasks as JSON lines.
const CHAIN: &str = r#"{"id":"search","module":"notion","tool":"search","params":{"query":"設計"}}
{"id":"page","module":"notion","tool":"get_page_content","params":{"page_id":"${search.results[0].id}"},"after":["search"],"output":true}
"#;

#[test]
fn independent_tasks_run_at_once() {
    let tasks = json!([
        task("a", "meet", json!({"me": "a", "other": "b"})),
        task("b", "meet", json!({"me": "b", "other": "a"})),
    ]);
    let (answer, _) = run(&mut server(), &tasks);
    let expected = json!({"a": "a met b", "b": "b met a"});
    assert_eq!(answer["results"], expected, "{answer:#}");
}

#[test]
fn what_may_pass_is_tried_again() {
    let tries = AtomicUsize::new(0);
    let web = Web::answering(move |_| {
        let first = tries.fetch_add(1, Ordering::SeqCst) == 0;
        Some(if first { upstream::answer(503, "", "busy") } else { upstream::ok("fine") })
    });
    let room = Room::new();
    room.write(
        "web.star",
        &format!(
            "permissions(http = ['{}'])\ndef get(url: str) -> str:\n    \
             return http.get(url, check = True, retries = False)[\"body\"]\n\
             tool(get, read_only = True)\n",
            web.site()
        ),
    );
    let url = web.url("/");
    let mut server = Server::start_in(room, crate::fixture::Opening::Modern);
    let get = |retry: Value| json!([{"id": "a", "module": "web", "tool": "get", "params": {"url": url}, "raw_output": true, "retry": retry}]);
    let (answer, is_error) = run(&mut server, &get(json!({"max": 2})));
    assert!(!is_error, "{answer:#}");
    assert_eq!(answer["results"]["a"], "fine");
}

#[test]
fn a_task_has_its_own_time() {
    let mut slow = task("slow", "meet", json!({"me": "a", "other": "nobody"}));
    slow["timeout_ms"] = json!(100);
    let tasks = json!([slow, task("quick", "echo", json!({"value": "x"}))]);
    let mut server = server();
    let (answer, _) = run(&mut server, &tasks);
    assert_eq!(
        answer["errors"]["slow"],
        json!({"code": "timeout", "message": "stopped after 100 ms, the time this task may take (`timeout_ms`)"})
    );
    assert_eq!(answer["results"], json!({"quick": "x"}));
    server.status_until("its thread is free", |status| status["in_flight"] == 0);
}

#[test]
fn a_batch_can_be_taken_back() {
    let mut server = server();
    server.up();
    let tasks = json!([task("a", "meet", json!({"me": "a", "other": "nobody"}))]);
    let params = json!({"name": "batch", "arguments": {"tasks": tasks}});
    let id = server.send("tools/call", params);
    server.status_until("it runs", |status| status["in_flight"] == 1);
    server.notify("notifications/cancelled", json!({"requestId": id}));
    server.status_until("its thread is free", |status| status["in_flight"] == 0);
}

/// What runs at once, whose time is up and how an answer is said: as for a batch from outside.
#[test]
fn a_batch_of_a_script_is_no_worse() {
    let mut slow = task("slow", "meet", json!({"me": "c", "other": "nobody"}));
    slow["timeout_ms"] = json!(100);
    let mut rows = task("rows", "rows", json!({}));
    rows["raw_output"] = json!(false);
    rows["output"] = json!(true);
    let tasks = json!([
        task("a", "meet", json!({"me": "a", "other": "b"})),
        task("b", "meet", json!({"me": "b", "other": "a"})),
        slow,
        rows,
    ]);
    let mut server = server();
    let inner = server.call("nested", json!({"tasks": tasks})).result()["structuredContent"].take();
    let (outer, _) = run(&mut server, &tasks);
    for answer in [&inner, &outer] {
        let results = json!({"a": "a met b", "b": "b met a", "rows": "1 rows"});
        assert_eq!(answer["results"], results, "{answer:#}");
        assert_eq!(answer["errors"]["slow"]["code"], "timeout", "{answer:#}");
    }
    assert_eq!(inner["errors"], outer["errors"]);
}

/// Batches in batches have no threads of their own, and end all the same.
#[test]
fn a_batch_in_a_batch_of_a_script_ends() {
    let echo = task("e", "echo", json!({"value": "deep"}));
    let mut tasks = json!([echo]);
    for _ in 0..3 {
        let nested = |id: &str| task(id, "nested", json!({"tasks": tasks}));
        tasks = json!([nested("x"), nested("y")]);
    }
    let said = server().call("nested", json!({"tasks": tasks})).result();
    let deep = said["structuredContent"].to_string();
    assert_eq!(deep.matches("\"deep\"").count(), 8, "{deep}");
}

#[test]
fn the_command_line_runs_batches() {
    let room = room();
    std::fs::write(room.path().join("plan.jsonl"), CHAIN).unwrap();
    room.run(&["batch", "plan.jsonl"]).exits(0).says_only("# p1");
    let whole = room.run(&["batch", "plan.jsonl", "--format", "json"]);
    assert_eq!(whole.exits(0).json()["tasks"]["page"]["status"], "ok");
    let two = json!([
        task("a", "echo", json!({"value": "x"})),
        task("b", "search", json!({"query": "q"})),
    ]);
    room.run_with(&["batch", "-"], &two.to_string()).exits(0).says("# a\nx\n# b\n");
    let some = json!([task("a", "echo", json!({"value": "x"})), task("b", "spill", json!({}))]);
    room.run_with(&["batch", "-"], &some.to_string())
        .exits(1)
        .says_only("x")
        .notes("error: b: the pot is empty");
    let none = json!([task("b", "spill", json!({}))]);
    room.run_with(&["batch", "-"], &none.to_string()).exits(5);
    room.run_with(&["batch", "-"], "[{}]").exits(2).notes("nothing was called:");
    room.run(&["batch", "nowhere.jsonl"]).exits(2).notes("cannot read nowhere.jsonl");
}

/// Each task as a line that is drawn again as it goes on, on standard error alone.
#[test]
fn a_terminal_shows_the_plan_as_it_runs() {
    let room = room();
    let tasks = json!([
        task("a", "search", json!({"query": "q"})),
        task("b", "echo", json!({"value": "${a.results[0].id}"})),
        task("bad", "spill", json!({})),
        task("after", "echo", json!({"value": "${bad}"})),
    ]);
    std::fs::write(room.path().join("plan.json"), tasks.to_string()).unwrap();
    let seen = Screen::start(&room, &["batch", "plan.json", "--format", "json"]).end();
    let plain = plain(&seen.drawn);
    for line in ["· b", "◐ a", "● a", "● b", "✗ bad  error", "○ after  skipped"] {
        assert!(plain.contains(line), "no `{line}` in {plain}");
    }
    assert!(seen.drawn.contains("\x1b[4A"), "{:?}", seen.drawn);
    let said: Value = serde_json::from_str(&seen.said).unwrap();
    assert_eq!(said["results"]["b"], "p1");
}

#[test]
fn an_interrupted_batch_tells_what_it_has() {
    let room = room();
    let tasks = json!([
        task("quick", "echo", json!({"value": "x"})),
        task("endless", "meet", json!({"me": "a", "other": "nobody"})),
        task("never", "echo", json!({"value": "${endless}"})),
    ]);
    std::fs::write(room.path().join("plan.json"), tasks.to_string()).unwrap();
    let mut screen = Screen::start(&room, &["batch", "plan.json", "--format", "json"]);
    screen.until("● quick").until("◐ endless").interrupt();
    let seen = screen.end();
    let said: Value = serde_json::from_str(&seen.said).unwrap();
    let expected = json!({"quick": "ok", "endless": "cancelled", "never": "cancelled"});
    assert_eq!(statuses(&said), expected, "{said:#}");
    assert_eq!(said["results"], json!({"quick": "x"}));
    assert_eq!(seen.code, Some(1));
}

#[test]
fn a_long_plan_is_shown_in_few_lines() {
    let room = room();
    let tasks: Vec<Value> =
        (0..40).map(|n| task(&format!("t{n}"), "echo", json!({"value": "x"}))).collect();
    std::fs::write(room.path().join("plan.json"), json!(tasks).to_string()).unwrap();
    let seen = Screen::start(&room, &["batch", "plan.json", "--format", "json"]).end();
    let drawn = seen.drawn;
    assert!(plain(&drawn).contains("40 of 40 have ended"), "{drawn}");
    // Eight run at once, and one line sums them up.
    for up in drawn.split("\x1b[").filter_map(|part| part.split_once('A')) {
        let lines: usize = up.0.parse().unwrap_or_default();
        assert!(lines <= 9, "{lines} lines");
    }
}
