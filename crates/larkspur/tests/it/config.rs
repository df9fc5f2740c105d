//! What modules are told: four layers, checked before `start`, and what a changed file restarts.

use crate::fixture::{Server, saying};
use crate::folder::{answering, living, manifest};
use crate::room::Room;
use expect_test::{Expect, expect};
use serde_json::json;

const SCHEMA: &str = r#"
[config]
size = { type = "integer", default = 1, minimum = 0 }
loud = { type = "boolean" }
tags = { type = "array", items = { type = "string" } }
token = { type = "string", required = true }
"#;

/// A module `github` that shows its configuration, from `start` and from `ctx`.
fn github(server: &mut Server) -> &mut Server {
    let main = "def start(deps, config):\n    log.info(\"start\")\n    return config\n\
                def stop(instance):\n    log.info(\"stop\")\n"
        .to_owned()
        + &answering("get", "json.encode(ctx.config if ctx.config == ctx.instance else None)");
    server.folder_module("github", &manifest("github", SCHEMA), &main)
}

#[test]
fn four_layers_of_which_the_later_wins() {
    let file = "[module.github.config]\nsize = 2\ntoken = \"file\"\nloud = false\n";
    let mut server = Server::start();
    github(&mut server)
        .project(file)
        .call("get", json!({}))
        .text(r#"{"size":2,"loud":false,"token":"file"}"#);

    let mut server = Server::start();
    server
        .room
        .set_env("GITHUB__SIZE", "3")
        .set_env("GITHUB__LOUD", "true")
        .set_env("GITHUB__TAGS", "a,b");
    github(&mut server)
        .project(file)
        .call("get", json!({}))
        .text(r#"{"size":3,"loud":true,"tags":["a","b"],"token":"file"}"#);

    let mut server = Server::start();
    server.room.set_env("GITHUB__SIZE", "3");
    server.flags =
        ["--set", "github.size=4", "--set", "github.token=typed"].map(str::to_owned).to_vec();
    github(&mut server)
        .project(file)
        .call("get", json!({}))
        .text(r#"{"size":4,"loud":false,"token":"typed"}"#);

    let room = Room::new();
    room.write("github/module.toml", &manifest("github", SCHEMA))
        .write("github/main.star", &answering("get", "ctx.config[\"size\"]"))
        .run(&["call", "github.get", "--set", "github.token=x"])
        .exits(0)
        .says_only("1");
}

#[test]
fn a_variable_that_nearly_fits_is_noted() {
    let mut server = Server::start();
    server
        .room
        .set_env("GITUB__TOKEN", "x")
        .set_env("GITHUB__TOKEN", "x")
        .set_env("GITHUB__SIZ", "1");
    github(&mut server)
        .up()
        .warned("GITUB__TOKEN is set, but there is no module `gitub`; did you mean GITHUB__TOKEN?")
        .warned("GITHUB__SIZ is set, but module `github` has no config key `siz`; did you mean GITHUB__SIZE?");
    let notes = server.status()["notes"].to_string();
    assert!(notes.contains("GITUB__TOKEN is set"), "{notes}");
}

#[test]
fn what_belongs_to_no_module_is_noted() {
    let mut server = Server::start();
    server.flags = ["--set", "githib.size=4"].map(str::to_owned).to_vec();
    server
        .project("enable = [\"a\", \"githab\"]\n[module.githob.config]\nsize = 2\n")
        .living("a", "")
        .up();
    expect![[r#"
        [
          "larkspur.toml configures `githob`, which is not there",
          "larkspur.toml enables `githab`, which is not there",
          "--set names `githib`, which is not there"
        ]"#]]
    .assert_eq(&format!("{:#}", server.status()["notes"]));
}

#[track_caller]
fn refused(file: &str, env: &[(&str, &str)], expected: Expect) {
    let mut server = Server::start();
    for (name, value) in env {
        server.room.set_env(name, value);
    }
    github(&mut server)
        .project(file)
        .living("beside", "")
        .lists(&["beside_beside_tool"])
        .stands("beside running, github failed")
        .logged(&["beside: start"]);
    let status = server.module_status("github");
    let report = status["report"].as_str().unwrap();
    server.warned(report);
    expected.assert_eq(report);
}

#[test]
fn a_configuration_that_does_not_fit_is_told_before_start() {
    refused(
        "",
        &[],
        expect![[r"
        configuration of module `github` is not right
          token: is required
          = help: set `token` in larkspur.toml under [module.github.config], as GITHUB__TOKEN, or with --set github.token=…"]],
    );
    refused(
        "[module.github.config]\nsize = -1\ntoken = 5\ntokn = \"x\"\n",
        &[("GITHUB__LOUD", "perhaps")],
        expect![[r#"
            configuration of module `github` is not right
              size = -1 (larkspur.toml:2): -1 is less than the minimum of 0
              loud = "perhaps" (GITHUB__LOUD): "perhaps" is not of type "boolean"
              token = 5 (larkspur.toml:3): 5 is not of type "string"
              tokn = "x" (larkspur.toml:4): is not a key; did you mean `token`?
              ┌ larkspur.toml:2:8
            2 │ size = -1
              │        ^^"#]],
    );
}

#[test]
fn a_changed_file_restarts_exactly_whom_it_concerns() {
    let schema = "[config]\nn = { type = \"integer\", default = 0 }";
    let mut server = Server::start();
    let told =
        |name: &str| living(name).replace(&format!("return \"{name}\""), "return config[\"n\"]");
    server
        .folder_module("a", &manifest("a", schema), &told("a"))
        .folder_module("b", &manifest("b", schema), &told("b"))
        .folder_module("upon", &manifest("upon", "depends_on = [\"a\"]"), &living("upon"))
        .module("file", &answering("file_tool", "ctx.config.get(\"n\")"))
        .call("a_tool", json!({}))
        .text("0");
    let mut log = vec!["a: start", "b: start", "upon: start"];
    server.logged(&log);
    // A file that was not there appears.
    server.project("[module.a.config]\nn = 1\n").until("a_tool", json!({}), "1");
    log.extend(["a: start", "upon: start", "upon: stop", "a: stop"]);
    server.logged(&log);
    server
        .project("# a remark\n[module.a.config]\nn = 1\n[module.b.config]\nn = 2\n[module.file.config]\nn = 3\n")
        .until("file_tool", json!({}), "3")
        .call("b_tool", json!({}))
        .text("2");
    log.extend(["b: start", "b: stop"]);
    server.logged(&log);
    server.project("# nothing more\n").until("a_tool", json!({}), "0");
    server.logged(
        &[
            log.as_slice(),
            // The youngest of the old ones stops first.
            &["a: start", "b: start", "upon: start", "b: stop", "upon: stop", "a: stop"],
        ]
        .concat(),
    );
}

#[test]
fn a_configuration_that_stops_fitting_keeps_the_old_one() {
    let mut server = Server::start();
    github(&mut server)
        .project("[module.github.config]\ntoken = \"one\"\n")
        .up()
        .project("[module.github.config]\ntoken = 2\n")
        .warned("token = 2 (larkspur.toml:2): 2 is not of type \"string\"")
        .stands("github stale")
        .call("get", json!({}))
        .text(r#"{"size":1,"token":"one"}"#)
        .project("[module.github.config]\ntoken = \"three\"\n")
        .until("get", json!({}), r#"{"size":1,"token":"three"}"#)
        .stands("github running");
}

#[test]
fn a_file_that_goes_while_running_keeps_the_last_good_one() {
    let mut server = Server::start();
    let token = "[module.github.config]\ntoken = \"one\"\n";
    github(&mut server).project(token).up();
    let file = server.room.path().join("larkspur.toml");
    for (text, said) in [(None, "larkspur.toml is gone"), (Some(" \n"), "larkspur.toml is empty")] {
        match text {
            Some(text) => std::fs::write(&file, text).unwrap(),
            None => std::fs::remove_file(&file).unwrap(),
        }
        server.warned(&format!(
            "{said}, and what it said holds on: write it anew, or restart the server if that is meant"
        ));
        let status = server.status_until("told", |status| status["modules"][1]["state"] == "stale");
        let broken = &status["modules"][1];
        assert_eq!(broken["file"], "larkspur.toml");
        assert!(broken["report"].as_str().unwrap().contains(said));
        server
            .call("get", json!({}))
            .text(r#"{"size":1,"token":"one"}"#)
            .project(token)
            .stands("github running")
            .status_until("well", |status| status["modules"].as_array().unwrap().len() == 1);
    }
    server.project("[module.github.config]\ntoken = \"two\"\n").until(
        "get",
        json!({}),
        r#"{"size":1,"token":"two"}"#,
    );
}

#[test]
fn a_file_that_breaks_while_running_keeps_the_last_good_one() {
    let mut server = Server::start();
    github(&mut server)
        .project("[module.github.config]\ntoken = \"one\"\n")
        .up()
        .project("[module.github.config\n")
        .warned("larkspur.toml");
    let status = server.status_until("told", |status| status["modules"][1]["state"] == "stale");
    let broken = &status["modules"][1];
    assert_eq!(broken["file"], "larkspur.toml");
    let report = broken["report"].as_str().unwrap();
    assert!(report.contains("1 │ [module.github.config"), "{report}");
    server
        .call("get", json!({}))
        .text(r#"{"size":1,"token":"one"}"#)
        .stands("github running")
        // Modules are reloaded as before, with what was good last.
        .module("more", &saying("more", "1"))
        .changed()
        .project("[module.github.config]\ntoken = \"two\"\n")
        .until("get", json!({}), r#"{"size":1,"token":"two"}"#);
    let status = server.status();
    assert_eq!(status["modules"].as_array().unwrap().len(), 2, "{status:#}");
}

#[test]
fn a_file_that_cannot_be_used_ends_a_command_at_its_start() {
    let room = Room::new();
    room.write("a.star", &saying("a", "1"));
    let expected = expect![[r"
        error: unknown key `timeot`
          ┌ larkspur.toml:2:1
        2 │ timeot = 1
          │ ^^^^^^
          = help: did you mean `timeout`?
    "]];
    for command in ["serve", "list", "check", "dev"] {
        room.project("[limits]\ntimeot = 1\n");
        let ran = room.run(&[command]);
        ran.exits(6).says_only("");
        expected.assert_eq(&ran.stderr);
        let ran = room.run(&[command, "--config", "elsewhere.toml"]);
        ran.exits(6).notes("there is no elsewhere.toml");
    }
    std::fs::write(room.path().join("other.toml"), "enable = []\n").unwrap();
    room.run(&["list", "--config", "other.toml"]).exits(0).says_only("");
}

#[test]
fn enable_says_what_is_loaded_also_while_running() {
    let mut server = Server::start();
    server
        .project("enable = [\"a\", \"file\"]\n")
        .living("a", "")
        .living("b", "a")
        .living("broken", "")
        .main("broken", "def oops(:\n")
        .module("bad", "def oops(:\n")
        .module("file", &saying("file_tool", "1"))
        .lists(&["a_a_tool", "file_tool"])
        .stands("a running, file running");
    let status = server.status();
    assert_eq!(status["modules"].as_array().unwrap().len(), 2, "{status:#}");
    server
        .project("enable = [\"a\", \"b\"]\n")
        .changed()
        .lists(&["a_a_tool", "b_b_tool"])
        .logged(&["a: start", "b: start"])
        .project("enable = [\"b\"]\n")
        .changed()
        .lists(&["b_b_tool"])
        .stands("b stale");
    assert_eq!(
        server.module_status("b")["error"],
        "b/module.toml:4 module `b` needs `a`, which `enable` in larkspur.toml leaves out"
    );
    server
        .project("enable = [\"a\"]\n")
        .changed()
        .lists(&["a_a_tool"])
        .logged(&["a: start", "b: start", "a: start", "b: stop", "a: stop"])
        .order("start b")
        .exits(2)
        .notes("there is no module `b`");
}
