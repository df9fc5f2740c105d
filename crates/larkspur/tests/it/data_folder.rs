//! Where a project keeps its data: each has its own, and none starts without what it has.

use crate::fixture::{Opening, Server, saying};
use crate::folder::manifest;
use crate::room::{Ran, Room};
use std::fs;
use std::path::{Path, PathBuf};
use store::Store;

const NOTES: &str = r#"
def count(ctx) -> int:
    return ctx.state.update("n", lambda n: (n or 0) + 1)
def plain() -> str:
    return "plain"
tool(count)
tool(plain)
"#;

fn write_notes(room: &Room, folder: &str) {
    let folder = room.path().join(folder).join("notes");
    fs::create_dir_all(&folder).unwrap();
    let secrets = "[secrets]\ntoken = { hosts = ['api.example.org'] }\n";
    fs::write(folder.join("module.toml"), manifest("notes", secrets)).unwrap();
    fs::write(folder.join("main.star"), NOTES).unwrap();
}

/// A room with these folders of modules.
fn room(folders: &[&str]) -> Room {
    let room = Room::without("modules");
    for folder in folders {
        write_notes(&room, folder);
    }
    room
}

fn in_folder(room: &Room, folder: &str, args: &[&str]) -> Ran {
    room.run_with(&[&["-e", folder], args].concat(), "s3cret")
}

fn count(room: &Room, folder: &str) -> Ran {
    in_folder(room, folder, &["call", "notes.count"])
}

fn has_secret(room: &Room, folder: &str) -> bool {
    let listed = in_folder(room, folder, &["secret", "list", "--format", "json"]);
    listed.exits(0).json()["secrets"][0]["state"] == "set"
}

/// Data as version 0.1 kept it: beside the folder of modules.
fn old_data(room: &Room, folder: &str) -> PathBuf {
    count(room, folder).exits(0).says_only("1");
    in_folder(room, folder, &["secret", "set", "notes.token"]).exits(0);
    let inside = room.path().join(folder).join(".larkspur");
    fs::write(inside.join("audit.jsonl"), "{}\n").unwrap();
    let beside = room.path().join(".larkspur");
    fs::rename(inside, &beside).unwrap();
    beside
}

#[test]
fn folders_side_by_side_share_no_data() {
    let room = room(&["a", "b"]);
    for (folder, expected) in [("a", "1"), ("a", "2"), ("b", "1"), ("a", "3")] {
        count(&room, folder).exits(0).says_only(expected);
    }
    in_folder(&room, "a", &["secret", "set", "notes.token"]).exits(0);
    assert!(has_secret(&room, "a") && !has_secret(&room, "b"));
    for folder in ["a", "b"] {
        let data = room.path().join(folder).join(".larkspur");
        let ignored = fs::read_to_string(data.join(".gitignore")).unwrap();
        assert_eq!(ignored, "*\n");
        assert!(data.join("state.db").exists());
    }
    assert!(!room.path().join(".larkspur").exists());
    // Of several folders the first decides.
    let both = room.run(&["-e", "b", "-e", "a", "call", "notes.count"]);
    both.exits(0).says_only("2");
    // What the server keeps is no module.
    fs::write(room.path().join("a/.larkspur/x.star"), "broken(").unwrap();
    in_folder(&room, "a", &["check", "--strict"]).exits(1);
    let found = in_folder(&room, "a", &["check", "--format", "json"]).stdout;
    assert!(!found.contains(".larkspur"), "{found}");
}

/// Every server records the owners of listed names, and that alone is no reason to refuse a start.
#[test]
fn a_data_folder_with_names_alone_stops_no_project() {
    let mut server = Server::start();
    server.room.project("");
    server.module("greet", &saying("hi", "1")).lists(&["hi"]);
    let room = server.leave_room();
    drop(server);
    assert!(room.path().join(".larkspur/state.db").exists());
    let whole = room.modules().display().to_string();
    let mut command = room.larkspur(&["-e", &whole, "call", "greet.hi"]);
    let output = command.current_dir("/").output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "1");
    // With a module's data beside them it is.
    room.write("notes.star", "def keep(ctx):\n    ctx.state.set('n', 1)\ntool(keep)\n");
    room.run(&["call", "notes.keep"]).exits(0);
    let mut command = room.larkspur(&["-e", &whole, "call", "greet.hi"]);
    let output = command.current_dir("/").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("larkspur.toml"), "{said}");
}

#[test]
fn the_usual_folders_keep_data_inside_the_first() {
    for (folders, holder) in [
        (&["modules"][..], "modules"),
        (&["extensions"], "extensions"),
        (&["modules", "extensions"], "modules"),
    ] {
        let room = room(&folders[..1]);
        for folder in folders {
            fs::create_dir_all(room.path().join(folder)).unwrap();
        }
        room.run(&["call", "notes.count"]).exits(0).says_only("1");
        assert!(room.path().join(holder).join(".larkspur/state.db").exists());
        assert!(!room.path().join(".larkspur").exists());
        // A server that a client starts elsewhere, with the whole path, finds the same.
        let whole = room.path().join(holder).display().to_string();
        let mut command = room.larkspur(&["-e", &whole, "call", "notes.count"]);
        let output = command.current_dir("/").output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "2");
    }
}

#[test]
fn data_beside_the_only_folder_is_moved_into_it() {
    for command in [&["call", "notes.count"][..], &["secret", "list"], &["list"], &["audit"]] {
        let room = room(&["modules"]);
        fs::create_dir(room.path().join("docs")).unwrap();
        let old = old_data(&room, "modules");
        let moved = in_folder(&room, "modules", command);
        let new = room.path().join("modules/.larkspur");
        moved.notes(&format!("note: moved the data folder {} to {}", old.display(), new.display()));
        assert!(!old.exists());
        assert!(has_secret(&room, "modules"));
        let log = fs::read_to_string(new.join("audit.jsonl")).unwrap();
        assert_eq!(log, "{}\n");
        let again = count(&room, "modules");
        let expected = if command[0] == "call" { "3" } else { "2" };
        again.exits(0).says_only(expected);
        assert_eq!(again.stderr, "");
    }
}

#[test]
fn folders_served_together_are_one_project() {
    let room = room(&["modules"]);
    let old = old_data(&room, "modules");
    fs::create_dir(room.path().join("extensions")).unwrap();
    fs::write(room.path().join("extensions/other.star"), NOTES).unwrap();
    count(&room, "modules").exits(1).notes("may belong to any of");
    room.run(&["call", "notes.count"]).exits(0).says_only("2");
    assert!(!old.exists());
    assert!(has_secret(&room, "modules"));
}

#[test]
fn looking_at_modules_moves_nothing() {
    let room = room(&["modules"]);
    let old = old_data(&room, "modules");
    for command in [&["check"][..], &["doctor"], &["graph"], &["config", "show"]] {
        in_folder(&room, "modules", command);
        assert!(old.join("state.db").exists(), "{command:?}");
    }
    let doctor = in_folder(&room, "modules", &["doctor"]);
    doctor.exits(1).says("is kept in").says("mv ");
}

#[test]
fn data_that_several_folders_shared_is_given_to_none() {
    let room = room(&["a", "b"]);
    let old = old_data(&room, "a");
    let (a, b) = (room.path().join("a"), room.path().join("b"));
    let mv = format!("mv {} {}/.larkspur", old.display(), a.display());
    for command in [&["call", "notes.count"][..], &["secret", "list"], &["serve"]] {
        let refused = in_folder(&room, "a", command);
        refused
            .exits(1)
            .says_only("")
            .notes(&format!(
                "the data folder {} may belong to any of {}, {}, and each has its own now",
                old.display(),
                a.display(),
                b.display()
            ))
            .notes(&format!("run `{mv}` to use it"));
    }
    in_folder(&room, "a", &["doctor"]).exits(1).says("may belong to any of");
    assert!(!a.join(".larkspur").exists() && old.join("state.db").exists());
    run_in_shell(&mv);
    count(&room, "a").exits(0).says_only("2");
    assert!(has_secret(&room, "a"));
    count(&room, "b").exits(0).says_only("1");
}

#[test]
fn data_can_stay_beside_or_be_left_there() {
    let room = room(&["a", "b"]);
    let old = old_data(&room, "a");
    let refused = count(&room, "a");
    let said = refused.exits(1).stderr.clone();
    // A folder that is there and empty is no decision.
    fs::create_dir(room.path().join("a/.larkspur")).unwrap();
    count(&room, "a").exits(1);
    let command = said.rsplit('`').nth(1).unwrap();
    run_in_shell(command);
    count(&room, "a").exits(0).says_only("1");
    let file = room.path().join("larkspur.toml");
    assert!(said.contains(&format!("touch {}", file.display())), "{said}");
    fs::write(&file, "").unwrap();
    count(&room, "b").exits(0).says_only("2");
    assert!(old.join("state.db").exists());
}

fn run_in_shell(command: &str) {
    let done = std::process::Command::new("sh").args(["-c", command]).status();
    assert!(done.unwrap().success(), "{command}");
}

#[test]
fn data_of_a_module_beside_others_is_not_taken_from_them() {
    // `-e modules` and `-e modules/notes` are two projects.
    let room = room(&["modules"]);
    count(&room, "modules").exits(0).says_only("1");
    let inner = count(&room, "modules/notes");
    inner.exits(1).notes("may belong to any of");
    count(&room, "modules").exits(0).says_only("2");
}

#[test]
fn data_of_a_project_is_used_with_its_file() {
    let room = room(&["modules"]);
    room.project("");
    count(&room, "modules").exits(0).says_only("1");
    assert!(room.path().join(".larkspur/state.db").exists());
    let whole = room.path().join("modules").display().to_string();
    let file = room.path().join("larkspur.toml").display().to_string();
    let elsewhere = |args: &[&str]| {
        let mut command = room.larkspur(&[args, &["call", "notes.count"]].concat());
        let output = command.current_dir("/").output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    };
    let (code, said) = elsewhere(&["-e", &whole]);
    assert_eq!(code, Some(1));
    assert!(said.contains(&format!("start with `--config {file}`")), "{said}");
    let (code, said) = elsewhere(&["-e", &whole, "--config", &file]);
    assert_eq!((code, said.trim()), (Some(0), "2"));
}

#[test]
fn a_file_that_comes_later_takes_the_data() {
    let room = room(&["modules"]);
    count(&room, "modules").exits(0).says_only("1");
    in_folder(&room, "modules", &["secret", "set", "notes.token"]).exits(0);
    room.run(&["new", "--project"]).exits(0);
    let moved = room.run(&["call", "notes.count"]);
    moved.exits(0).says_only("2").notes("note: moved the data folder");
    assert!(room.path().join(".larkspur/state.db").exists());
    assert!(!room.path().join("modules/.larkspur").exists());
    assert!(has_secret(&room, "modules"));
    // Of two that have data nobody can say which is meant.
    let room = self::room(&["a", "b"]);
    count(&room, "a").exits(0).says_only("1");
    count(&room, "b").exits(0).says_only("1");
    room.project("");
    let both = ["-e", "b", "-e", "a", "call", "notes.count"];
    let refused = room.run(&both);
    refused.exits(1).notes("one can be kept in").notes("mv ");
    let b = room.path().join("b/.larkspur");
    room.project(&format!("[server]\ndata_dir = {b:?}\n"));
    room.run(&both).exits(0).says_only("2");
}

#[test]
fn data_in_use_is_moved_when_it_is_free() {
    let room = room(&["modules"]);
    let old = old_data(&room, "modules");
    let store = Store::at(&old);
    store.check().unwrap();
    let refused = count(&room, "modules");
    refused.exits(1).notes("cannot move the data folder");
    assert!(old.join("state.db").exists());
    assert!(!room.path().join("modules/.larkspur").exists());
    drop(store);
    count(&room, "modules").exits(0).says_only("2");
}

#[test]
fn many_processes_may_be_the_first() {
    for is_old in [false, true] {
        let room = room(&["modules"]);
        if is_old {
            old_data(&room, "modules");
        }
        let first = if is_old { 2 } else { 1 };
        let calls = (0..8).map(|_| {
            let mut command = room.larkspur(&["call", "notes.count"]);
            let piped = || std::process::Stdio::piped();
            command.stdout(piped()).stderr(piped()).spawn().unwrap()
        });
        let calls: Vec<_> = calls.collect();
        let mut seen: Vec<u32> = Vec::new();
        for call in calls {
            let output = call.wait_with_output().unwrap();
            let said = String::from_utf8(output.stdout).unwrap();
            let why = String::from_utf8(output.stderr).unwrap();
            seen.push(said.trim().parse().unwrap_or_else(|_| panic!("{why}")));
        }
        seen.sort_unstable();
        assert_eq!(seen, (first..first + 8).collect::<Vec<_>>());
    }
}

fn break_database(room: &Room, bytes: &[u8]) -> PathBuf {
    count(room, "modules").exits(0);
    let file = room.path().join("modules/.larkspur/state.db");
    for name in ["state.db-wal", "state.db-shm"] {
        let _ = fs::remove_file(file.with_file_name(name));
    }
    fs::write(&file, bytes).unwrap();
    file
}

#[test]
fn a_database_without_data_is_reported_and_kept() {
    let room = room(&["modules"]);
    for (bytes, why) in [
        (&b""[..], "has lost its data, or never had any"),
        (&b"SQLite format 3\0"[..], "is not a database or is damaged"),
        (&[b'x'; 5000], "is not a database or is damaged"),
    ] {
        let file = break_database(&room, bytes);
        let shown = format!("`{}` {why}", file.display());
        let elsewhere = format!("`modules/.larkspur/state.db` {why}");
        count(&room, "modules").exits(5).notes(&elsewhere);
        let set = in_folder(&room, "modules", &["secret", "set", "notes.token"]);
        set.exits(1).notes(&elsewhere);
        in_folder(&room, "modules", &["doctor"]).exits(1).says(why);
        assert_eq!(fs::read(&file).unwrap(), bytes, "{shown}");
        // What needs no data works, and a server says it at its start.
        let plain = in_folder(&room, "modules", &["call", "notes.plain"]);
        plain.exits(0).says_only("plain");
        let served = in_folder(&room, "modules", &["serve"]);
        served.exits(0).notes("warning: ").notes(why);
        fs::remove_file(&file).unwrap();
        count(&room, "modules").exits(0).says_only("1");
        fs::remove_file(&file).unwrap();
    }
}

#[test]
fn a_folder_that_cannot_be_written_fails_when_something_is_kept() {
    let room = room(&["modules"]);
    fs::write(room.path().join("modules/.larkspur"), "in the way").unwrap();
    let plain = in_folder(&room, "modules", &["call", "notes.plain"]);
    plain.exits(0).says_only("plain");
    in_folder(&room, "modules", &["check"]);
    let refused = count(&room, "modules");
    refused.exits(5).notes("cannot use `modules/.larkspur");
}

#[test]
fn what_is_kept_reloads_nothing() {
    let room = room(&["modules"]);
    let mut server = Server::start_in(room, Opening::Legacy);
    for n in 1..=50 {
        server.call("count", serde_json::json!({})).text(&n.to_string());
    }
    let data = server.room.path().join("modules/.larkspur");
    assert!(data.join("state.db-wal").exists());
    server.status_until("quiet", |status| status["reloads"] == 0);
    let edited = NOTES.replace("\"plain\"", "\"edited\"");
    server.file("notes/main.star", &edited);
    server.until("plain", serde_json::json!({}), "edited");
    server.status_until("once", |status| status["reloads"] == 1);
    server.call("count", serde_json::json!({})).text("51");
}

/// What lies in the data folder is not for scripts, not even while they load.
#[test]
fn modules_cannot_read_the_data_folder() {
    let room = room(&["modules"]);
    count(&room, "modules").exits(0);
    let log = room.path().join("modules/.larkspur/audit.jsonl");
    fs::write(&log, "{\"caller\": \"ada\"}\n").unwrap();
    for source in [
        "TEXT = data.load_text(\".larkspur/audit.jsonl\")\ndef f() -> str:\n    return TEXT\ntool(f)\n",
        "def f() -> str:\n    return files.read(\".larkspur/audit.jsonl\")\ntool(f)\n",
        "def f() -> str:\n    return files.read(\"LOG\")\ntool(f)\n",
    ] {
        let source = source.replace("LOG", &log.display().to_string());
        fs::write(room.path().join("modules/spy.star"), source).unwrap();
        let spied = in_folder(&room, "modules", &["call", "spy.f"]);
        assert!(!spied.stdout.contains("ada"), "{spied:?}");
    }
    assert!(Path::new(&log).exists());
}
