//! `larkspur doctor`: every line it can say, and what the exit code follows from.

use crate::fixture::saying;
use crate::install::{at_home, home};
use crate::room::Room;
use crate::web::Web;
use serde_json::Value;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const HUB: &str = r#"name = "hub"
version = "1.2.0"
description = "A hub for tests"

[permissions]
exec = ["sh", "no-such-command", "bin/tool", "also-*"]
env = ["HUB_TOKEN", "HUB_URL", "OTHER_*"]
postgres = ["main", "old"]
"#;

const NEEDS: [&str; 9] = [
    "✓ hub runs `sh`: /",
    "✗ hub runs `no-such-command`, which is not there\n    → install no-such-command, or put",
    "✓ hub runs `bin/tool`: modules/hub/bin/tool",
    "✓ hub reads `HUB_TOKEN`, which is set",
    "! hub reads `HUB_URL`, which is not set\n    → set it where the server is started",
    "✓ hub reads `OTHER_*`, which is set",
    "✓ hub uses the database `main`",
    "✗ hub uses the database `old`, which larkspur.toml does not name\n    → add [postgres.old]",
    "2 problems, 1 warning",
];

/// A `larkspur.toml` with a port that nobody has, and with this below `[server]`.
fn project(room: &Room, rest: &str) {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    room.project(&format!("[server]\nport = {port}\n{rest}"));
}

#[test]
fn what_modules_need_is_looked_for() {
    let mut room = home();
    room.write("hub/module.toml", HUB);
    room.write("hub/main.star", &saying("ping", "pong"));
    room.write("hub/bin/tool", "#!/bin/sh\n");
    let tool = fs::Permissions::from_mode(0o755);
    fs::set_permissions(room.at("hub/bin/tool"), tool).unwrap();
    project(&room, "\n[postgres.main]\nurl = \"postgres://hush@localhost/main\"\n");
    room.set_env("HUB_TOKEN", "hush").set_env("OTHER_ONE", "hush");
    let ran = room.run(&["doctor"]);
    ran.exits(1);
    for line in NEEDS {
        ran.says(line);
    }
    // Neither colour nor secrets.
    assert!(!ran.stdout.contains(['\u{1b}']) && !ran.stdout.contains("hush"), "{ran:#?}");
}

#[test]
fn commands_of_single_files_are_looked_for_too() {
    let room = home();
    project(&room, "");
    room.write("ext.star", EXTENSION);
    room.run(&["doctor"]).exits(1).says("✗ ext runs `no-such-command`");
}

const EXTENSION: &str = r#"
def run(params):
    return "x"

def describe_extension():
    return Extension(name = "ext", version = "1", description = "d",
                     allowed_exec = ["no-such-command"],
                     tools = [Tool(name = "run", description = "d", handler = run)])
"#;

#[test]
fn a_project_that_is_well_says_so() {
    let room = home();
    project(&room, "");
    let ran = room.run(&["doctor"]);
    ran.exits(0)
        .says("✓ larkspur.toml")
        .says("✓ modules\n")
        .says(".larkspur can be made when it is needed")
        .says(" is free\n")
        .says("✓ none that are known are on this machine")
        .says("0 problems, 0 warnings");
    let json = room.run(&["doctor", "--format", "json"]).exits(0).json();
    assert_eq!((&json["problems"], &json["warnings"]), (&0.into(), &0.into()));
    let areas = json["findings"].as_array().unwrap().iter();
    let areas: Vec<&str> = areas.filter_map(|found| found["area"].as_str()).collect();
    assert_eq!(areas, ["program", "configuration", "folders", "data", "port", "clients"]);
    // It only looks.
    let entries = fs::read_dir(room.path()).unwrap();
    let mut left: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["larkspur.toml", "modules"]);
}

/// The findings of one area, as mark and text.
fn area(room: &Room, area: &str) -> Vec<(String, String)> {
    let json = room.run(&["doctor", "--format", "json"]).json();
    let findings = json["findings"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let own = findings.filter(|found| found["area"] == area);
    own.map(|found| (text(&found["mark"]), text(&found["what"]))).collect()
}

#[track_caller]
fn check(room: &Room, named: &str, mark: &str, part: &str) {
    let found = area(room, named);
    let is_it = |(m, what): &(String, String)| m == mark && what.contains(part);
    assert!(found.iter().any(is_it), "{found:#?}");
}

#[test]
fn what_is_wrong_with_the_configuration_is_told() {
    let room = home();
    room.project("[server]\nprot = 1\n");
    check(&room, "configuration", "problem", "larkspur.toml:2:1");
    project(&room, "\n[module.gret.config]\na = 1\n");
    check(&room, "modules", "warning", "did you mean `greet`?");
    let other = at_home(Room::without("modules"));
    check(&other, "folders", "problem", "modules is not there");
    check(&other, "configuration", "ok", "no larkspur.toml");
    other.run(&["doctor", "--config", "gone.toml"]).exits(1).says("there is no gone.toml");
}

#[test]
fn a_place_that_cannot_be_written_is_told() {
    let room = home();
    project(&room, "data_dir = \"larkspur.toml/data\"\n");
    check(&room, "data", "problem", "larkspur.toml/data cannot be written");
}

#[test]
fn whoever_has_the_port_is_told() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port();
    let room = home();
    // It hears, and hangs up.
    std::thread::spawn(move || other.incoming().for_each(drop));
    room.project(&format!("[server]\nport = {port}\n"));
    check(&room, "port", "warning", "belongs to another program");
    room.project(&format!("[server]\nport = {port}\ntransport = \"http\"\n"));
    check(&room, "port", "problem", "belongs to another program");
    let served = home();
    served.project("[server]\n");
    let web = Web::start(served, &[]);
    web.room.project(&format!("[server]\nport = {}\n", web.port));
    let version = env!("CARGO_PKG_VERSION");
    check(&web.room, "port", "ok", &format!("has a larkspur {version} with 1 tool"));
}

#[test]
fn clients_are_held_against_what_is_there() {
    let room = home();
    project(&room, "");
    let cursor = room.path().join(".cursor/mcp.json");
    let write = |text: &str| {
        fs::create_dir_all(cursor.parent().unwrap()).unwrap();
        fs::write(&cursor, text).unwrap();
    };
    write("{}");
    check(&room, "clients", "ok", "Cursor is here, without this server");
    write("{");
    check(&room, "clients", "problem", ".cursor/mcp.json:1:1: ");
    fs::remove_file(&cursor).unwrap();
    let install = ["install", "cursor", "--yes", "--name", "shop"];
    room.run(&install).exits(0);
    check(&room, "clients", "ok", "Cursor: `shop` in ");
    let text = fs::read_to_string(&cursor).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_larkspur")).canonicalize().unwrap();
    write(&text.replace(program.to_str().unwrap(), "/old/larkspur"));
    check(&room, "clients", "problem", "cannot work: there is no /old/larkspur");
    write(&text.replace(room.modules().to_str().unwrap(), "modules"));
    check(&room, "clients", "problem", "--modules modules depends on the folder");
    write(&text.replace(room.modules().to_str().unwrap(), "/gone"));
    check(&room, "clients", "problem", "cannot work: there is no /gone");
    room.run(&["doctor"])
        .exits(1)
        .says("→ `larkspur install cursor --name shop` in the project's folder");
    // The way out that it names is one.
    room.run(&install).exits(0);
    room.run(&["doctor"]).exits(0);
}
