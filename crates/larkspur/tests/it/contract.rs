//! What the command line promises whoever runs it: results on stdout and nothing else there, a code
//! for every end, and errors that name what is wrong.

use crate::room::Room;
use std::fs;
use std::process::Stdio;

const GREET: &str = r#"
def hello(name: str = "Ada") -> str:
    """Greet somebody."""
    return "Hello, " + name

tool(hello)
"#;

/// A module with a setting and a secret.
fn with_secret(room: &Room) {
    room.write(
        "bank/module.toml",
        "name = 'bank'\nversion = '1.0.0'\ndescription = 'd'\n[secrets]\n\
         token = { description = 't', hosts = ['bank.example.org'] }\n",
    );
    room.write("bank/main.star", &GREET.replace("hello", "balance"));
}

#[test]
fn without_a_project_file_things_are_kept_beside_the_modules() {
    let room = Room::new();
    with_secret(&room);
    room.run_with(&["secret", "set", "bank.token"], "s3cret")
        .exits(0);
    assert!(room.path().join(".larkspur").is_dir());
    // As a client starts it: from elsewhere, with the whole path.
    let elsewhere = tempfile::tempdir().unwrap();
    let modules = room.modules().to_str().unwrap();
    let list = |args: &[&str]| {
        let mut command = room.larkspur(args);
        let output = command.current_dir(elsewhere.path()).output().unwrap();
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    };
    for args in [
        ["list", "-e", modules],
        ["doctor", "-e", modules],
        ["test", "-e", modules],
    ] {
        let said = list(&args);
        assert!(!said.contains("secret set"), "{said}");
    }
    let kept = room.path().join(".larkspur");
    let doctor = list(&["doctor", "-e", modules]);
    assert!(
        doctor.contains(&format!("{} can be written", kept.display())),
        "{doctor}"
    );
    // However the folder is written.
    let inside = room.at("bank");
    let output = room
        .larkspur(&["list", "-e", "../../modules/.."])
        .current_dir(&inside)
        .output();
    let said = String::from_utf8(output.unwrap().stderr).unwrap();
    assert!(said.contains("secret set"), "{said}");
    let output = room
        .larkspur(&["list", "-e", ".."])
        .current_dir(&inside)
        .output();
    let said = String::from_utf8(output.unwrap().stderr).unwrap();
    assert!(!said.contains("secret set"), "{said}");
}

#[test]
fn a_result_that_cannot_be_written_is_a_failure() {
    let room = Room::new();
    room.write("greet.star", GREET);
    room.write("greet_test.star", "def test_one(t):\n    pass\n");
    for args in [
        &["call", "greet.hello"][..],
        &["list", "--format", "json"],
        &["test", "--format", "junit"],
        &["check", "--format", "json"],
        &["doc", "http"],
        &["completions", "bash"],
    ] {
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = room.larkspur(args).stdout(full).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
        assert!(
            said.contains("cannot be written to stdout: No space left"),
            "{args:?}: {said}"
        );
        assert_eq!(said.matches("cannot be written").count(), 1, "{said}");
    }
}

#[test]
fn a_reader_that_has_gone_is_no_failure() {
    let room = Room::new();
    room.write("greet.star", GREET);
    let (read, write) = std::io::pipe().unwrap();
    drop(read);
    let mut command = room.larkspur(&["call", "greet.hello"]);
    let output = command.stdout(Stdio::from(write)).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn what_was_left_out_is_said_beside_the_result() {
    let room = Room::new();
    room.write(
        "shop.star",
        r#"
def rows() -> list[dict]:
    """Things."""
    return [{"name": "tea", "price": 3, "url": "https://example.org/%d" % i} for i in range(3)]

def told() -> dict:
    """Things."""
    return {"name": "tea", "notes": "long"}

def same() -> str:
    """A text."""
    return "as it is"

tool(rows, select = "name")
tool(told, compact = lambda value: value["name"])
tool(same, compact = lambda value: value)
"#,
    );
    let rows = room.run(&["call", "shop.rows"]);
    rows.exits(0).notes("left out, all with --format json)");
    assert!(!rows.stdout.contains("left out"), "{rows:#?}");
    let told = room.run(&["call", "shop.told"]);
    told.exits(0)
        .says_only("tea")
        .notes("shortened by the tool, all with --format json)");
    let same = room.run(&["call", "shop.same"]);
    same.exits(0).says_only("as it is");
    assert_eq!(same.stderr, "");
}
