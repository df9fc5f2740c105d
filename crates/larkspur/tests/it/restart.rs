//! A changed module restarts with its dependents, whatever of it has changed, and if one of them
//! cannot follow, all of them stay as they were.

use crate::fixture::Server;
use crate::folder::{answering, living, manifest, needs};
use serde_json::json;

/// A module whose instance holds a word, from a library and a data file.
fn worded(word: &str) -> String {
    format!(
        "load(\"words.star\", \"word\")\nDATA = data.load_json(\"data.json\")\n\
         def start(deps, config):\n    log.info(\"start\")\n    return word + DATA + \"{word}\"\n\
         def stop(instance):\n    log.info(\"stop\")\n{}",
        answering("base_tool", "ctx.instance")
    )
}

fn upon(name: &str) -> String {
    living(name).replace(&format!("return \"{name}\""), "return deps[\"base\"]")
}

fn pair() -> Server {
    let mut server = Server::start();
    server
        .file("base/words.star", "word = \"l\"\n")
        .file("base/data.json", "\"d\"")
        .folder_module("base", &manifest("base", ""), &worded("m"))
        .folder_module("top", &manifest("top", &needs("base")), &upon("top"))
        .living("beside", "")
        .call("top_tool", json!({}))
        .text("ldm");
    server
}

#[test]
fn whatever_changes_restarts_a_module_and_its_dependents_once() {
    let edits = [
        ("base/main.star", worded("M"), "ldM"),
        ("base/words.star", "word = \"L\"\n".to_owned(), "LdM"),
        ("base/data.json", "\"D\"".to_owned(), "LDM"),
    ];
    let mut server = pair();
    let mut log = vec!["base: start", "beside: start", "top: start"];
    for (file, text, answer) in &edits {
        server.file(file, text).until("top_tool", json!({}), answer);
        log.extend(["base: start", "top: start", "top: stop", "base: stop"]);
        server.logged(&log);
        server.call("base_tool", json!({})).text(answer);
    }
    server.file("base/module.toml", &manifest("base", "author = \"somebody\""));
    log.extend(["base: start", "top: start", "top: stop", "base: stop"]);
    server.logged(&log);
    // The dependent alone leaves its base running.
    server.main("top", &upon("top").replace("deps[\"base\"]", "\"own\"")).until(
        "top_tool",
        json!({}),
        "own",
    );
    log.extend(["top: start", "top: stop"]);
    server.logged(&log);
}

#[test]
fn a_library_loaded_from_a_dependency_restarts_whoever_loads_it() {
    let mut server = Server::start();
    server
        .folder_module("lib", &manifest("lib", ""), "def word():\n    return \"one\"\n")
        .folder_module(
            "a",
            &manifest("a", &needs("lib")),
            &format!("load(\"@lib\", \"word\")\n{}", answering("a_tool", "word()")),
        )
        .call("a_tool", json!({}))
        .text("one")
        .main("lib", "load(\"deep.star\", \"deep\")\ndef word():\n    return deep\n")
        .file("lib/deep.star", "deep = \"two\"\n")
        .until("a_tool", json!({}), "two")
        .file("lib/deep.star", "deep = \"three\"\n")
        .until("a_tool", json!({}), "three");
}

#[test]
fn a_dependent_that_cannot_follow_keeps_the_whole_set_as_it_was() {
    let mut server = pair();
    let picky = upon("top").replace(
        "    log.info(\"start\")\n",
        "    log.info(\"start\")\n    if deps[\"base\"] == \"ldX\":\n        fail(\"not with X\")\n",
    );
    server
        .main("top", &picky)
        .logged(&["base: start", "beside: start", "top: start", "top: start", "top: stop"])
        .main("base", &worded("X"))
        .warned("not with X")
        .stands("base stale, beside running, top stale")
        .call("base_tool", json!({}))
        .text("ldm")
        .call("top_tool", json!({}))
        .text("ldm");
    let status = server.status();
    let error = |name| crate::folder::module(&status, name)["error"].as_str().unwrap().to_owned();
    assert_eq!(
        error("base"),
        "top/main.star:4 kept as it was, since `top` cannot follow: `start` of module `top` failed: not with X"
    );
    assert_eq!(error("top"), "top/main.star:4 `start` of module `top` failed: not with X");
    server
        .main("top", &upon("top"))
        .until("top_tool", json!({}), "ldX")
        .stands("base running, beside running, top running")
        .call("base_tool", json!({}))
        .text("ldX");
    let log = server.log_to_the_end();
    assert_eq!(log.iter().filter(|line| line.ends_with("start")).count(), 8, "{log:#?}");
    assert_eq!(log.iter().filter(|line| line.ends_with("stop")).count(), 7, "{log:#?}");
}

#[test]
fn a_broken_base_keeps_its_dependents_and_mending_it_renews_all() {
    let mut server = pair();
    server
        .main("base", "def oops(:\n")
        .stands("base stale, beside running, top stale")
        .call("top_tool", json!({}))
        .text("ldm")
        .call("base_tool", json!({}))
        .text("ldm")
        .main("base", &worded("N"))
        .until("top_tool", json!({}), "ldN")
        .stands("base running, beside running, top running");
}

/// Its manifest cannot be read, but it runs, and it leans on its base.
#[test]
fn a_dependent_with_a_broken_manifest_still_counts_as_one() {
    let mut server = pair();
    server
        .file("top/module.toml", "name = \n")
        .stands("base running, beside running, top stale")
        .main("base", &worded("N"))
        .stands("base stale, beside running, top stale")
        .call("base_tool", json!({}))
        .text("ldm")
        .call("top_tool", json!({}))
        .text("ldm")
        .file("top/module.toml", &manifest("top", &needs("base")))
        .until("top_tool", json!({}), "ldN")
        .stands("base running, beside running, top running");
}

#[test]
fn a_broken_newcomer_holds_nobody_back() {
    let mut server = pair();
    let broken = "def start(deps, config):\n    fail(\"never\")\n";
    server
        .folder_module("new", &manifest("new", &needs("base")), broken)
        .stands("base running, beside running, new failed, top running")
        .main("base", &worded("N"))
        .until("top_tool", json!({}), "ldN")
        .stands("base running, beside running, new failed, top running")
        .main("new", &living("new"))
        .changed()
        .call("new_tool", json!({}))
        .text("new");
}

#[test]
fn a_deleted_base_leaves_its_dependents_stale_until_it_is_back() {
    let mut server = pair();
    std::fs::rename(server.room.at("base"), server.room.path().join("away")).unwrap();
    server
        .changed()
        .lists(&["beside_beside_tool", "top_top_tool"])
        .stands("beside running, top stale")
        .call("top_tool", json!({}))
        .text("ldm");
    assert_eq!(
        server.module_status("top")["error"],
        "top/module.toml:4 module `top` needs `base`, which is not installed"
    );
    assert!(!server.log().contains(&"base: stop".to_owned()), "it is still in use");
    std::fs::rename(server.room.path().join("away"), server.room.at("base")).unwrap();
    server.changed().stands("base running, beside running, top running").logged(&[
        "base: start",
        "beside: start",
        "top: start",
        "base: start",
        "top: start",
        "top: stop",
        "base: stop",
    ]);
}

#[test]
fn an_edit_that_makes_a_circle_changes_nothing() {
    let mut server = pair();
    server
        .file("base/module.toml", &manifest("base", &needs("top")))
        .warned("circular dependency detected: base -> top -> base")
        .stands("base stale, beside running, top stale")
        .call("top_tool", json!({}))
        .text("ldm")
        .file("base/module.toml", &manifest("base", ""))
        .stands("base running, beside running, top running");
}
