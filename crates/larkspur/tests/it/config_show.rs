//! `larkspur config show`: four layers, who said what, and what is wrong.

use crate::room::Room;
use expect_test::{Expect, expect};
use serde_json::json;

const MANIFEST: &str = r#"name = "crypto-tools"
version = "1.0.0"
description = "hashes"

[config]
algorithm = { type = "string", default = "sha256", enum = ["sha256", "sha512"] }
rounds = { type = "integer", default = 1, minimum = 1 }
loud = { type = "boolean" }
salts = { type = "array", items = { type = "integer" } }

[config.server]
type = "object"
default = { host = "localhost", port = 80 }
properties = { host = { type = "string" }, port = { type = "integer" } }
"#;

/// A module that must not be started to be asked.
const MAIN: &str = r#"
def start(deps, config):
    fail("started")
"#;

fn room() -> Room {
    let room = Room::new();
    room.write("crypto-tools/module.toml", MANIFEST).write("crypto-tools/main.star", MAIN);
    room
}

/// What is shown with these variables and arguments.
#[track_caller]
fn check(room: &Room, told: &[(&str, &str)], args: &[&str], code: i32, shown: &Expect) {
    let ran = room.run_told(told, &[&["config", "show"], args].concat());
    ran.exits(code);
    shown.assert_eq(&format!("{}{}", ran.stdout, ran.stderr));
}

#[test]
fn later_layers_win() {
    let room = room();
    check(
        &room,
        &[],
        &[],
        0,
        &expect![[r#"
        crypto-tools
          algorithm = "sha256"
          rounds = 1
          server = {"host":"localhost","port":80}
          loud is unset
          salts is unset
    "#]],
    );
    check(
        &room,
        &[],
        &["--origin"],
        0,
        &expect![[r#"
            crypto-tools
              algorithm = "sha256"                     default (crypto-tools/module.toml:6)
              rounds = 1                               default (crypto-tools/module.toml:7)
              server = {"host":"localhost","port":80}  default (crypto-tools/module.toml:13)
              loud is unset
              salts is unset
        "#]],
    );
    room.project("[module.crypto-tools.config]\nrounds = 2\nalgorithm = \"sha512\"\nloud = false\nserver.port = 81\n",
    );
    check(
        &room,
        &[],
        &["--origin"],
        0,
        &expect![[r#"
        crypto-tools
          algorithm = "sha512"                     larkspur.toml:3
          rounds = 2                               larkspur.toml:2
          loud = false                             larkspur.toml:4
          server = {"host":"localhost","port":81}  larkspur.toml:5
            host                                   default (crypto-tools/module.toml:13)
            port                                   larkspur.toml:5
          salts is unset
    "#]],
    );
    let told = [
        ("CRYPTO_TOOLS__ROUNDS", "3"),
        ("CRYPTO_TOOLS__LOUD", "yes"),
        ("CRYPTO_TOOLS__SALTS", "1,2"),
        ("CRYPTO_TOOLS__SERVER__HOST", "example.org"),
    ];
    check(
        &room,
        &told,
        &["--origin"],
        0,
        &expect![[r#"
        crypto-tools
          algorithm = "sha512"                       larkspur.toml:3
          rounds = 3                                 CRYPTO_TOOLS__ROUNDS
          loud = true                                CRYPTO_TOOLS__LOUD
          salts = [1,2]                              CRYPTO_TOOLS__SALTS
          server = {"host":"example.org","port":81}  CRYPTO_TOOLS__SERVER__HOST
            host                                     CRYPTO_TOOLS__SERVER__HOST
            port                                     larkspur.toml:5
    "#]],
    );
    let set = ["--origin", "crypto-tools", "--set", "crypto-tools.rounds=4"];
    check(
        &room,
        &told,
        &set,
        0,
        &expect![[r#"
        crypto-tools
          algorithm = "sha512"                       larkspur.toml:3
          rounds = 4                                 --set
          loud = true                                CRYPTO_TOOLS__LOUD
          salts = [1,2]                              CRYPTO_TOOLS__SALTS
          server = {"host":"example.org","port":81}  CRYPTO_TOOLS__SERVER__HOST
            host                                     CRYPTO_TOOLS__SERVER__HOST
            port                                     larkspur.toml:5
    "#]],
    );
}

#[test]
fn programs_get_json() {
    let room = room();
    room.write("alone.star", "def f():\n    return 1\ntool(f)\n");
    room.project("[module.alone.config]\nx = { y = 1 }\n");
    let told = [("CRYPTO_TOOLS__ROUNDS", "3"), ("ALONE__X__Z", "[2]")];
    let args = ["config", "show", "--format", "json", "--set", "crypto-tools.loud=true"];
    let plain = room.run_told(&told, &args).exits(0).json();
    assert_eq!(
        plain,
        json!({"modules": [
            {
                "module": "alone",
                "file": "modules/alone.star",
                "config": {"x": {"y": 1, "z": [2]}},
                "unset": [],
            },
            {
                "module": "crypto-tools",
                "file": "modules/crypto-tools/module.toml",
                "config": {
                    "algorithm": "sha256",
                    "rounds": 3,
                    "loud": true,
                    "server": {"host": "localhost", "port": 80},
                },
                "unset": ["salts"],
            },
        ]})
    );
    let with_origin = room.run_told(&told, &[&args[..], &["--origin"]].concat());
    let with_origin = with_origin.exits(0).json();
    let default =
        |line| json!({"layer": "default", "file": "crypto-tools/module.toml", "line": line});
    assert_eq!(
        with_origin["modules"][1]["origin"],
        json!({
            "algorithm": default(6),
            "rounds": {"layer": "environment", "variable": "CRYPTO_TOOLS__ROUNDS"},
            "loud": {"layer": "command line"},
            "server": default(13),
        })
    );
    assert_eq!(
        with_origin["modules"][0]["origin"]["x.y"],
        json!({"layer": "file", "file": "larkspur.toml", "line": 2})
    );
}

#[test]
fn wrong_configurations_are_told() {
    let room = room();
    room.write("plain/module.toml", "name = \"plain\"\nversion = \"1.0.0\"\ndescription = \"x\"\n")
        .write("plain/main.star", "");
    room.project("[module.crypto-tools.config]\nrounds = 0\nalgoritm = \"sha512\"\n");
    check(
        &room,
        &[],
        &[],
        1,
        &expect![[r#"
        crypto-tools
          is not right
        plain
          takes no configuration
        error: configuration of module `crypto-tools` is not right
          rounds = 0 (larkspur.toml:2): 0 is less than the minimum of 1
          algoritm = "sha512" (larkspur.toml:3): is not a key; did you mean `algorithm`?
          ┌ larkspur.toml:2:10
        2 │ rounds = 0
          │          ^
    "#]],
    );
    check(
        &room,
        &[],
        &["plain"],
        0,
        &expect![[r"
        plain
          takes no configuration
    "]],
    );
    check(
        &room,
        &[],
        &["crypto-tools", "--format", "json"],
        1,
        &expect![[r#"
            {
              "modules": [
                {
                  "module": "crypto-tools",
                  "file": "modules/crypto-tools/module.toml",
                  "error": {
                    "message": "configuration of module `crypto-tools` is not right\n  rounds = 0 (larkspur.toml:2): 0 is less than the minimum of 1\n  algoritm = \"sha512\" (larkspur.toml:3): is not a key; did you mean `algorithm`?",
                    "place": {
                      "file": "larkspur.toml",
                      "line": 2,
                      "column": 10,
                      "width": 1,
                      "excerpt": "rounds = 0"
                    }
                  }
                }
              ]
            }
            error: configuration of module `crypto-tools` is not right
              rounds = 0 (larkspur.toml:2): 0 is less than the minimum of 1
              algoritm = "sha512" (larkspur.toml:3): is not a key; did you mean `algorithm`?
              ┌ larkspur.toml:2:10
            2 │ rounds = 0
              │          ^
        "#]],
    );
    room.project("");
    let told = [("CRYPTO_TOOLS__ROUNDS", "many")];
    check(
        &room,
        &told,
        &["crypto-tools"],
        1,
        &expect![[r#"
        crypto-tools
          is not right
        error: configuration of module `crypto-tools` is not right
          rounds = "many" (CRYPTO_TOOLS__ROUNDS): "many" is not of type "integer"
          = help: change or unset CRYPTO_TOOLS__ROUNDS
    "#]],
    );
    check(
        &room,
        &[],
        &["crypto-tools", "--set", "crypto-tools.lod=1"],
        1,
        &expect![[r"
            crypto-tools
              is not right
            error: configuration of module `crypto-tools` is not right
              lod = 1 (--set): is not a key; did you mean `loud`?
              = help: change --set crypto-tools.lod=…
        "]],
    );
}

#[test]
fn what_is_not_there_is_not_shown() {
    let empty = Room::without("modules");
    check(
        &empty,
        &[],
        &[],
        0,
        &expect![[r"
        no modules in modules or extensions; `larkspur new hello` writes one
    "]],
    );
    check(
        &empty,
        &[],
        &["--format", "json"],
        0,
        &expect![[r#"
        {
          "modules": []
        }
        no modules in modules or extensions; `larkspur new hello` writes one
    "#]],
    );
    check(
        &empty,
        &[],
        &["hello"],
        2,
        &expect![[r"
        error: there is no module `hello`; there are none
    "]],
    );
    let room = room();
    check(
        &room,
        &[],
        &["crypt-tools"],
        2,
        &expect![[r"
        error: there is no module `crypt-tools`; did you mean `crypto-tools`?
    "]],
    );
    check(
        &room,
        &[],
        &["zebra", "--format", "json"],
        2,
        &expect![[r"
            error: there is no module `zebra`; there are crypto-tools
        "]],
    );
    let told = [("CRYPTO_TOOLS__ROUND", "3"), ("CRIPTO_TOOLS__ROUNDS", "3")];
    check(
        &room,
        &told,
        &[],
        0,
        &expect![[r#"
        crypto-tools
          algorithm = "sha256"
          rounds = 1
          server = {"host":"localhost","port":80}
          loud is unset
          salts is unset
        note: CRIPTO_TOOLS__ROUNDS is set, but there is no module `cripto-tools`; did you mean CRYPTO_TOOLS__ROUNDS?
        note: CRYPTO_TOOLS__ROUND is set, but module `crypto-tools` has no config key `round`; did you mean CRYPTO_TOOLS__ROUNDS?
    "#]],
    );
    check(
        &room,
        &[],
        &["--set", "zebra.x=1"],
        2,
        &expect![[r"
            error: --set zebra.x: there is no module `zebra`; there are crypto-tools
        "]],
    );
    room.run(&["config"]).exits(2).notes("show");
}

#[test]
fn modules_that_do_not_run_are_shown_as_well() {
    let room = room();
    room.write("crypto-tools/main.star", "def f(:\n").write("mute/module.toml", "name = 3\n");
    check(
        &room,
        &[],
        &["crypto-tools"],
        0,
        &expect![[r#"
        crypto-tools
          algorithm = "sha256"
          rounds = 1
          server = {"host":"localhost","port":80}
          loud is unset
          salts is unset
    "#]],
    );
    check(
        &room,
        &[],
        &[],
        1,
        &expect![[r#"
        crypto-tools
          algorithm = "sha256"
          rounds = 1
          server = {"host":"localhost","port":80}
          loud is unset
          salts is unset
        error: modules/mute/module.toml cannot be loaded
        `name` must be a string, got integer `3`
          ┌ mute/module.toml:1:8
        1 │ name = 3
          │        ^
    "#]],
    );
    room.remove("mute/module.toml");
    room.project("enable = []\n");
    check(
        &room,
        &[],
        &[],
        0,
        &expect![[r"
        `enable` leaves out every module
    "]],
    );
    check(
        &room,
        &[],
        &["crypto-tools"],
        0,
        &expect![[r#"
        crypto-tools  left out by `enable`
          algorithm = "sha256"
          rounds = 1
          server = {"host":"localhost","port":80}
          loud is unset
          salts is unset
    "#]],
    );
    room.project("enable = 3\n");
    check(
        &room,
        &[],
        &[],
        6,
        &expect![[r"
        error: `enable` must be a list, got integer `3`
          ┌ larkspur.toml:1:10
        1 │ enable = 3
          │          ^
    "]],
    );
}
