//! Clients that others wrote, against the real binary, by both doors and in both eras: Python's
//! `mcp`, TypeScript's client and the inspector's command line. `cargo xtask tools` installs them.

use crate::room::Room;
use crate::web::Web;
use serde_json::Value;
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

def steps(ctx) -> str:
    """Says how far it is, and answers when it was heard."""
    for done in range(1, 4):
        ctx.progress(done, 3, "step %d" % done)
    for i in range(10000000):
        if ctx.state.get("heard"):
            return "done"

def heard(ctx) -> str:
    """Lets `steps` answer."""
    ctx.state.set("heard", True)
    return "good"

def spin(ctx):
    """Goes on until somebody takes it back."""
    ctx.progress(1, None, "spinning")
    many = list(range(100000))
    for i in range(10000000):
        found = 99999 in many

tool(hello)
tool(broken)
tool(steps)
tool(heard)
tool(spin)
prompt(letter)
resource("weather://today", today)
resource("weather://{city}/{day}", weather, complete = {"city": lambda value: [value + "lo"]})
"#;

/// Each client takes a second or two; on a busy machine several times that.
const PATIENCE: Duration = Duration::from_mins(1);

/// A file below the folder of foreign tools, for tests that are marked as needing them.
#[track_caller]
pub(crate) fn installed(file: &str) -> PathBuf {
    let is_python = file.starts_with("py/");
    cluster::assert_test_is_marked(if is_python { "Python packages" } else { "Node.js packages" });
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = workspace.join("target/tools").join(file);
    assert!(path.exists(), "{} is not there: run `cargo xtask tools`", path.display());
    path
}

/// How a client comes to the server.
#[derive(Debug, Clone, Copy)]
enum Door {
    /// It starts the server itself.
    Pipes,
    Network,
}

/// What a client is given: a server, or how to start one.
enum Served {
    Pipes(Room),
    Network(Web),
}

impl Served {
    fn by(door: Door) -> Self {
        let room = Room::new();
        room.write("greet.star", GREET);
        // A call that nobody takes back outlasts the client's patience.
        room.project("[limits]\ntimeout = \"10m\"\n");
        match door {
            Door::Pipes => Self::Pipes(room),
            Door::Network => Self::Network(Web::start(room, &[])),
        }
    }

    fn room(&self) -> &Room {
        match self {
            Self::Pipes(room) => room,
            Self::Network(web) => &web.room,
        }
    }

    /// The program, or the server's address.
    fn place(&self) -> String {
        match self {
            Self::Pipes(_) => env!("CARGO_BIN_EXE_larkspur").to_owned(),
            Self::Network(web) => format!("http://127.0.0.1:{}/mcp", web.port),
        }
    }
}

/// Runs a client in a room, which is its home as well: its exit code and what it printed.
#[track_caller]
pub(crate) fn run(room: &Room, command: &mut Command) -> (Option<i32>, String) {
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

/// A program of ours that drives a client of others.
#[track_caller]
fn program(mut command: Command, file: &str, args: &[&str], door: Door, revision: &str) {
    let served = Served::by(door);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it").join(file);
    let room = served.room();
    command.arg(file).args(args).arg(served.place()).arg(room.modules());
    let (code, printed) = run(room, &mut command);
    assert_eq!(printed, facts(revision), "{door:?}");
    assert_eq!(code, Some(0), "{door:?}");
}

/// What every client sees, in each era and by each door.
fn facts(revision: &str) -> String {
    format!(
        "\
revision: {revision}
tools: broken, heard, hello, spin, steps
answer: hello ada
error: nothing works today
error: greet.hello was not called: `name` is required; `nam` is not a parameter; did you mean `name`?
resources: weather://today
templates: weather://{{city}}/{{day}}
read: text/plain sunny
read: application/json {{\"city\":\"oslo\",\"day\":3}}
not read: there is no resource `weather://tody`; did you mean `weather://today`?
prompts: letter(to, tone)
prompt: user: Write a keen letter to ada
complete: keen
complete: oslo
progress: 1/3 step 1
progress: 2/3 step 2
progress: 3/3 step 3
answer: done
cancelled
free
tools: broken, heard, howdy, spin, steps
answer: howdy ada
"
    )
}

#[track_caller]
fn python(mode: &str, door: Door, revision: &str) {
    let python = Command::new(installed("py/bin/python"));
    program(python, "clients.py", &[mode], door, revision);
}

#[test]
#[ignore = "needs Python packages: cargo xtask test"]
fn python_finds_out_what_we_speak() {
    python("auto", Door::Pipes, "2026-07-28");
    python("auto", Door::Network, "2026-07-28");
}

#[test]
#[ignore = "needs Python packages: cargo xtask test"]
fn python_speaks_the_modern_revision() {
    python("2026-07-28", Door::Pipes, "2026-07-28");
    python("2026-07-28", Door::Network, "2026-07-28");
}

#[test]
#[ignore = "needs Python packages: cargo xtask test"]
fn python_speaks_the_legacy_revision() {
    python("legacy", Door::Pipes, "2025-11-25");
    python("legacy", Door::Network, "2025-11-25");
}

pub(crate) fn node() -> Command {
    Command::new(installed("js/node"))
}

#[track_caller]
fn typescript(mode: &str, door: Door, revision: &str) {
    let kit = installed("js");
    let kit = kit.to_str().unwrap();
    program(node(), "clients.mjs", &[kit, mode], door, revision);
}

#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn typescript_finds_out_what_we_speak() {
    typescript("auto", Door::Pipes, "2026-07-28");
    typescript("auto", Door::Network, "2026-07-28");
}

#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn typescript_speaks_the_legacy_revision() {
    typescript("legacy", Door::Pipes, "2025-11-25");
    typescript("legacy", Door::Network, "2025-11-25");
}

/// One request by the inspector: its exit code, and the result in JSON.
#[track_caller]
fn inspector(door: Door, era: &str, request: &[&str]) -> (Option<i32>, Value) {
    let served = Served::by(door);
    let room = served.room();
    let mut inspector = node();
    inspector
        .arg(installed("js/node_modules/.bin/mcp-inspector"))
        .args(["--cli", "--quiet", "--format", "json"])
        .args(["--protocol-era", era, "--method"])
        .args(request);
    match door {
        Door::Pipes => {
            let serve = ["--", &served.place(), "serve", "--modules"];
            inspector.args(serve).arg(room.modules())
        }
        Door::Network => inspector.args(["--transport", "http", &served.place()]),
    };
    let (code, printed) = run(room, &mut inspector);
    let answer: Value = serde_json::from_str(&printed)
        .unwrap_or_else(|error| panic!("{error}: {inspector:?} printed {printed}"));
    (code, answer["result"].clone())
}

/// Asks by both doors and in both eras.
#[track_caller]
fn inspect(request: &[&str], check: impl Fn(Option<i32>, &Value)) {
    for door in [Door::Pipes, Door::Network] {
        for era in ["legacy", "modern"] {
            let (code, result) = inspector(door, era, request);
            println!("{door:?}, {era}: {result:#}");
            check(code, &result);
        }
    }
}

#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn the_inspector_lists_tools() {
    inspect(&["tools/list", "--strict"], |code, result| {
        let tools = result["tools"].as_array().unwrap();
        let names: Vec<&str> = tools.iter().filter_map(|t| t["name"].as_str()).collect();
        assert_eq!(names, ["broken", "heard", "hello", "spin", "steps"]);
        assert_eq!(code, Some(0));
    });
}

#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn the_inspector_calls_a_tool() {
    let call = ["tools/call", "--tool-name", "hello"];
    let args = ["--tool-args-json", r#"{"name": "ada"}"#];
    inspect(&[&call[..], &args].concat(), |code, result| {
        assert_eq!(result["content"][0]["text"], "hello ada");
        assert_eq!(result["isError"], false);
        assert_eq!(code, Some(0));
    });
}

#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn the_inspector_sees_that_a_tool_failed() {
    inspect(&["tools/call", "--tool-name", "broken"], |code, result| {
        assert_eq!(result["content"][0]["text"], "nothing works today");
        assert_eq!(result["isError"], true);
        // The inspector's own code for a tool that said error.
        assert_eq!(code, Some(5));
    });
}

#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn the_inspector_reads_a_resource() {
    inspect(&["resources/read", "--uri", "weather://oslo/3"], |code, result| {
        assert_eq!(result["contents"][0]["text"], r#"{"city":"oslo","day":3}"#);
        assert_eq!(code, Some(0));
    });
}

#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn the_inspector_gets_a_prompt() {
    let get = ["prompts/get", "--prompt-name", "letter"];
    let args = ["--prompt-args", "to=ada", "tone=keen"];
    inspect(&[&get[..], &args].concat(), |code, result| {
        let text = &result["messages"][0]["content"]["text"];
        assert_eq!(text, "Write a keen letter to ada");
        assert_eq!(code, Some(0));
    });
}
