//! Batches by every door: results that feed others, what runs at once, what is left out, and why.

use crate::batch_text::read_batch_data;
use crate::client::{Client, DOORS, Door, Era};
use crate::fixture::Server;
use crate::room::Room;
use crate::screen::{Screen, plain};
use crate::upstream::{self, Web};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Mock of the Notion tools that `CHAIN` calls, and tools that misbehave.
const NOTION: &str = r##"
def search(ctx, query: str) -> dict:
    ctx.state.update("searched", lambda n: n + 1, default = 0)
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

def evil() -> dict:
    return {"text": "${search.results[0].id}"}

def echo(value: str) -> str:
    return value

def searched(ctx) -> int:
    return ctx.state.get("searched", 0)

def nested(ctx, tasks: list) -> dict:
    return ctx.call("batch", {"tasks": tasks})

tool(search); tool(get_page_content); tool(meet); tool(spill); tool(evil); tool(echo)
def rows() -> list[dict]:
    return [{"id": 1, "note": "x" * 100}]

tool(searched); tool(nested); tool(rows, compact = lambda result: "%d rows" % len(result))
"##;

const OLD: &str = r#"
def find(params):
    rows = [{"id": i, "name": "n%d" % i, "kind": "row"} for i in range(3)]
    return {"content": [{"type": "text", "text": json.encode({"rows": rows})}]}

def describe_extension():
    return Extension(name = "old", version = "1.0.0", description = "Old.", tools = [
        Tool(name = "find", description = "Finds.", handler = find),
    ])
"#;

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
fn chained_batch_runs_on_every_transport() {
    for door in DOORS {
        let mut client = Client::start(room(), door, json!({}));
        for key in ["tasks", "commands"] {
            let params = json!({"name": "batch", "arguments": {key: CHAIN}});
            let (said, _) = client.talk("tools/call", params, |_| json!({}));
            let (answer, is_error) = read(&said["result"]);
            assert!(!is_error, "{door:?}: {answer:#}");
            let expected = json!({"results": {"page": "# p1"}, "errors": {}, "tasks": {}});
            assert_eq!(answer, expected, "{door:?}");
        }
    }
}

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

/// It ends there and then: nobody waits for a task that was never started.
#[test]
fn a_reference_that_leads_nowhere_ends_its_batch() {
    let tasks = json!([
        task("found", "search", json!({"query": "x"})),
        task("lost", "echo", json!({"value": "${found.nothing}"})),
        task("later", "echo", json!({"value": "${lost.x}"})),
    ]);
    let mut server = server();
    let (answer, _) = run(&mut server, &tasks);
    let expected = json!({"lost": "error", "later": "skipped"});
    assert_eq!(statuses(&answer), expected, "{answer:#}");
    let expected = json!({"found": "ok", "lost": "error", "later": "skipped"});
    let params = json!({"name": "nested", "arguments": {"tasks": tasks}});
    let nested = server.request("tools/call", params).result();
    assert_eq!(statuses(&nested["structuredContent"]), expected, "{nested:#}");
}

#[test]
fn a_failure_takes_its_dependents_along_and_nobody_else() {
    let mut on_it = task("next", "echo", json!({"value": "${bad.x}"}));
    let tasks = json!([
        task("bad", "spill", json!({})),
        on_it.take(),
        task("last", "echo", json!({"value": "${next}"})),
        task("good", "echo", json!({"value": "x"})),
        task("found", "search", json!({"query": "q"})),
        task("wrong", "echo", json!({"value": "${found.results}"})),
    ]);
    let (answer, is_error) = run(&mut server(), &tasks);
    assert!(!is_error);
    let expected = json!({
        "bad": "error", "next": "skipped", "last": "skipped", "wrong": "error",
    });
    assert_eq!(statuses(&answer), expected, "{answer:#}");
    assert_eq!(answer["results"]["good"], "x");
    assert_eq!(answer["errors"]["bad"]["message"], "the pot is empty");
    assert_eq!(answer["errors"]["wrong"]["code"], "rejected");
    let why = answer["errors"]["last"]["message"].as_str().unwrap();
    assert!(why.contains("`bad`"), "{why}");
    let all_bad = json!([task("bad", "spill", json!({}))]);
    let (_, is_error) = run(&mut server(), &all_bad);
    assert!(is_error);
}

#[test]
fn a_plan_that_is_not_sound_calls_nothing() {
    let mut server = server();
    let search = task("s", "search", json!({"query": "q"}));
    for (tasks, why) in [
        (
            json!([search, task("x", "serach", json!({}))]),
            "nothing was called:\ntask `x`: there is no tool `notion.serach`; did you mean `search`?",
        ),
        (
            json!([search, task("s", "echo", json!({"value": "x"}))]),
            "nothing was called:\ntask 2: `id` \"s\" is already the id of task 1",
        ),
        (
            json!([
                search,
                task("a", "echo", json!({"value": "${b}"})),
                task("b", "echo", json!({"value": "${a}"}))
            ]),
            "nothing was called:\ncircular dependency detected: a -> b -> a",
        ),
        (json!("{\"id\": 3"), "nothing was called:\nline 1: "),
        (
            json!([search, task("x", "echo", json!({"value": "$s.results[0].title"}))]),
            "nothing was called:\ntask `x`: `params.value`, column 1: `$s.results[0].title` is not a reference: write ${s.results[0].title}, ",
        ),
        (
            json!([search, task("x", "echo", json!({"value": "cd ${HOME}"}))]),
            "nothing was called:\ntask `x`: `params.value`, column 4: there is no task `HOME` (the text `${` is written as `$${`)",
        ),
    ] {
        let (answer, is_error) = run(&mut server, &tasks);
        assert!(is_error, "{tasks:#}");
        let answer = answer.as_str().unwrap_or_else(|| panic!("{answer:#}"));
        assert!(answer.starts_with(why), "{answer}");
        if tasks.is_array() {
            let nested = server.call("nested", json!({"tasks": tasks})).result();
            let nested = nested.to_string();
            assert!(nested.contains("nothing was called"), "{nested}");
        }
    }
    server.call("searched", json!({})).text("0");
}

#[test]
fn what_a_result_says_is_never_read_again() {
    let tasks = json!([
        task("search", "search", json!({"query": "secret"})),
        task("evil", "evil", json!({})),
        task("echo", "echo", json!({"value": "${evil.text}"})),
        task("within", "echo", json!({"value": "it said: ${evil.text}"})),
    ]);
    let (answer, _) = run(&mut server(), &tasks);
    assert_eq!(answer["results"]["echo"], "${search.results[0].id}");
    assert_eq!(answer["results"]["within"], "it said: ${search.results[0].id}");
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

#[test]
fn a_script_runs_batches_too() {
    let tasks = json!([
        task("search", "search", json!({"query": "q"})),
        task("page", "get_page_content", json!({"page_id": "${search.results[-1].id}"})),
    ]);
    let mut server = server();
    let said = server.call("nested", json!({"tasks": tasks})).result();
    let answer = &said["structuredContent"];
    assert_eq!(answer["results"]["page"], "# p2", "{said:#}");
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
fn progress_is_told_task_by_task() {
    let Client::Stdio(mut server, _) = Client::start(room(), Door::Stdio(Era::Modern), json!({}))
    else {
        panic!("it is stdio")
    };
    let params = json!({
        "name": "batch", "arguments": {"tasks": CHAIN}, "_meta": {"progressToken": "p"},
    });
    let id = server.send("tools/call", params);
    server.answer(id);
    let mut told = Vec::new();
    while let Some(word) = server.wire().notified("notifications/progress") {
        let params = &word["params"];
        told.push((
            params["progress"].as_f64().unwrap(),
            params["message"].as_str().unwrap().to_owned(),
        ));
    }
    let expected = [(0.0, "search"), (1.0, "page"), (2.0, "done")];
    let expected = expected.map(|(done, words)| (done, words.to_owned()));
    assert_eq!(told, expected);
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

/// Results, `select` and compact output of an old extension's tool, as of a typed one's.
#[test]
fn old_extensions_take_part() {
    let room = room();
    room.write("old.star", OLD);
    let mut server = Server::start_in(room, crate::fixture::Opening::Modern);
    let find = |more: Value| {
        let mut task = json!({"id": "found", "module": "old", "tool": "find", "params": {}});
        task.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        task
    };
    let echo = task("echo", "echo", json!({"value": "${found.rows[-1].name}"}));
    for (more, expected) in [
        (json!({}), json!({"echo": "n2"})),
        (
            json!({"output": true}),
            json!({"echo": "n2", "found": "rows[3]{id,name,kind}:\n  0,n0,row\n  1,n1,row\n  2,n2,row"}),
        ),
        (
            json!({"output": true, "select": ["name"]}),
            json!({"echo": "n2", "found": "rows[3]{name}:\n  n0\n  n1\n  n2"}),
        ),
    ] {
        let (answer, _) = run(&mut server, &json!([find(more), echo]));
        assert_eq!(answer["results"], expected, "{answer:#}");
    }
}
