//! `larkspur check --upgrade`: what of a project made for version 0.1 breaks, and what `--fix` changes.

use crate::room::Room;
use serde_json::Value;
use std::fs;

const CLOCK: &str = r#"def zone() -> str:
    """Which time zone is set?"""
    return env.get("TZ")

def fetch(url: str) -> str:
    """Read a page.

    Args:
        url: Where it is.
    """
    return http.get(url)["body"]

tool(zone)
tool(fetch)
"#;

const EARLY: &str = "ZONE = env.get(\"TZ\")\ndef zone() -> str:\n    return ZONE\ntool(zone)\n";

const EXTENSION: &str =
    "def describe_extension():\n    return Extension(name = \"ext\", tools = [])\n";

fn breaks(room: &Room) -> Vec<String> {
    let found = room.run(&["check", "--upgrade", "--format", "json"]).json();
    let breaks = found["breaks"].as_array().unwrap().iter();
    let line = |one: &Value| {
        let fixable = if one["fixable"] == true { "fixable" } else { "by hand" };
        format!("{} ({fixable}): {}", one["area"].as_str().unwrap(), one["what"].as_str().unwrap())
    };
    breaks.map(line).collect()
}

/// A project as version 0.1 left it: files without declarations, data beside the folder.
fn old_project() -> Room {
    let room = Room::new();
    room.write("clock.star", CLOCK).write("early.star", EARLY).write("ext.star", EXTENSION);
    room.project(
        "[server]\ntransport = 'http'\nhost = '192.0.2.1'\nauth = 'token'\n\
         [module.clock.grant]\nhttp = ['api.example.org']\nenv = ['TZ']\n",
    );
    let inside = room.at(".larkspur");
    fs::create_dir(&inside).unwrap();
    fs::write(inside.join("audit.jsonl"), "{}\n").unwrap();
    room
}

#[test]
fn what_breaks_is_listed_and_fixed() {
    let room = old_project();
    let data = format!(
        "data folder (fixable): the data folder {} is kept in {} now",
        room.at(".larkspur").display(),
        room.path().join(".larkspur").display()
    );
    let early =
        "permissions (by hand): modules/early.star:1: `env` works in calls, not while a file loads";
    let trust = "trust (by hand): ext in starlark-mcp's form: not loaded on 192.0.2.1";
    assert_eq!(
        breaks(&room),
        [
            "permissions (fixable): modules/clock.star: [module.clock.grant] names \"api.example.org\" as \
             `http`, and a grant no longer gives what the file does not declare",
            "permissions (fixable): modules/clock.star:3: `TZ` is not among the variables module `clock` may \
             read",
            "permissions (by hand): modules/clock.star:11: module `clock` uses http.get, and its file declares \
             no `http`",
            early,
            trust,
            &data,
        ]
    );
    // Looking changes nothing.
    assert_eq!(fs::read_to_string(room.at("clock.star")).unwrap(), CLOCK);
    assert!(room.at(".larkspur").exists());
    let fixed = room.run(&["check", "--upgrade", "--fix"]);
    fixed.exits(1).says("`env` works in calls, not while a file loads");
    let declared = "permissions(http = [\"api.example.org\"], env = [\"TZ\"])\n\n";
    let written = fs::read_to_string(room.at("clock.star")).unwrap();
    assert_eq!(written, format!("{declared}{CLOCK}"));
    assert!(room.path().join(".larkspur/audit.jsonl").exists());
    assert!(!room.at(".larkspur").exists());
    assert_eq!(breaks(&room), [early, trust]);
    // The second run changes nothing.
    room.run(&["check", "--upgrade", "--fix"]).exits(1);
    assert_eq!(fs::read_to_string(room.at("clock.star")).unwrap(), written);
}

/// A call of another module's tool has to be declared, in a folder and in a single file.
#[test]
fn undeclared_calls_are_listed_and_declared() {
    let room = Room::new();
    let call = "def f(ctx) -> str:\n    return ctx.call(\"hello.hello\", {})\ntool(f)\n";
    room.write("hello.star", "def hello() -> str:\n    return \"hello\"\ntool(hello)\n")
        .write("file.star", call)
        .write("folder/module.toml", "name = 'folder'\nversion = '1.0.0'\ndescription = 'd'\n")
        .write("folder/main.star", call);
    let denied = "`hello.hello` is not among the tools module";
    assert_eq!(
        breaks(&room),
        [
            format!("calls (fixable): modules/file.star:2: {denied} `file` may call"),
            format!("calls (fixable): modules/folder/main.star:2: {denied} `folder` may call"),
        ]
    );
    room.run(&["call", "file.f"])
        .exits(5)
        .notes("add permissions(calls = [\"hello.hello\"]) at the top of its file");
    room.run(&["check", "--upgrade", "--fix"]).exits(0);
    let written = fs::read_to_string(room.at("file.star")).unwrap();
    assert_eq!(written, format!("permissions(calls = [\"hello.hello\"])\n\n{call}"));
    for tool in ["file.f", "folder.f"] {
        room.run(&["call", tool]).exits(0).says_only("hello");
    }
}

#[test]
fn project_that_breaks_nowhere_is_reported_as_such() {
    let room = Room::new();
    room.write("hello.star", "def hello() -> str:\n    return \"hello\"\ntool(hello)\n");
    room.run(&["check", "--upgrade"])
        .exits(0)
        .says_only("")
        .notes("nothing of this project breaks in this version");
    room.run(&["check", "--upgrade", "--strict"]).exits(2);
}

/// Whose data it is nobody can tell: nothing is moved, and no server starts without it.
#[test]
fn data_of_several_folders_is_left_to_the_operator() {
    let room = Room::new();
    for folder in ["modules", "others"] {
        fs::create_dir_all(room.path().join(folder)).unwrap();
        let file = room.path().join(folder).join("hello.star");
        fs::write(file, "def hello() -> str:\n    return \"hello\"\ntool(hello)\n").unwrap();
    }
    let old = room.path().join(".larkspur");
    fs::create_dir(&old).unwrap();
    fs::write(old.join("audit.jsonl"), "{}\n").unwrap();
    let found = room.run(&["check", "--upgrade", "--fix"]);
    found.exits(1).says("data folder: the data folder").says("may belong to any of").says("mv ");
    assert!(old.join("audit.jsonl").exists());
    for command in ["serve", "dev"] {
        room.run(&[command]).exits(1).notes("may belong to any of").notes("run `mv ");
    }
}
