//! `load("@module", …)`: from a declared dependency, and from nothing else.

use crate::fixture::{Server, saying};
use crate::folder::{answering, manifest, needs};
use expect_test::{Expect, expect};
use serde_json::json;

const UTILS: &str =
    "load(\"deep/words.star\", \"word\")\ndef get_json(url):\n    return {word: url}\n";

fn server() -> Server {
    let mut server = Server::start();
    server.file("http-utils/deep/words.star", "word = \"got\"\n").folder_module(
        "http-utils",
        &manifest("http-utils", ""),
        UTILS,
    );
    server
}

fn user(what: &str) -> String {
    format!("load(\"{what}\", \"get_json\")\n{}", answering("fetch", "get_json(\"u\")"))
}

#[test]
fn a_declared_dependency_is_loaded() {
    let mut server = server();
    server
        .folder_module("a", &manifest("a", &needs("http-utils")), &user("@http-utils"))
        .call("fetch", json!({}))
        .text(r#"{"got":"u"}"#);
    let mut server = self::server();
    server
        .folder_module(
            "a",
            &manifest("a", "optional_deps = [\"http-utils\"]"),
            &user("inner/own.star"),
        )
        .file("a/inner/own.star", "load(\"@http-utils\", _get = \"get_json\")\nget_json = _get\n")
        .call("fetch", json!({}))
        .text(r#"{"got":"u"}"#);
}

#[test]
fn also_across_folders() {
    let mut server = Server::start();
    let second = server.room.path().join("second");
    std::fs::create_dir_all(second.join("http-utils/deep")).unwrap();
    let write = |file: &str, text: &str| std::fs::write(second.join("http-utils").join(file), text);
    write("module.toml", &manifest("http-utils", "")).unwrap();
    write("main.star", UTILS).unwrap();
    write("deep/words.star", "word = \"got\"\n").unwrap();
    server.flags = vec!["--modules".into(), second.display().to_string()];
    server
        .folder_module("a", &manifest("a", &needs("http-utils")), &user("@http-utils"))
        .call("fetch", json!({}))
        .text(r#"{"got":"u"}"#);
    write("deep/words.star", "word = \"renewed\"\n").unwrap();
    server.until("fetch", json!({}), r#"{"renewed":"u"}"#);
}

#[track_caller]
fn refused(more: &str, main: &str, expected: Expect) {
    let mut server = server();
    server
        .folder_module("a", &manifest("a", more), main)
        .module("fine", &saying("fine", "1"))
        .lists(&["fine"]);
    let status = server.module_status("a");
    assert_eq!(status["state"], "failed");
    expected.assert_eq(status["report"].as_str().unwrap());
}

#[test]
fn nothing_else_is() {
    refused(
        "",
        &user("@http-utils"),
        expect![[r#"
        cannot load "@http-utils": module `a` does not depend on `http-utils`; add it to `depends_on` in module.toml
          ┌ a/main.star:1:6
        1 │ load("@http-utils", "get_json")
          │      ^^^^^^^^^^^^^"#]],
    );
    refused(
        "",
        &user("@nowhere"),
        expect![[r#"
        cannot load "@nowhere": module `a` does not depend on `nowhere`; add it to `depends_on` in module.toml
          ┌ a/main.star:1:6
        1 │ load("@nowhere", "get_json")
          │      ^^^^^^^^^^"#]],
    );
    refused(
        &needs("http-utils"),
        &user("@http-util"),
        expect![[r#"
        cannot load "@http-util": module `a` does not depend on `http-util`; did you mean `@http-utils`?
          ┌ a/main.star:1:6
        1 │ load("@http-util", "get_json")
          │      ^^^^^^^^^^^^"#]],
    );
    refused(
        "optional_deps = [\"nowhere\"]",
        &user("@nowhere"),
        expect![[r#"
        cannot load "@nowhere": there is no module `nowhere` with a module.toml
          ┌ a/main.star:1:6
        1 │ load("@nowhere", "get_json")
          │      ^^^^^^^^^^"#]],
    );
    refused(
        &needs("http-utils"),
        &user("../http-utils/main.star"),
        expect![[r#"
        cannot load "../http-utils/main.star": `../http-utils/main.star` leads out of the module's folder; another module is loaded as "@name", once `depends_on` names it
          ┌ a/main.star:1:6
        1 │ load("../http-utils/main.star", "get_json")
          │      ^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
    refused(
        &needs("http-utils"),
        &user("@http-utils/deep/words.star"),
        expect![[r#"
            cannot load "@http-utils/deep/words.star": another module is loaded as a whole: "@http-utils" is its `entry`
              ┌ a/main.star:1:6
            1 │ load("@http-utils/deep/words.star", "get_json")
              │      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
    refused(
        &needs("http-utils"),
        "load(\"@http-utils\", \"get_jsn\")\n",
        expect![[r#"
            Module has no symbol `get_jsn`, did you mean `get_json`?
              ┌ a/main.star:1:21
            1 │ load("@http-utils", "get_jsn")
              │                     ^^^^^^^^^"#]],
    );
}

#[test]
fn a_single_file_has_no_dependencies() {
    let mut server = server();
    server.module("a", &user("@http-utils")).lists(&[]);
    let status = server.status();
    let modules = status["modules"].as_array().unwrap();
    let failed = modules.iter().find(|module| module["state"] == "failed").unwrap();
    expect![[r#"
        cannot load "@http-utils": only a module with a module.toml can load `@http-utils`, a dependency that it declares
          ┌ a.star:1:6
        1 │ load("@http-utils", "get_json")
          │      ^^^^^^^^^^^^^"#]].assert_eq(failed["report"].as_str().unwrap());
}
