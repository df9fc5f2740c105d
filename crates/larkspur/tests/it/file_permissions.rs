//! `permissions(…)` of single files: what `check` finds, what `--fix` writes, what `doctor` looks for.

use crate::room::Room;
use serde_json::Value;
use std::fs;

const GREEDY: &str = r#""""Weather."""

load("base.star", "key")

BASE = "https://api.example.org/v1"

# The tool.
def weather(city: str) -> str:
    """Say how the weather is.

    Args:
        city: Which city.
    """
    key()
    attempt(http.get, "https://other.example.org:8080/x")
    files.write("out/a.txt", files.read("data/a.txt"))
    sqlite.execute("a.db", "CREATE TABLE t (x)")
    exec.run("git", ["log"])
    return http.get(BASE + "/" + city)["body"]  # the answer

tool(weather)
"#;

const LIBRARY: &str = "def key() -> str:\n    return env.get(\"WEATHER_KEY\")\n";

fn errors(room: &Room) -> Vec<String> {
    let found = room.run(&["check", "--format", "json"]).json();
    let faults = found["faults"].as_array().unwrap().iter();
    let errors = faults.filter(|fault| fault["level"] == "error");
    let text = |fault: &Value| fault["fault"]["message"].as_str().unwrap().to_owned();
    errors.map(text).collect()
}

#[test]
fn fix_writes_what_a_file_uses() {
    let room = Room::new();
    room.write("weather.star", GREEDY).write("base.star", LIBRARY);
    assert_eq!(
        errors(&room),
        [
            "`WEATHER_KEY` is not among the variables module `weather` may read",
            "`other.example.org:8080` is not among the hosts module `weather` may reach",
            "`out/a.txt` is not among the files module `weather` may write",
            "`data/a.txt` is not among the files module `weather` may read",
            "`a.db` is not among the databases module `weather` may write",
            "`git` is not among the commands module `weather` may run",
            "`api.example.org` is not among the hosts module `weather` may reach",
        ]
    );
    room.run(&["check", "--fix"]).exits(0);
    let declared = r#"permissions(
    http = ["other.example.org:8080", "api.example.org"],
    exec = ["git"],
    env = ["WEATHER_KEY"],
    sqlite_write = ["a.db"],
    files = ["data/a.txt"],
    files_write = ["out/a.txt"],
)

"#;
    let expected = GREEDY.replace("BASE = \"", &format!("{declared}BASE = \""));
    let written = || fs::read_to_string(room.at("weather.star")).unwrap();
    assert_eq!(written(), expected);
    assert_eq!(fs::read_to_string(room.at("base.star")).unwrap(), LIBRARY);
    assert!(errors(&room).is_empty());
    room.run(&["check", "--fix"]).exits(0);
    assert_eq!(written(), expected);
    // More of it is added to the call that is there.
    let more = expected.replace("\"git\"", "\"git\", \"hg\"");
    room.write("weather.star", &expected.replace("exec.run(\"git\"", "exec.run(\"hg\""));
    room.run(&["check", "--fix"]).exits(0);
    assert_eq!(written(), more.replace("exec.run(\"git\", \"hg\"", "exec.run(\"hg\""));
}

#[test]
fn fix_says_what_it_cannot_derive() {
    let room = Room::new();
    for (name, source, message, help) in [
        (
            "unknown",
            "def f(url: str) -> str:\n    return http.get(url)[\"body\"]\n",
            "module `unknown` uses http.get, and its file declares no `http`",
            "add permissions(http = [\"…\"]) at the top of its file; the source does not tell what it asks for",
        ),
        (
            "computed",
            "HOSTS = [\"a.org\"]\npermissions(http = HOSTS)\ndef f() -> str:\n    return http.get(\"https://b.org/\")[\"body\"]\n",
            "`b.org` is not among the hosts module `computed` may reach",
            "add \"b.org\" to `http` of permissions(…) in its file, by hand: `--fix` adds only to one call at the top with plain lists",
        ),
        (
            "ours",
            "def f() -> str:\n    return env.get(\"LARKSPUR_TOKEN\")\n",
            "`LARKSPUR_TOKEN` is the server's own, and kept from every module",
            "",
        ),
    ] {
        let source = format!("{source}tool(f)\n");
        let file = format!("{name}.star");
        room.write(&file, &source);
        let ran = room.run(&["check", "--fix", &format!("modules/{file}")]);
        ran.exits(1).says(message).says(help);
        assert_eq!(fs::read_to_string(room.at(&file)).unwrap(), source);
    }
}

#[test]
fn declaration_that_nothing_uses_is_reported() {
    let room = Room::new();
    room.write(
        "idle.star",
        "permissions(env = [\"A\"], http = [])\ndef f() -> int:\n    return 1\ntool(f)\n",
    );
    room.run(&["check"]).exits(0).says("warning[W0302]: `env` is declared, and nothing uses it");
}

/// The denial names the line; with that line the call works.
#[test]
fn denial_names_the_line_that_helps() {
    let mut room = Room::new();
    room.set_env("TZ", "Europe/Paris");
    let source = "def zone() -> str:\n    return env.get(\"TZ\")\ntool(zone)\n";
    room.write("clock.star", source);
    let denied = room.run(&["call", "clock.zone"]);
    let line = "permissions(env = [\"TZ\"])";
    denied.exits(5).notes(&format!(
        "`TZ` is not among the variables module `clock` may read; add {line} at the top of its file"
    ));
    room.write("clock.star", &format!("{line}\n{source}"));
    room.run(&["call", "clock.zone"]).exits(0).says_only("Europe/Paris");
    room.write("clock.star", source);
    room.run(&["check", "--fix"]).exits(0);
    let written = fs::read_to_string(room.at("clock.star")).unwrap();
    assert_eq!(written, format!("{line}\n\n{source}"));
    room.run(&["call", "clock.zone"]).exits(0).says_only("Europe/Paris");
}

#[test]
fn doctor_looks_for_what_a_file_declares() {
    let room = Room::new();
    let source = "permissions(exec = ['no-such-command'], env = ['NO_SUCH_NAME'])\n\
                  def f() -> int:\n    return 1\ntool(f)\n";
    room.write("typed.star", source);
    room.run(&["doctor"])
        .says("typed runs `no-such-command`, which is not there")
        .says("typed reads `NO_SUCH_NAME`, which is not set");
}
