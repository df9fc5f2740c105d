//! `larkspur status`: a running server, asked from another terminal.

use crate::fixture::{Server, ada, greeting, saying};
use crate::folder::manifest;
use crate::room::Room;
use crate::web::Web;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

#[test]
fn a_running_server_says_how_it_is() {
    let mut server = Server::start();
    server
        .module("greet", &greeting("hello"))
        .module("more", &saying("bye", "good bye"))
        .module("bad", "def f(:\n")
        .call("hello", ada())
        .text("hello ada")
        .call("hello", json!({}))
        .fails("required");
    let pid = server.wire().pid();
    let status = server.room.run(&["status", "--format", "json"]);
    let status = status.exits(0).json()[0].clone();
    assert_eq!(status["pid"], pid);
    assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(status["folders"], json!([server.room.modules()]));
    assert_eq!(status["tools"], 2);
    assert_eq!(status["calls"], 2);
    assert_eq!(status["failed"], 1);
    assert_eq!(status["in_flight"], 0);
    let room = &server.room;
    room.run(&["status"])
        .exits(0)
        .says(&format!("process {pid}"))
        .says("2 tools, 2 calls (1 failed, 0 in flight)")
        .says("● greet  1 tool")
        .says("failed: not served");
}

#[test]
fn a_stale_module_is_shown_with_its_excerpt() {
    let mut server = Server::start();
    server
        .module("greet", &greeting("hello"))
        .up()
        .edit("greet", "def hello(:\n")
        .warned("greet.star cannot be loaded");
    server.status_until("stale", |status| status["modules"][0]["state"] == "stale");
    let status = server.room.run(&["status", "--format", "json"]);
    let module = status.exits(0).json()[0]["modules"][0].clone();
    assert_eq!(module["state"], "stale");
    let error = module["error"].as_str().unwrap();
    assert!(error.contains("greet.star:1 "), "{error}");
    server
        .room
        .run(&["status"])
        .exits(0)
        .says("✗ greet  stale: the last good version is still served")
        .says("1 │ def hello(:");
}

#[test]
fn servers_of_other_folders_are_shown_to_those_who_ask_for_all() {
    let mut server = Server::start();
    server.module("greet", &greeting("hello")).up();
    let room = &server.room;
    room.run(&["status", "-e", "elsewhere"]).exits(1).notes("no server is running for");
    room.run(&["status", "-e", "elsewhere", "--all"]).exits(0).says("● greet");
}

#[test]
fn the_socket_is_the_owners_and_goes_with_the_server() {
    let mut server = Server::start();
    server.module("greet", &greeting("hello")).up();
    let folder = server.room.path().join("run/larkspur");
    let socket = folder.join(format!("{}.sock", server.wire().pid()));
    let mode = |path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&socket), 0o600);
    server.leave_within(std::time::Duration::from_secs(2));
    assert!(!socket.exists());
    server.room.run(&["status"]).exits(1);
}

#[test]
fn a_server_that_is_told_to_end_ends_well() {
    for signal in ["-TERM", "-INT"] {
        let mut server = Server::start();
        server.module("greet", &greeting("hello")).up();
        let pid = server.wire().pid().to_string();
        let told = Command::new("kill").args([signal, &pid]).status().unwrap();
        assert!(told.success());
        let (status, _) = server.wire().ended();
        assert_eq!(status.code(), Some(0), "{signal}");
        let socket = format!("run/larkspur/{pid}.sock");
        assert!(!server.room.path().join(socket).exists());
    }
}

/// A server that was killed leaves its socket; whoever asks next clears it away.
#[test]
fn what_a_killed_server_left_is_cleared_away() {
    let mut server = Server::start();
    server.module("greet", &greeting("hello")).up();
    let pid = server.wire().pid().to_string();
    let socket = server.room.path().join(format!("run/larkspur/{pid}.sock"));
    assert!(socket.exists());
    let killed = Command::new("kill").args(["-KILL", &pid]).status().unwrap();
    assert!(killed.success());
    server.wire().ended();
    server.room.run(&["status"]).exits(1);
    assert!(!socket.exists());
}

#[test]
fn status_and_doctor_say_where_a_server_is() {
    let mut room = Room::new();
    room.write("greet.star", &greeting("hello"));
    room.set_env("LARKSPUR_TOKEN", "a-token-that-is-long-enough-for-anybody");
    let mut web = Web::start(room, &[]);
    web.wire.warned("LARKSPUR_TOKEN is not used");
    drop(web);
    let room = Room::new();
    room.write("greet.star", &greeting("hello"));
    let web = Web::start(room, &["--auth", "token"]);
    let (folder, port) = (web.room.modules().display(), web.port);
    web.room
        .run(&["status", "--all"])
        .exits(0)
        .says(&format!("serves {folder} at http://127.0.0.1:{port}/mcp"));
    // Strangers learn nothing at its port; its owner asks by its socket.
    web.room.project(&format!("[server]\ntransport = 'http'\nport = {port}\nauth = 'token'\n"));
    let doctor = web.room.run(&["doctor"]);
    let version = env!("CARGO_PKG_VERSION");
    doctor.says(&format!("127.0.0.1:{port} has a larkspur {version} with 1 tool"));
    assert!(!doctor.stdout.contains("another program"), "{doctor:#?}");
}

/// What `list` and `check` say of a manifest, the server and `status` say as well.
#[test]
fn a_manifest_that_is_wrong_is_told_by_the_server() {
    let mut server = Server::start();
    server
        .folder_module("bad", &manifest("bad", "depend_on = [\"x\"]"), &saying("x", "1"))
        .module("fine", &saying("fine", "1"))
        .lists(&["fine"]);
    let status = server.status();
    let bad = status["modules"].as_array().unwrap().iter().find(|m| m["state"] == "failed");
    let report = bad.unwrap()["report"].as_str().unwrap().to_owned();
    assert!(report.contains("did you mean `depends_on`?"), "{report}");
    server.warned(&format!("bad/module.toml cannot be loaded\n{report}\n"));
    server.room.run(&["list"]).exits(1).notes(&report);
}
