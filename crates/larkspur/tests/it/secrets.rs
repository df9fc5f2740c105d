//! Secrets and a server that runs, or a keyring that does not. The rest is in `cmd/secrets.md`.

use crate::fixture::{Opening, Server};
use crate::folder::manifest;
use crate::room::Room;
use serde_json::json;
use std::os::unix::net::UnixListener;
use std::path::Path;

const PING: &str = "def ping() -> str:\n    return \"pong\"\ntool(ping)\n";
const SECRETS: &str = "[secrets]\ntoken = { description = 'A token', hosts = ['api.example.org'] }\n\
                       password = { hosts = ['db.example.org'] }\n";

fn hub() -> Room {
    let room = Room::new();
    room.write("hub/module.toml", &manifest("hub", SECRETS)).write("hub/main.star", PING);
    room
}

#[test]
fn a_running_server_says_what_waits_and_uses_what_is_set() {
    let mut server = Server::start_in(hub(), Opening::Legacy);
    server.up();
    server
        .room
        .run(&["status"])
        .exits(0)
        .says("◐ waits for the secret `token`; `larkspur secret set hub.token` sets it");
    assert_eq!(server.status()["modules"][0]["waiting_for"], json!(["password", "token"]));
    server.room.run_with(&["secret", "set", "hub.token"], "x").exits(0);
    // For one user it is set as well.
    server.room.run_with(&["secret", "set", "hub.password", "--user", "ada"], "x").exits(0);
    assert_eq!(server.status()["modules"][0].get("waiting_for"), None);
}

/// A bus that nobody listens to, and one that never answers: neither keeps anybody waiting.
#[test]
fn without_a_keyring_the_key_is_in_a_file() {
    let silent = tempfile::tempdir().unwrap();
    let silent = silent.path().join("bus");
    let _listener = UnixListener::bind(&silent).unwrap();
    for bus in [Path::new("/nonexistent/bus"), &silent] {
        let mut room = hub();
        let address = format!("unix:path={}", bus.display());
        room.set_env("LARKSPUR_VAULT_KEYRING", "").set_env("DBUS_SESSION_BUS_ADDRESS", &address);
        let set = ["secret", "set", "hub.token"];
        let set = room.run_with(&set, "x");
        set.exits(0)
            .notes("the vault's key was made, and is in")
            .notes("config/larkspur/vault.key");
        room.run(&["secret", "rotate-key"]).exits(0);
    }
}
