//! What is wrong with a `module.toml`, as its author reads it. The others are served all the same.

use crate::fixture::{Server, saying};
use crate::folder::manifest;
use crate::room::Room;
use expect_test::{Expect, expect};
use serde_json::{Value, json};

/// `list`, `status` and the server's stderr say the same.
#[track_caller]
fn check(manifest: &str, expected: Expect) {
    check_with(manifest, &saying("x", "1"), expected);
}

#[track_caller]
fn check_with(manifest: &str, main: &str, expected: Expect) {
    let mut server = Server::start();
    server
        .folder_module("bad", manifest, main)
        .module("fine", &saying("fine", "1"))
        .lists(&["fine"])
        .call("fine", json!({}))
        .text("1");
    let status = server.status();
    let modules = status["modules"].as_array().unwrap();
    let bad: Vec<&Value> = modules.iter().filter(|m| m["state"] == "failed").collect();
    assert_eq!(bad.len(), 1, "{status:#}");
    let report = bad[0]["report"].as_str().unwrap();
    expected.assert_eq(report);
    server.warned(&format!("bad/module.toml cannot be loaded\n{report}\n"));
    let listed = server.room.run(&["list"]);
    listed.exits(1).says("fine").notes(report);
    // What is checked is named as it is found from here.
    let found = report.replace("┌ bad/", "┌ modules/bad/");
    server.room.run(&["check"]).exits(1).says(&found);
}

#[test]
fn fields_are_checked() {
    check(
        "name = \"bad\"\nversion = \"1.0.0\"\n",
        expect![[r#"
        `description` is missing
          ┌ bad/module.toml:1:1
        1 │ name = "bad"
          │ ^"#]],
    );
    check(
        &manifest("bad", "depend_on = [\"x\"]"),
        expect![[r#"
        unknown key `depend_on`
          ┌ bad/module.toml:4:1
        4 │ depend_on = ["x"]
          │ ^^^^^^^^^
          = help: did you mean `depends_on`?"#]],
    );
    check(
        &manifest("bad", "zebra = 1"),
        expect![[r"
        unknown key `zebra`
          ┌ bad/module.toml:4:1
        4 │ zebra = 1
          │ ^^^^^
          = help: there are `name`, `version`, `description`, `entry`, `prefix`, `larkspur`, `api_version`, `author`, `license`, `homepage`, `depends_on`, `optional_deps`, `tools`, `keywords`, `config`, `permissions`, `secrets`, `limits`"]],
    );
    check(
        &manifest("Bad_Name", ""),
        expect![[r#"
        name `Bad_Name` is not kebab-case
          ┌ bad/module.toml:1:8
        1 │ name = "Bad_Name"
          │        ^^^^^^^^^^
          = help: write `bad-name`"#]],
    );
    check(
        &manifest("bad", "").replace("1.0.0", "1.0"),
        expect![[r#"
        version `1.0` is not SemVer
          ┌ bad/module.toml:2:11
        2 │ version = "1.0"
          │           ^^^^^
          = help: write `1.0.0`"#]],
    );
    check(
        &manifest("bad", "larkspur = \">=9\""),
        expect![[r#"
        module `bad` needs larkspur >=9, this is 0.1.0
          ┌ bad/module.toml:4:12
        4 │ larkspur = ">=9"
          │            ^^^^^"#]],
    );
    check(
        &manifest("bad", "keywords = \"x\""),
        expect![[r#"
        `keywords` must be a list, got string "x"
          ┌ bad/module.toml:4:12
        4 │ keywords = "x"
          │            ^^^"#]],
    );
    check(
        &manifest("bad", "[config]\nn = { type = \"int\" }"),
        expect![[r#"
        `int` is not a type
          ┌ bad/module.toml:5:14
        5 │ n = { type = "int" }
          │              ^^^^^
          = help: did you mean `integer`?"#]],
    );
    check(
        "name = \n",
        expect![[r"
        not valid TOML: string values must be quoted, expected literal string
          ┌ bad/module.toml:1:8
        1 │ name = 
          │        ^"]],
    );
}

#[test]
fn promises_are_held_against_the_code() {
    check(
        &manifest("bad", "tools = [\"x\", \"y\"]"),
        expect![[r#"
        module.toml promises the tool `y`, which main.star does not declare
          ┌ bad/module.toml:4:15
        4 │ tools = ["x", "y"]
          │               ^^^
          = help: declare it, or take it out of `tools`"#]],
    );
    check(
        &manifest("bad", "tools = []"),
        expect![[r"
        main.star declares `x`, which `tools` in module.toml does not name
          ┌ bad/module.toml:4:1
        4 │ tools = []
          │ ^^^^^
          = help: add it, or leave `tools` out"]],
    );
    check(
        &manifest("bad", "tools = [\"exx\"]"),
        expect![[r#"
        module.toml promises the tool `exx`, which main.star does not declare
          ┌ bad/module.toml:4:10
        4 │ tools = ["exx"]
          │          ^^^^^
          = help: declare it, or take it out of `tools`"#]],
    );
}

#[test]
fn an_entry_must_be_there() {
    check(
        &manifest("bad", "entry = \"app.star\""),
        expect![[r#"
        module `bad` has no app.star, which is its `entry`
          ┌ bad/module.toml:4:9
        4 │ entry = "app.star"
          │         ^^^^^^^^^^
          = help: write that file, or name another one with `entry`"#]],
    );
    check(
        &manifest("bad", "entry = \"../fine.star\""),
        expect![[r#"
        entry `../fine.star` leaves the module's folder
          ┌ bad/module.toml:4:9
        4 │ entry = "../fine.star"
          │         ^^^^^^^^^^^^^^
          = help: name a file of the module, such as `main.star`"#]],
    );
    check_with(
        &manifest("bad", ""),
        "def oops(:\n",
        expect![[r"
        unexpected symbol ':', expected identifier
          ┌ bad/main.star:1:10
        1 │ def oops(:
          │          ^"]],
    );
}

#[test]
fn also_one_that_is_not_named() {
    let room = Room::new();
    room.write("bad/module.toml", &manifest("bad", ""));
    let ran = room.run(&["list"]);
    ran.exits(1);
    expect![[r"
        0 tools in 0 modules
        error: modules/bad/module.toml cannot be loaded
        module `bad` has no main.star, which is its `entry`
          = help: write that file, or name another one with `entry`
    "]]
    .assert_eq(&ran.stderr);
}

/// What `start` adds counts as declared.
#[test]
fn a_promise_may_be_kept_by_start() {
    let main = "def start(deps, config, ctx):\n    ctx.tools.add(lambda: 1, name = \"made\")\n";
    let mut server = Server::start();
    server
        .folder_module("a", &manifest("a", "tools = [\"made\"]"), main)
        .lists(&["a_made"])
        .room
        .run(&["check"])
        .exits(0);
    check_with(
        &manifest("bad", "tools = [\"other\"]"),
        "x = 1\n",
        expect![[r#"
        module.toml promises the tool `other`, which main.star does not declare
          ┌ bad/module.toml:4:10
        4 │ tools = ["other"]
          │          ^^^^^^^
          = help: declare it, or take it out of `tools`"#]],
    );
}

#[test]
fn a_name_belongs_to_one() {
    let room = Room::new();
    for folder in ["one", "two"] {
        room.write(&format!("{folder}/module.toml"), &manifest("same", ""))
            .write(&format!("{folder}/main.star"), &saying(folder, "1"));
    }
    room.write("same.star", &saying("three", "1"));
    let ran = room.run(&["list"]);
    ran.exits(1).says_only("same  1.0.0  a test's\n  one() -> str");
    expect![[r"
        1 tool in 1 module
        error: modules/same.star cannot be loaded
        module `same` is already declared by modules/one/module.toml
          = help: give one of the two another name
        error: modules/two/module.toml cannot be loaded
        module `same` is already declared by modules/one/module.toml
          = help: give one of the two another name
    "]]
    .assert_eq(&ran.stderr);
}
