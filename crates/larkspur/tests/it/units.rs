//! Files that load one another stand and fall together.

use crate::fixture::{Server, saying};
use serde_json::{Value, json};

const ONE: &str =
    "load(\"words\", \"word\")\ndef one() -> str:\n    return \"one \" + word()\ntool(one)\n";
const TWO: &str = "load(\"words\", \"word\", \"other\")\ndef two() -> str:\n    return \"two \" + other()\ntool(two)\n";

fn words(word: &str) -> String {
    format!("def word():\n    return \"{word}\"\ndef other():\n    return \"{word}\"\n")
}

/// Two modules that load one library.
fn pair() -> Server {
    let mut server = Server::start();
    server.module("words", &words("a")).module("one", ONE).module("two", TWO);
    answers(&mut server, "a");
    server
}

#[track_caller]
fn answers(server: &mut Server, word: &str) {
    server
        .call("one", json!({}))
        .text(&format!("one {word}"))
        .call("two", json!({}))
        .text(&format!("two {word}"));
}

#[track_caller]
fn answers_at_last(server: &mut Server, word: &str) {
    server.until("one", json!({}), &format!("one {word}")).until(
        "two",
        json!({}),
        &format!("two {word}"),
    );
}

fn states(status: &Value) -> Vec<String> {
    let modules = status["modules"].as_array().unwrap();
    let named = modules.iter().filter(|module| module["name"].is_string());
    named.map(|module| format!("{} {}", module["name"], module["state"]).replace('"', "")).collect()
}

#[test]
fn an_edited_library_reloads_what_loads_it() {
    let mut server = pair();
    server.edit("words", &words("b"));
    answers_at_last(&mut server, "b");
    server.not_told();
}

#[test]
fn a_library_of_a_library_counts_as_well() {
    let mut server = Server::start();
    let middle = "load(\"words\", _word = \"word\")\ndef word():\n    return _word() + \"!\"\n";
    server
        .module("words", &words("a"))
        .module("sub/middle", &middle.replace("\"words\"", "\"../words\""))
        .module("one", &ONE.replace("\"words\"", "\"sub/middle\""))
        .call("one", json!({}))
        .text("one a!")
        .edit("words", &words("b"))
        .until("one", json!({}), "one b!");
}

#[test]
fn a_library_that_was_missing_makes_its_dependents_good() {
    for library in ["words", "sub/words"] {
        let mut server = Server::start();
        server
            .module("one", &ONE.replace("\"words\"", &format!("\"{library}\"")))
            .lists(&[])
            .warned("there is no")
            .module(library, &words("a"))
            .changed()
            .call("one", json!({}))
            .text("one a");
    }
}

#[test]
fn a_deleted_library_leaves_its_dependents_as_they_were() {
    let mut server = pair();
    server.remove("words.star").warned("there is no words.star");
    answers(&mut server, "a");
    assert_eq!(states(&server.status()), ["one stale", "two stale"]);
    server.module("words", &words("b"));
    answers_at_last(&mut server, "b");
    assert_eq!(states(&server.status()), ["one running", "two running"]);
    server.not_told();
}

/// A library that fits one of two dependents only.
const HALF: &str = "def word():\n    return \"b\"\n";

#[test]
fn a_library_that_breaks_one_dependent_changes_none() {
    let mut server = pair();
    server.edit("words", HALF).warned("cannot be loaded");
    answers(&mut server, "a");
    server.status_until("stale", |status| states(status) == ["one stale", "two stale"]);
    answers(&mut server, "a");
    server.edit("words", &words("c"));
    answers_at_last(&mut server, "c");
    assert_eq!(states(&server.status()), ["one running", "two running"]);
    server.not_told();
}

#[test]
fn mending_the_dependent_brings_in_the_whole_unit() {
    let mut server = pair();
    server.edit("words", HALF).warned("cannot be loaded");
    server.status_until("stale", |status| states(status) == ["one stale", "two stale"]);
    server.edit("two", &TWO.replace(", \"other\"", "").replace("other()", "word()"));
    answers_at_last(&mut server, "b");
    server.status_until("well", |status| states(status) == ["one running", "two running"]);
}

#[test]
fn deleting_the_broken_dependent_frees_the_rest() {
    let mut server = pair();
    server.edit("words", HALF).warned("cannot be loaded");
    server.status_until("stale", |status| states(status) == ["one stale", "two stale"]);
    server.remove("two.star").changed().until("one", json!({}), "one b");
    assert_eq!(states(&server.status()), ["one running"]);
}

#[test]
fn files_that_have_nothing_to_do_with_each_other_go_their_own_ways() {
    let mut server = pair();
    server
        .module("third", &saying("third", "3"))
        .changed()
        .edit("third", "def f(:\n")
        .edit("words", &words("b"));
    answers_at_last(&mut server, "b");
    assert_eq!(states(&server.status()), ["one running", "third stale", "two running"]);
}

#[test]
fn two_modules_of_one_name_are_served_as_one_until_one_gives_way() {
    let mut server = Server::start();
    server
        .file("a/same.star", &saying("first", "1"))
        .file("b/same.star", &saying("second", "2"))
        .lists(&["first"])
        .status_until("broken", |status| status.to_string().contains("is already declared by"));
    server.remove("a/same.star").changed().lists(&["second"]).call("second", json!({})).text("2");
}
