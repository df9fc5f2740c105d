//! The command line: what is printed where, and with which exit code.

use crate::fixture::{Server, greeting, saying};
use crate::folder::manifest;
use crate::room::Room;
use serde_json::{Value, json};
use std::fs;

/// A room with these files.
fn room(files: &[(&str, &str)]) -> Room {
    let room = Room::new();
    for (file, text) in files {
        room.write(file, text);
    }
    room
}

fn greeter() -> Room {
    let source =
        greeting("hello").replace("-> str:\n", "-> str:\n    \"\"\"Greet somebody.\"\"\"\n");
    room(&[("greet.star", &source)])
}

#[test]
fn list_shows_signatures() {
    let room = greeter();
    room.run(&["list"])
        .exits(0)
        .says("greet\n  hello(name: str) -> str  Greet somebody.")
        .notes("1 tool in 1 module");
    let listed = room.run(&["list", "--format", "json"]).exits(0).json();
    assert_eq!(listed["modules"][0]["module"], "greet");
    let tool = &listed["modules"][0]["tools"][0];
    assert_eq!(tool["name"], "hello");
    assert_eq!(tool["listed"], "hello");
    assert_eq!(tool["signature"], "hello(name: str) -> str");
    assert_eq!(tool["inputSchema"]["required"], json!(["name"]));
    assert_eq!(listed["broken"], json!([]));
}

/// Not even after a restart does a newcomer get a name that clients may have been allowed to call.
#[test]
fn a_name_belongs_to_its_tool_until_it_is_released() {
    let mut server = Server::start();
    server.module("two", &saying("same", "2")).lists(&["same"]);
    let room = server.leave_room();
    drop(server);
    room.rename("two.star", "one.star");
    room.run(&["list"])
        .exits(1)
        .notes(
            "`one.same` is not listed: the name `same` belongs to `two.same`, which no longer uses it",
        )
        .notes("`larkspur list --release-name same`")
        .notes("names kept for tools that are not listed: `same` of two.same;");
    room.run(&["check"]).exits(1).says("error[E0503]");
    let names = room.run(&["list", "--format", "json"]).exits(1).json();
    let owner = json!([{"name": "same", "owner": "two.same", "listed": false}]);
    assert_eq!(names["names"], owner);
    room.run(&["list", "--release-name", "sane"])
        .exits(1)
        .notes("`sane` belongs to no tool; did you mean `same`?");
    room.run(&["list", "--release-name", "same"])
        .exits(0)
        .says("`same` belonged to `two.same` and is free");
    room.run(&["list"]).exits(0);
}

#[test]
fn list_names_what_is_broken_and_what_is_shared() {
    room(&[("one.star", &saying("same", "1")), ("two.star", &saying("same", "2"))])
        .run(&["list"])
        .exits(1)
        .notes("`two.same` is not listed: the name `same` belongs to `one.same`")
        .notes("`[module.two]` in larkspur.toml");
    let broken = room(&[("bad.star", "def f(:\n"), ("good.star", &saying("f", "1"))]);
    broken.run(&["list"]).exits(1).says("good").notes("bad.star cannot be loaded");
    let listed = broken.run(&["list", "--format", "json"]).exits(1).json();
    assert!(listed["broken"][0]["file"].as_str().unwrap().ends_with("bad.star"));
    Room::without("modules").run(&["list"]).exits(0).notes("`larkspur new hello` writes one");
}

const TYPED: &str = r#"
def add(a: int, b: int = 1, tags: list[str] = []) -> str:
    return "%d %s" % (a + b, ",".join(tags))

def refuse():
    fail("the oven is cold")

def shape() -> dict[str, int]:
    return {"n": 1}

tool(add)
tool(refuse)
tool(shape)
"#;

#[test]
fn call_calls() {
    let room = room(&[("m.star", TYPED)]);
    for (args, input, expected) in [
        (&["m.add", "a=2"][..], "", "3 "),
        (&["add", "a=2"], "", "3 "),
        (&["m.add", "a=2", "b=40"], "", "42 "),
        (&["m.add", "a:=2", "tags:=[\"x\",\"y\"]"], "", "3 x,y"),
        (&["m.add", "-"], r#"{"a": 5, "b": 5}"#, "10 "),
        (&["m.add", "-", "b=1"], r#"{"a": 5, "b": 5}"#, "6 "),
    ] {
        let args = [&["call"], args].concat();
        room.run_with(&args, input).exits(0).says_only(expected.trim_end());
    }
    let whole = room.run(&["call", "m.shape", "--format", "json"]);
    let whole = whole.exits(0).json();
    assert_eq!(whole["structuredContent"], json!({"n": 1}));
    assert_eq!(whole["isError"], false);
}

#[test]
fn call_says_what_went_wrong() {
    let room = room(&[("m.star", TYPED)]);
    for (args, input, code, part) in [
        (&["m.ad", "a=2"][..], "", 2, "did you mean `m.add`?"),
        (&["m.zebra"], "", 2, "`larkspur list` shows what there is"),
        (&["m.add"], "", 2, "`a` is required"),
        (&["m.add", "a=two"], "", 2, "add(a: int"),
        (&["m.add", "a"], "", 2, "write name=value"),
        (&["m.add", "a:=["], "", 2, "not JSON"),
        (&["m.add", "-"], "[]", 2, "must hold a JSON object"),
        (&["m.add", "-"], "{", 2, "not JSON"),
        (&["m.add", "a=1", "c=2"], "", 2, "`c` is not a parameter"),
        (&["m.refuse"], "", 5, "the oven is cold"),
    ] {
        let args = [&["call"], args].concat();
        room.run_with(&args, input).exits(code).says_only("").notes(part);
    }
    let failed = room.run(&["call", "m.refuse", "--format", "json"]);
    assert_eq!(failed.exits(5).json()["isError"], true);
    crate::commands::room(&[
        ("one/module.toml", &manifest("one", "")),
        ("one/main.star", &saying("same", "1")),
        ("two/module.toml", &manifest("two", "")),
        ("two/main.star", &saying("same", "2")),
    ])
    .run(&["call", "same"])
    .exits(2)
    .notes("one.same, two.same");
}

#[test]
fn check_finds_mistakes_without_running() {
    let check = |source: &str, code: i32, part: &str| {
        let room = room(&[("m.star", source)]);
        room.run(&["check"]).exits(code).says(part);
        let json = room.run(&["check", "--format", "json"]).exits(code).json();
        assert_eq!(json["errors"] == 0, code == 0, "{json:#}");
    };
    check(&greeting("hello"), 0, "");
    check("def f(:\n", 1, "m.star:1:");
    check("def f() -> str:\n    return oops\ntool(f)\n", 1, "oops");
    check("def f() -> int:\n    return \"x\"\ntool(f)\n", 1, "m.star:2:");
    check("load(\"gone\", \"x\")\nx()\n", 1, "there is no gone.star");
    check("def f(x: int = \"one\"):\n    return x\ntool(f)\n", 1, "m.star");
    let room = greeter();
    room.run(&["check"]).exits(0).notes("in 1 file");
}

const TESTS: &str = r#"load("greet.star", "hello")

def test_it_greets():
    testing.eq(hello("ada"), "hello ada")

def test_it_is_wrong():
    testing.eq(hello("ada"), "hello bob")
"#;

#[test]
fn test_runs_tests_and_counts_them() {
    let room = greeter();
    room.run(&["test"])
        .exits(0)
        .says("Total: 0 | Passed: 0 | Failed: 0")
        .notes("they go into files named `*_test.star`");
    room.write("greet_test.star", TESTS);
    for args in [&["test"][..], &["-t"], &["-t", "-e", "modules"]] {
        room.run(args)
            .exits(1)
            .says("✓ test_it_greets")
            .says("✗ test_it_is_wrong")
            .says("greet_test.star:7")
            .says("Total: 2 | Passed: 1 | Failed: 1");
    }
    room.run(&["test", "-k", "greets"]).exits(0).says("Total: 1 | Passed: 1 | Failed: 0");
    room.run(&["test", "-k", "zebra"]).exits(1).notes("no test has `zebra` in its name");
    room.write("bad_test.star", "def test_x(:\n");
    room.run(&["test"]).exits(1).says("Total: 3 | Passed: 1 | Failed: 2");
}

/// `-e`, `--modules` and `--extensions-dir`, before or after the command, once or more.
#[test]
fn folders_are_named_in_every_way() {
    let room = greeter();
    let other = room.path().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("more.star"), saying("bye", "good bye")).unwrap();
    for args in [
        &["-e", "other", "list"][..],
        &["list", "-e", "other"],
        &["list", "--modules", "other"],
        &["list", "--modules=other"],
        &["list", "--extensions-dir", "other"],
    ] {
        room.run(args).exits(0).says("bye").notes("1 tool in 1 module");
    }
    room.run(&["list", "-e", "other", "-e", "modules"]).exits(0).notes("2 tools in 2 modules");
}

#[test]
fn wrong_flags_and_help() {
    let room = Room::new();
    room.run(&["--no-such-flag"]).exits(2).notes("--no-such-flag");
    room.run(&["no-such-command"]).exits(2);
    room.run(&["serve", "--surface", "round"]).exits(2).notes("flat");
    room.run(&["--help"]).exits(0).says("Examples:").says("larkspur new hello");
    for command in ["call", "new", "doc", "config show", "graph", "install", "uninstall", "doctor"]
    {
        let words = command.split(' ').chain(["--help"]);
        room.run(&words.collect::<Vec<_>>())
            .exits(0)
            .says(&format!("Examples:\n  larkspur {command}"))
            .says("Exit code:");
    }
    for version in ["-v", "--version"] {
        room.run(&[version]).exits(0).says_only(concat!("larkspur ", env!("CARGO_PKG_VERSION")));
    }
    for shell in ["bash", "zsh", "fish"] {
        room.run(&["completions", shell]).exits(0).says("larkspur");
    }
}

/// What is in the archive beside the binary.
#[test]
fn every_command_has_a_page_for_man() {
    let room = Room::new();
    room.run(&["doc", "--man", "man/man1"]).exits(0);
    let page = |name: &str| {
        let path = room.path().join("man/man1").join(format!("{name}.1"));
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let all = page("larkspur");
    for command in ["serve", "call", "batch", "check", "test", "doctor"] {
        assert!(all.contains(&format!("larkspur\\-{command}(1)")), "{command}");
        assert!(page(&format!("larkspur-{command}")).contains(".SH SYNOPSIS"));
    }
    assert!(page("larkspur-secret-set").contains(".TH "));
    assert!(page("larkspur-serve").contains("\\-\\-surface"));
    let listed = fs::read_dir(room.path().join("man/man1")).unwrap();
    let names = listed.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let hidden: Vec<String> = names.filter(|name| name.contains("__")).collect();
    assert_eq!(hidden, Vec::<String>::new());
}

/// A program that speaks MCP on its own writes lines and closes its end.
#[test]
fn bare_larkspur_serves() {
    let room = greeter();
    let ask = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "hello", "arguments": {"name": "ada"}}});
    for args in [&[][..], &["serve"], &["--surface", "flat"]] {
        let ran = room.run_with(args, &format!("{ask}\n"));
        let answer: Value = ran.exits(0).json();
        assert_eq!(answer["result"]["content"][0]["text"], "hello ada");
    }
}
