//! `install` and `uninstall` on the files of every client, read afterwards by foreign parsers that
//! keep each client's rules. `cargo xtask tools` installs those.

use crate::clients::{installed, node, run};
use crate::fixture::greeting;
use crate::room::Room;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Each client, where its files are for a user and for a project, and what is read them with.
const CLIENTS: [(&str, &str, Option<&str>, &str, &str); 5] = [
    ("claude-code", ".claude.json", Some(".mcp.json"), "json", "mcpServers"),
    ("claude-desktop", ".config/Claude/claude_desktop_config.json", None, "json", "mcpServers"),
    ("cursor", ".cursor/mcp.json", Some(".cursor/mcp.json"), "jsonc", "mcpServers"),
    ("vscode", ".config/Code/User/mcp.json", Some(".vscode/mcp.json"), "jsonc", "servers"),
    ("codex", ".codex/config.toml", Some(".codex/config.toml"), "toml", "mcp_servers"),
];

/// A room that is a home as well, with one module.
pub(crate) fn home() -> Room {
    let room = at_home(Room::new());
    room.write("greet.star", &greeting("hello"));
    room
}

/// Nobody's home but this room is looked at.
pub(crate) fn at_home(mut room: Room) -> Room {
    let folder = room.path().display().to_string();
    room.set_env("HOME", &folder);
    for moves in ["XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR"] {
        room.set_env(moves, "");
    }
    room
}

/// The binary, links followed.
fn program() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_larkspur")).canonicalize().unwrap()
}

fn fixture(client: &str, kind: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/clients");
    fs::read_to_string(folder.join(format!("{client}.{kind}"))).unwrap()
}

/// A client's file as it may be: missing, empty, of other servers, of none, with other line ends.
fn states(client: &str, kind: &str) -> Vec<Option<String>> {
    let real = fixture(client, kind);
    let windows = real.replace('\n', "\r\n");
    let mut states = vec![None, Some(String::new()), Some("\n".into()), Some(real), Some(windows)];
    let more: &[&str] = match kind {
        "toml" => &[
            "model = \"o3\"",
            "mcp_servers = { docs = { url = \"https://example.org\" } }\n",
            "[mcp_servers]\ndocs.command = \"x\"\n",
        ],
        "jsonc" => &["// nothing yet\n{}", "{ }\n", "\u{feff}{\n}\n", "{\"a\":[1,2,],}"],
        _ => &["{}", "{ }\n", "{\"mcpServers\":{}}", "{\"a\":1,\"mcpServers\":{\"b\":{}}}\n"],
    };
    states.extend(more.iter().map(|text| Some((*text).to_owned())));
    states
}

fn put(file: &Path, text: Option<&str>) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    match text {
        Some(text) => fs::write(file, text).unwrap(),
        None => assert!(!file.exists()),
    }
}

/// What a parser of that kind makes of texts.
#[track_caller]
fn parsed(kind: &str, texts: &[String]) -> Vec<Value> {
    let room = Room::new();
    let file = room.path().join("texts.json");
    fs::write(&file, serde_json::to_string(texts).unwrap()).unwrap();
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let mut command = if kind == "jsonc" {
        let mut command = node();
        command.arg(scripts.join("configs.mjs")).arg(installed("js"));
        command
    } else {
        let mut command = Command::new(installed("py/bin/python"));
        command.arg(scripts.join("configs.py")).arg(kind);
        command
    };
    let (code, printed) = run(&room, command.arg(file));
    assert_eq!(code, Some(0), "{texts:#?}");
    serde_json::from_str(&printed).unwrap()
}

/// Every state of a client's file: installed and read by the client's rules, installed again,
/// and uninstalled, which leaves what was there, byte for byte.
#[track_caller]
fn there_and_back(named: &str) {
    let room = home();
    let launched = json!({
        "command": program(),
        "args": ["serve", "--modules", room.modules()],
    });
    let own = CLIENTS.into_iter().filter(|(client, ..)| *client == named);
    for (client, user, project, kind, servers) in own {
        for (scope, place) in [("user", Some(user)), ("project", project)] {
            let Some(place) = place else { continue };
            let file = room.path().join(place);
            let run = |command: &str| {
                let name = ["--name", "larkspur"];
                let ran =
                    room.run(&[&[command, client, "--scope", scope, "--yes"], &name[..]].concat());
                ran.exits(0);
                ran
            };
            let (mut before, mut after) = (Vec::new(), Vec::new());
            // A project's file goes the same road; its place is what differs.
            let states = states(client, kind).into_iter();
            for state in states.take(if scope == "user" { usize::MAX } else { 4 }) {
                put(&file, state.as_deref());
                run("install").says("answers: larkspur").says("with 1 tool");
                let written = fs::read_to_string(&file).unwrap();
                run("install").notes("nothing to change");
                assert_eq!(fs::read_to_string(&file).unwrap(), written);
                run("uninstall").says("as it was before");
                assert_eq!(fs::read_to_string(&file).ok(), state, "{client}");
                run("uninstall").notes("nothing to change");
                let _ = fs::remove_file(&file);
                assert!(!room.path().join(user).exists());
                after.push(written);
                before.push(state.unwrap_or_default());
            }
            check(kind, servers, &before, &after, &launched);
        }
    }
}

#[test]
#[ignore = "needs Python packages: cargo xtask test"]
fn claude_code_reads_what_was_installed_and_gets_its_file_back() {
    there_and_back("claude-code");
}

#[test]
#[ignore = "needs Python packages: cargo xtask test"]
fn claude_desktop_reads_what_was_installed_and_gets_its_file_back() {
    there_and_back("claude-desktop");
}

#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn cursor_reads_what_was_installed_and_gets_its_file_back() {
    there_and_back("cursor");
}

#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn vscode_reads_what_was_installed_and_gets_its_file_back() {
    there_and_back("vscode");
}

#[test]
#[ignore = "needs Python packages: cargo xtask test"]
fn codex_reads_what_was_installed_and_gets_its_file_back() {
    there_and_back("codex");
}

/// All that was there is there, and our server with it.
#[track_caller]
fn check(kind: &str, servers: &str, before: &[String], after: &[String], launched: &Value) {
    let nothing = if kind == "toml" { "" } else { "{}" };
    let readable = before.iter().map(|text| match text.trim() {
        "" => nothing.to_owned(),
        _ => text.trim_start_matches('\u{feff}').to_owned(),
    });
    let marked = |text: &String| text.trim_start_matches('\u{feff}').to_owned();
    let before = parsed(kind, &readable.collect::<Vec<_>>());
    let after = parsed(kind, &after.iter().map(marked).collect::<Vec<_>>());
    for (mut before, after) in before.into_iter().zip(after) {
        let ours = &after[servers]["larkspur"];
        assert_eq!((&ours["command"], &ours["args"]), (&launched["command"], &launched["args"]));
        before[servers]["larkspur"] = ours.clone();
        assert_eq!(before, after);
    }
}

#[test]
#[ignore = "needs Python packages: cargo xtask test"]
fn at_a_terminal_it_asks() {
    for (typed, code, is_written) in [("y", 0, true), ("n", 2, false)] {
        let room = home();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/configs.py");
        let mut command = Command::new(installed("py/bin/python"));
        command.arg(script).args(["terminal", typed]);
        command.args([env!("CARGO_BIN_EXE_larkspur"), "install", "cursor"]);
        command.env("XDG_CONFIG_HOME", "").env("NO_COLOR", "1");
        let (ended, shown) = run(&room, &mut command);
        assert_eq!(ended, Some(code), "{shown}");
        assert!(shown.contains("write this? [y/N]"), "{shown}");
        assert_eq!(room.path().join(".cursor/mcp.json").exists(), is_written);
    }
}
