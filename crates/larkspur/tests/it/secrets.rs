//! `larkspur secret`: what can be typed, what is said, and that values are neither.

use crate::fixture::{Opening, Server};
use crate::folder::manifest;
use crate::room::Room;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;

const PING: &str = "def ping() -> str:\n    return \"pong\"\ntool(ping)\n";
const SECRETS: &str = "[secrets]\ntoken = { description = 'A token', hosts = ['api.example.org'] }\n\
                       password = { hosts = ['db.example.org'] }\n";

fn hub() -> Room {
    let room = Room::new();
    room.write("hub/module.toml", &manifest("hub", SECRETS))
        .write("hub/main.star", PING)
        .write("single.star", PING);
    room
}

fn listed(room: &Room) -> Vec<String> {
    let listed = room.run(&["secret", "list", "--format", "json"]);
    let listed = listed.exits(0).json();
    let line = |secret: &Value| {
        let user = secret["user"].as_str().unwrap_or("all");
        let kind = secret["kind"].as_str().unwrap_or("none");
        let (module, name) = (secret["module"].as_str().unwrap(), secret["name"].as_str().unwrap());
        format!("{module}.{name} {user} {kind} {}", secret["state"].as_str().unwrap())
    };
    listed["secrets"].as_array().unwrap().iter().map(line).collect()
}

#[test]
fn secrets_are_set_listed_and_removed() {
    let room = hub();
    let set = |name: &str, value: &str| room.run_with(&["secret", "set", name], value);
    assert_eq!(listed(&room), ["hub.password all none waiting", "hub.token all none waiting"]);
    let first = set("hub.token", "CANARY-1\n");
    first.exits(0).says_only("set hub.token");
    first
        .notes("the vault's key was made, and is in")
        .notes("config/larkspur/vault.key: keep a copy of it");
    let second = set("hub.token", "CANARY-2\r\n");
    second.exits(0).says_only("set hub.token");
    assert_eq!(second.stderr, "");
    room.run_with(&["secret", "set", "hub.token", "--user", "ada"], "CANARY-3")
        .exits(0)
        .says_only("set hub.token for ada");
    let tokens =
        r#"{"token_url": "https://a.org/t", "client_id": "c", "refresh_token": "CANARY-4"}"#;
    room.run_with(&["secret", "set", "hub.password", "--oauth2"], tokens).exits(0);
    assert_eq!(
        listed(&room),
        ["hub.password all oauth2 set", "hub.token all text set", "hub.token ada text set"]
    );
    let shown = room.run(&["secret", "list"]);
    shown
        .exits(0)
        .says("hub.token     for all  text     set 20")
        .says("hub.token     for ada  text");
    let of_ada = room.run(&["secret", "list", "--user", "ada"]);
    assert_eq!(of_ada.exits(0).stdout.lines().count(), 1);
    for ran in [&first, &second, &shown] {
        assert!(!format!("{ran:?}").contains("CANARY"), "{ran:?}");
    }
    let remove = |args: &[&str]| room.run(&[&["secret", "remove"], args].concat());
    remove(&["hub.token"]).exits(0).says_only("removed hub.token");
    remove(&["hub.token"]).exits(1).says_only("").notes("hub.token is not set");
    remove(&["hub.token", "--user", "bob"]).exits(1).notes("hub.token for bob is not set");
    remove(&["hub.token", "--user", "ada"]).exits(0);
    assert_eq!(listed(&room), ["hub.password all oauth2 set", "hub.token all none waiting"]);
}

#[test]
fn names_are_held_against_the_manifests() {
    let room = hub();
    let set = |name: &str| room.run_with(&["secret", "set", name], "CANARY");
    set("hub.tokn")
        .exits(2)
        .notes("module `hub` asks for no secret `tokn`; did you mean `hub.token`?");
    set("hub.other").exits(2).notes("it asks for password, token");
    set("single.token")
        .exits(2)
        .notes("module `single` is a single file, and these have no secrets");
    for name in ["hub", "hub.", ".token", "Hub!.token"] {
        set(name).exits(2).notes("names no secret");
    }
    set("hbu.token")
        .exits(0)
        .says_only("set hbu.token")
        .notes("there is no module `hbu` here yet")
        .notes("did you mean `hub`?");
    room.write("bad/module.toml", "name = 'bad'\nversion = 3\n");
    set("bad.token").exits(0).notes("note: ");
    for user in ["", "local"] {
        let set = ["secret", "set", "hub.token", "--user", user];
        room.run_with(&set, "x").exits(2);
    }
}

#[test]
fn a_value_on_the_command_line_is_refused() {
    let room = hub();
    for args in [
        &["secret", "set", "hub.token", "CANARY"][..],
        &["secret", "set", "hub.token=CANARY"],
        &["secret", "set", "hub.token", "--user", "ada", "CANARY"],
    ] {
        let ran = room.run_with(args, "x");
        ran.exits(2)
            .notes("a value is not given on the command line")
            .notes("`larkspur secret set hub.token < FILE` reads it");
        assert!(!ran.stderr.contains("CANARY"), "{ran:?}");
    }
    assert!(!room.path().join(".larkspur").exists());
    room.run_with(&["secret", "set", "hub.token"], "").exits(1).notes("nothing was given");
    room.run_with(&["secret", "set", "hub.token"], "\n").exits(1).notes("nothing was given");
    let bad =
        room.run_with(&["secret", "set", "hub.token", "--oauth2"], r#"{"tokenurl": "CANARY"}"#);
    bad.exits(1).notes("did you mean `token_url`?");
    assert!(!bad.stderr.contains("CANARY"), "{bad:?}");
    assert_eq!(listed(&room), ["hub.password all none waiting", "hub.token all none waiting"]);
}

#[test]
fn what_waits_is_told_wherever_one_looks() {
    let room = hub();
    let sets = "`larkspur secret set hub.token` sets it";
    let waits = format!("waits for the secret `token`; {sets}");
    room.run(&["list"]).exits(0).notes(&format!("hub {waits}"));
    let list = room.run(&["list", "--format", "json"]).exits(0).json();
    assert_eq!(list["modules"][0]["waitingFor"], json!(["password", "token"]));
    let mut server = Server::start_in(room, Opening::Legacy);
    server.up();
    let asked = server.room.run(&["status"]);
    asked.exits(0).says(&format!("◐ {waits}"));
    assert_eq!(server.status()["modules"][0]["waiting_for"], json!(["password", "token"]));
    server.room.run_with(&["secret", "set", "hub.token"], "x").exits(0);
    // For one user it is set as well.
    server.room.run_with(&["secret", "set", "hub.password", "--user", "ada"], "x").exits(0);
    assert_eq!(server.status()["modules"][0].get("waiting_for"), None);
    server.room.run(&["doctor"]).says("✓ the vault opens with the key in ");
    fs::remove_file(server.room.path().join("config/larkspur/vault.key")).unwrap();
    server
        .room
        .run(&["doctor"])
        .exits(1)
        .says("✗ the vault does not open: the key that the vault was sealed with");
}

#[test]
fn the_key_is_where_it_was_said_to_be() {
    let mut room = hub();
    room.project("[vault]\nkey_file = 'keys/vault.key'\n");
    let set = |room: &Room| room.run_with(&["secret", "set", "hub.token"], "x");
    set(&room).exits(0).notes("keys/vault.key");
    let key = room.path().join("keys/vault.key");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    set(&room).exits(1).notes("can be read by others; `chmod 600 keys/vault.key` mends it");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    set(&room).exits(0);
    room.set_env("LARKSPUR_VAULT_KEY", &"12".repeat(32));
    set(&room)
        .exits(1)
        .notes("the vault was sealed with another key than the one in LARKSPUR_VAULT_KEY");
    room.project("[vault]\nkey = 'x'\n");
    set(&room).exits(6).notes("there is only `key_file`");
}

#[test]
fn keys_are_changed_and_files_exported() {
    let mut room = hub();
    room.run(&["secret", "rotate-key"]).exits(1).notes("nothing is sealed yet");
    room.run_with(&["secret", "set", "hub.token"], "CANARY").exits(0);
    room.run(&["secret", "rotate-key"])
        .exits(0)
        .says("sealed 1 secret anew")
        .notes("config/larkspur/vault.key, after the old one");
    room.run(&["secret", "rotate-key", "--new-key-file", "new.key"])
        .exits(0)
        .notes("from now on, name the new key: LARKSPUR_VAULT_KEY_FILE=");
    let lost = room.run_with(&["secret", "set", "hub.token"], "x");
    lost.exits(1).notes("the vault was sealed with another key");
    room.run(&["secret", "rotate-key", "--passphrase"])
        .exits(2)
        .notes("LARKSPUR_VAULT_NEW_PASSPHRASE");
    let file = room.path().join("new.key").display().to_string();
    room.set_env("LARKSPUR_VAULT_KEY_FILE", &file);

    room.run(&["secret", "export", "all.json"]).exits(2).notes("set LARKSPUR_EXPORT_PASSPHRASE");
    room.set_env("LARKSPUR_EXPORT_PASSPHRASE", "words");
    room.run(&["secret", "export", "all.json"]).exits(0).says_only("wrote 1 secret to all.json");
    room.run(&["secret", "export", "all.json"]).exits(1).notes("not overwritten");
    let all = room.path().join("all.json");
    assert_eq!(fs::metadata(&all).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!fs::read_to_string(&all).unwrap().contains("CANARY"));
    room.run(&["secret", "import", "all.json"])
        .exits(1)
        .notes("hub.token is set already; --replace");
    room.run(&["secret", "import", "all.json", "--replace"]).exits(0).says_only("set hub.token");
    room.run(&["secret", "remove", "hub.token"]).exits(0);
    room.run(&["secret", "import", "all.json"]).exits(0).says_only("set hub.token");
    room.run(&["secret", "import", "gone.json"]).exits(1).notes("cannot read gone.json");
    room.run_told(&[("LARKSPUR_EXPORT_PASSPHRASE", "other")], &["secret", "import", "all.json"])
        .exits(1)
        .notes("the passphrase does not open this file");
    for args in [
        &["secret"][..],
        &["secret", "export"],
        &["secret", "set"],
        &["secret", "show", "hub.token"],
    ] {
        room.run(args).exits(2);
    }
}

/// A test plays its secrets; which vault there is does not matter, nor whether it opens.
#[test]
fn tests_know_of_no_vault() {
    let mut room = hub();
    room.write(
        "hub/main.star",
        "def ping(ctx) -> str:\n    ctx.secret(\"token\")\n    return \"pong\"\ntool(ping)\n",
    );
    room.write(
        "hub/main_test.star",
        "def test_played(t):\n    t.secret(\"token\", \"x\")\n    testing.eq(t.call(\"hub.ping\").text, \"pong\")\n\
         def test_not_played(t):\n    testing.raises(lambda: t.call(\"hub.ping\"), \"t.secret\")\n",
    );
    room.run(&["test"]).exits(0);
    assert!(!room.path().join(".larkspur").exists());
    room.run_with(&["secret", "set", "hub.token"], "x").exits(0);
    room.run(&["test"]).exits(0);
    room.set_env("LARKSPUR_VAULT_KEY", "broken");
    room.run(&["test"]).exits(0);
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
