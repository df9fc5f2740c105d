//! What a changed `larkspur.toml` loads and restarts, and nothing else.

use crate::fixture::{Server, saying};
use crate::folder::{answering, living, manifest};
use serde_json::json;

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
