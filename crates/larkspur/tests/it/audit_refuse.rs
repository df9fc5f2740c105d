//! Audit with `on_error = "refuse"`: a call is recorded before it runs and before its result is sent.

use crate::audit::{as_ada, block_on, lines_of, open, room};
use crate::room::Room;
use crate::web::{Web, written};
use crate::wire::PATIENCE;
use model::Args;
use runtime::{Asking, RequestErrorKind};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tokio_util::sync::CancellationToken;

const REFUSE: &str = "[audit]\non_error = 'refuse'\n";

fn log(room: &Room) -> PathBuf {
    room.path().join(".larkspur/audit.jsonl")
}

/// `verdict tool begin`, in the order of the file.
fn summary(path: &Path) -> Vec<String> {
    let words = |line: &Value| {
        let text = |name: &str| line[name].as_str().unwrap_or("-").to_owned();
        format!("{} {} {}", text("verdict"), text("tool"), line["begin"])
    };
    lines_of(path).iter().map(words).collect()
}

fn wait_for(what: &str, look: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !look() {
        assert!(Instant::now() < deadline, "never {what}");
        std::thread::yield_now();
    }
}

fn call_message(tool: &str, arguments: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments}})
    .to_string()
}

/// A module that leaves a mark for each of its functions that runs.
fn marking(project: &str) -> Room {
    let room = Room::new();
    room.write(
        "marks/module.toml",
        "name = 'marks'\nversion = '1.0.0'\ndescription = 'd'\n[permissions]\nfiles_write = ['marks/*']\n",
    );
    room.write("marks/marks/keep", "");
    room.write("marks/main.star", MARKS);
    room.project(project);
    room
}

const MARKS: &str = r#"
def mark(name: str) -> str:
    files.write("marks/" + name, "x")
    return "marked"
def nested(ctx) -> str:
    return ctx.call("marks.mark", {"name": "nested"})
def page(topic: str):
    return mark(topic)
def ask(name: str):
    return mark(name)
tool(mark)
tool(nested)
resource("marks://{topic}", page)
prompt(ask)
"#;

#[test]
fn call_that_a_kill_cuts_short_is_recorded() {
    let room = room(REFUSE);
    room.write(
        "slow.star",
        "def wait() -> str:\n    for i in range(1000000):\n        for j in range(1000000):\n            pass\ntool(wait)\n",
    );
    let mut web = Web::start(room, &[]);
    let path = log(&web.room);
    let headers =
        [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
    let message = call_message("slow.wait", &json!({}));
    let mut stream = web.connect();
    let request = written(web.port, "POST", "/mcp", &headers, &message);
    stream.write_all(&request).unwrap();
    wait_for("begun", || !lines_of(&path).is_empty());
    web.room.run(&["audit"]).exits(0).says("begun    local");
    web.signal("KILL");
    web.wire.ended();
    assert_eq!(summary(&path), ["begun wait null"]);
    let shown = web.room.run(&["audit", "--verdict", "interrupted"]);
    shown.exits(0).says("interrupted  local  http  slow.wait");
    let json = web.room.run(&["audit", "--format", "json"]);
    json.exits(0).says("\"verdict\":\"interrupted\"");
}

/// No wait between the reply and the look: the lines are there.
#[test]
fn result_is_sent_after_its_line_is_written() {
    let web = Web::start(room(REFUSE), &[]);
    let path = log(&web.room);
    for round in 1..=20 {
        let call = serde_json::from_str(&call_message("add", &json!({"text": "a"}))).unwrap();
        web.plain(&call).is(200);
        assert_eq!(lines_of(&path).len(), 2 * round);
    }
    let shown = web.room.run(&["audit"]);
    assert_eq!(shown.exits(0).stdout.matches("  ok  ").count(), 20, "{shown:?}");
    assert_eq!(shown.stdout.lines().count(), 20);
}

#[test]
fn every_way_to_a_tool_is_recorded_before_and_after() {
    let room = room(REFUSE);
    let runtime = open(&room);
    block_on(async {
        let one = json!({"id": "a", "module": "notes", "tool": "add", "params": {"text": "b"}});
        for (tool, args) in [
            ("add", json!({"text": "a"})),
            ("twice", json!({"text": "a"})),
            ("batch", json!({"tasks": [one]})),
            ("add", json!({})),
            ("nothing", json!({})),
        ] {
            let _ = runtime.call(as_ada(tool, args)).await;
        }
        let _ = runtime.read("notes://c", Asking::default()).await;
        let mut args = Args::new();
        args.insert("name".into(), json!("d"));
        let _ = runtime.prompt("greet", args, Asking::default()).await;
    });
    // Before the runtime is closed.
    assert_eq!(
        summary(&log(&room)),
        [
            "begun add null",
            "ok add 1",
            "begun twice null",
            "begun add null",
            "ok add 4",
            "begun add null",
            "ok add 6",
            "ok twice 3",
            "begun add null",
            "ok add 9",
            "error add null",
            "denied nothing null",
            "begun page null",
            "ok page 13",
            "begun greet null",
            "ok greet 15",
        ]
    );
    runtime.close();
}

#[test]
fn nothing_runs_while_the_disk_is_full() {
    let room = marking("[audit]\nfile = '/dev/full'\non_error = 'refuse'\n");
    let refusal = "no call is made while the audit log cannot be written";
    let call = room.run(&["call", "marks.mark", "name=cli"]);
    call.exits(5).notes(refusal);
    let web = Web::start(room, &[]);
    let task = json!({"id": "a", "module": "marks", "tool": "mark", "params": {"name": "batch"}});
    let call = json!({"module": "marks", "tool": "mark", "params": {"name": "call"}});
    for (method, params) in [
        ("tools/call", json!({"name": "mark", "arguments": {"name": "tool"}})),
        ("tools/call", json!({"name": "nested", "arguments": {}})),
        ("tools/call", json!({"name": "call", "arguments": call})),
        ("tools/call", json!({"name": "batch", "arguments": {"tasks": [task]}})),
        ("resources/read", json!({"uri": "marks://page"})),
        ("prompts/get", json!({"name": "ask", "arguments": {"name": "prompt"}})),
    ] {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let reply = web.plain(&message);
        assert!(reply.body.contains(refusal), "{method} {params}: {reply:?}");
    }
    let marks = fs::read_dir(web.room.at("marks/marks")).unwrap();
    let marks: Vec<_> = marks.map(|mark| mark.unwrap().file_name()).collect();
    assert_eq!(marks, ["keep"]);
}

/// The folder takes the place of the file while the call runs.
#[test]
fn result_is_withheld_when_its_end_cannot_be_written() {
    let room = room("[audit]\nfile = 'log/a.jsonl'\non_error = 'refuse'\n");
    room.write(
        "slow.star",
        "def wait() -> str:\n    for i in range(1000000):\n        for j in range(1000000):\n            pass\ntool(wait)\n",
    );
    let path = room.path().join("log/a.jsonl");
    let runtime = open(&room);
    let cancel = CancellationToken::new();
    let mut call = as_ada("slow.wait", json!({}));
    call.cancel = cancel.clone();
    let result = std::thread::scope(|scope| {
        let running = scope.spawn(|| block_on(runtime.call(call)));
        wait_for("begun", || summary(&path) == ["begun wait null"]);
        fs::rename(&path, room.path().join("log/old")).unwrap();
        fs::create_dir(&path).unwrap();
        cancel.cancel();
        running.join().unwrap()
    });
    let error = result.unwrap_err();
    assert_eq!(error.kind, RequestErrorKind::Unrecorded);
    let sentence = error.to_string();
    assert!(sentence.starts_with("the call has run, but its end cannot be written"));
    // The end is kept, and written when that is possible again.
    fs::remove_dir(&path).unwrap();
    wait_for("written", || summary(&path) == ["stopped wait 1"]);
    runtime.close();
}
