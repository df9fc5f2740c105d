//! What is the server's own stays out of every module's reach, wherever the operator has put it.
// Tests that read /proc are left out elsewhere, and with them the only users of some helpers.
#![cfg_attr(not(target_os = "linux"), allow(dead_code, unused_imports))]

use crate::fixture::{Opening, Server};
use crate::folder::manifest;
use crate::room::Room;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Command;

/// A single file that may reach everything in a room.
fn reaching(room: &Room) -> String {
    let all = format!("['**', '{}/**']", room.path().display());
    format!(
        "permissions(env = ['*'], exec = ['env', 'sh'], files = {all}, sqlite = {all})\n{REACHING}"
    )
}

const REACHING: &str = r#"
def variable(name: str) -> str:
    return env.get(name, "unset")
def run(command: str, args: list[str] = []) -> str:
    return exec.run(command, args)["stdout"]
def read(path: str) -> str:
    return files.read(path)
def tables(path: str) -> list[str]:
    return sqlite.list_tables(path)
def keep(ctx) -> str:
    ctx.state.set("a", 1)
    return "kept"
tool(variable)
tool(run)
tool(read)
tool(tables)
tool(keep)
"#;

const OURS: &str = "is the server's own, and kept from every module";

/// A server whose project file is called `other.toml`.
fn told(room: Room, project: &str) -> Server {
    fs::write(room.path().join("other.toml"), project).unwrap();
    let mut server = Server::start_in(room, Opening::Legacy);
    server.flags = vec!["--config".into(), "other.toml".into()];
    let source = reaching(&server.room);
    server.module("z", &source);
    server
}

fn path(path: &str) -> Value {
    json!({"path": path})
}

#[test]
fn files_of_the_server_are_its_own_wherever_they_are() {
    let mut room = Room::new();
    let named = room.path().join("named.key");
    for folder in ["keys", "lines"] {
        fs::create_dir(room.path().join(folder)).unwrap();
    }
    room.set_env("LARKSPUR_VAULT_KEY_FILE", named.to_str().unwrap());
    let grant = format!("[module.z.grant]\nfiles = ['{}/**']\n", room.path().display());
    let places = "[server]\ndata_dir = 'state'\n[vault]\nkey_file = 'keys/main'\n\
                  [audit]\nfile = 'lines/calls'\n";
    let mut server = told(room, &format!("{places}{grant}"));
    server.call("keep", json!({})).text("kept");
    let at = |file: &str| server.room.path().join(file);
    for file in ["keys/main", "named.key", "lines/calls.1"] {
        fs::write(at(file), "ours").unwrap();
    }
    fs::write(at("lines/others"), "not ours").unwrap();
    std::os::unix::fs::symlink(at("state"), at("modules/link")).unwrap();
    for file in [
        "../state/state.db",
        "../state/state.db-wal",
        "link/state.db",
        "../other.toml",
        "../keys/main",
        "../named.key",
        "../lines/calls",
        "../lines/calls.1",
    ] {
        server.call("read", path(file)).fails(OURS);
        server.call("tables", path(file)).fails(OURS);
    }
    server.call("read", path("../lines/others")).text("not ours");
}

#[test]
fn a_module_inside_the_data_folder_can_still_read_what_lies_beside_it() {
    let mut server = told(Room::new(), "[server]\ndata_dir = '.'\n");
    server
        .file("note.txt", "beside")
        .call("keep", json!({}))
        .text("kept")
        .call("read", path("note.txt"))
        .text("beside")
        .call("tables", path("../state.db"))
        .fails(OURS)
        .call("tables", path("../state.db-wal"))
        .fails(OURS);
}

#[test]
fn variables_that_secrets_come_from_are_the_servers_own() {
    let mut room = Room::new();
    room.set_env("SIGNS_TOKENS", "canary").set_env("OTHER", "b");
    let mut server = told(
        room,
        "[auth]\nalgorithms = ['HS256']\n[auth.issuer.inside]\nsecret_env = 'SIGNS_TOKENS'\n\
         [module.z.grant]\nexec = ['env']\n",
    );
    server
        .module(
            "early",
            "TOLD = env.get('SIGNS_TOKENS')\n\
             def describe_extension():\n    return Extension(name = 'early', tools = [])\n",
        )
        .call("z.variable", json!({"name": "OTHER"}))
        .text("b")
        .call("z.variable", json!({"name": "SIGNS_TOKENS"}))
        .fails(OURS)
        .warned("`SIGNS_TOKENS` is the server's own");
    let said = server.call("z.run", json!({"command": "env"})).message;
    let said = said["result"]["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("OTHER=b"), "{said}");
    assert!(!said.contains("canary"), "{said}");
}

/// A superuser may look into everything: then the binary runs as one who has lost all that.
fn unprivileged(room: &Room, args: &[&str]) -> Command {
    let own = room.larkspur(args);
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return own;
    }
    let mut command = Command::new("setpriv");
    command
        .args(["--bounding-set=-all", "--inh-caps=-all"])
        .arg(own.get_program())
        .args(own.get_args())
        .current_dir(room.path());
    for (name, value) in own.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

#[test]
#[cfg(target_os = "linux")]
fn a_command_cannot_look_into_the_server() {
    let mut room = Room::new();
    room.set_env("LARKSPUR_TOKEN", "canary");
    room.write("z.star", &reaching(&room)).project("[module.z.grant]\nexec = ['sh']\n");
    // The supervisor of the command, the launcher, and the server.
    let looks = "at=$PPID; for ancestor in 1 2 3; do cat /proc/$at/environ 2>&1; \
                 at=$(sed -n 's/^PPid:[[:space:]]*//p' /proc/$at/status); done; echo looked";
    let args = json!(["-c", looks]).to_string();
    let args = format!("args:={args}");
    let ran = unprivileged(&room, &["call", "z.run", "command=sh", &args]).output();
    let said = String::from_utf8(ran.unwrap().stdout).unwrap();
    assert!(said.contains("looked"), "{said}");
    assert!(said.contains("Permission denied"), "{said}");
    assert!(!said.contains("canary"), "{said}");
}

#[test]
fn a_secret_can_be_for_a_command_of_the_modules_own() {
    let room = Room::new();
    let more = "[permissions]\nexec = ['./tool.sh', './other.sh']\n[secrets]\ntoken = { exec = ['./tool.sh'] }\n";
    room.write("hub/module.toml", &manifest("hub", more))
        .write("hub/tool.sh", "#!/bin/sh\necho \"$TOKEN\" | wc -c\n")
        .write("hub/other.sh", "#!/bin/sh\n")
        .write(
            "hub/main.star",
            "def run(ctx, command: str) -> str:\n    \
             return exec.run(command, env = {'TOKEN': ctx.secret('token')})['stdout']\ntool(run)\n",
        );
    for file in ["hub/tool.sh", "hub/other.sh"] {
        fs::set_permissions(room.at(file), fs::Permissions::from_mode(0o755)).unwrap();
    }
    room.run_with(&["secret", "set", "hub.token"], "123456").exits(0);
    room.run(&["call", "hub.run", "command=./tool.sh"]).exits(0).says("7");
    room.run(&["call", "hub.run", "command=./other.sh"]).exits(5).notes(
        "the secret `token` is not for the command `./other.sh`; add exec = [\"./other.sh\"]",
    );
}

const ORPHAN: &str = "has main.star but no module.toml; `larkspur new` writes one";

#[test]
fn a_folder_that_loses_its_manifest_is_not_set_free() {
    let mut room = Room::new();
    room.set_env("X_A", "a");
    let mut server = Server::start_in(room, Opening::Legacy);
    server
        .folder("safe", "", REACHING)
        .call("safe.variable", json!({"name": "X_A"}))
        .fails("add env = [\"X_A\"]")
        .remove("safe/module.toml")
        .changed()
        .lists(&[])
        .warned(ORPHAN);
    let status = server.status();
    let broken = &status["modules"][0];
    assert_eq!(broken["state"], "failed", "{status:#}");
    assert!(broken["report"].as_str().unwrap().contains(ORPHAN), "{status:#}");
    let head = "name = 'safe'\nversion = '1.0.0'\ndescription = 'd'\n";
    server
        .file("safe/module.toml", head)
        .changed()
        .stands("safe running")
        .call("safe.variable", json!({"name": "X_A"}))
        .fails("add env = [\"X_A\"]");
}

#[test]
fn a_main_star_without_a_manifest_is_told_and_other_files_are_served() {
    let room = Room::new();
    let source = reaching(&room);
    room.write("safe/main.star", &source)
        .write("more/hello.star", "def hi() -> str:\n    return 'hi'\ntool(hi)\n");
    let told = room.run(&["check"]);
    told.exits(1);
    assert!(
        format!("{told:?}").contains("`modules/safe` has main.star but no module.toml"),
        "{told:?}"
    );
    room.run(&["call", "hello.hi"]).exits(0).says("hi");
    room.run(&["call", "main.variable", "name=HOME"]).exits(2);
    // A folder that is served itself may hold a file of that name.
    room.run(&["call", "main.variable", "name=X", "--modules", "modules/safe"])
        .exits(0)
        .says("unset");
}
