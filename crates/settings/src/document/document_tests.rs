//! What the document says against texts, and what it reads from good ones.

use super::*;
use crate::known::{Key, Kind, Said, Section};
use expect_test::{Expect, expect};
use serde_json::Value;

const INNER: Section = section(&[known("key")]);
const TOP: Section = section(&[
    known("value"),
    known("name"),
    known("depends_on"),
    known("count"),
    known("timeout"),
    known("heap"),
    known("inner"),
]);

const fn section(keys: &'static [Key]) -> Section {
    Section { name: "", example: "", about: "", keys }
}

const fn known(name: &'static str) -> Key {
    Key { name, kind: Kind::Text, said: Said::Below, about: "" }
}

/// Reads a few fields of each kind, as a manifest would.
fn read(text: &str) -> Result<Value, Fault> {
    let source = Source::new("a.toml", text);
    let document = Document::parse(&source)?;
    let mut table = document.table();
    let value = table.required("value").and_then(|item| item.json());
    table.string("name");
    table.strings("depends_on");
    table.get("count").and_then(|item| item.count::<u32>());
    table.get("timeout").and_then(|item| item.duration());
    table.get("heap").and_then(|item| item.size());
    if let Some(mut inner) = table.table("inner") {
        inner.required("key");
        inner.finish(&INNER);
    }
    table.finish(&TOP);
    document.finish(value)
}

#[track_caller]
fn check(text: &str, expected: &Expect) {
    match read(text) {
        Ok(value) => expected.assert_eq(&value.to_string()),
        Err(fault) => expected.assert_eq(&fault.to_string()),
    }
}

#[test]
fn values_become_json() {
    check("value = 9223372036854775807", &expect!["9223372036854775807"]);
    check("value = [0xff, 1_000, -5, +5]", &expect!["[255,1000,-5,5]"]);
    check("value = [1.5, 1e3, -0.0]", &expect!["[1.5,1000.0,-0.0]"]);
    check(
        "value = [1979-05-27, 07:32:00, 1979-05-27T07:32:00Z]",
        &expect![[r#"["1979-05-27","07:32:00","1979-05-27T07:32:00Z"]"#]],
    );
    check(
        "value = { b = true, a.c = ['x', \"\\u00e4\"] }",
        &expect![[r#"{"b":true,"a":{"c":["x","ä"]}}"#]],
    );
    check(
        "[value]\nz = 1\na = 2\n[[value.list]]\nx = 1",
        &expect![[r#"{"z":1,"a":2,"list":[{"x":1}]}"#]],
    );
}

#[test]
fn what_json_cannot_say_is_refused() {
    check(
        "value = inf",
        &expect![[r"
            `value` must be a finite number
              ┌ a.toml:1:9
            1 │ value = inf
              │         ^^^"]],
    );
    check(
        "value = { a = [1.0, nan] }",
        &expect![[r"
            `value.a[1]` must be a finite number
              ┌ a.toml:1:21
            1 │ value = { a = [1.0, nan] }
              │                     ^^^"]],
    );
    check(
        "value = 99999999999999999999999999999999999999999",
        &expect![[r"
            `value` is too large an integer
              ┌ a.toml:1:9
            1 │ value = 99999999999999999999999999999999999999999
              │         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"]],
    );
}

#[test]
fn syntax_is_pointed_at() {
    check(
        "value = 1\nname = github",
        &expect![[r"
            not valid TOML: string values must be quoted, expected literal string
              ┌ a.toml:2:8
            2 │ name = github
              │        ^^^^^^"]],
    );
    check(
        "name = \"x",
        &expect![[r#"
            not valid TOML: invalid basic string, expected `"`
              ┌ a.toml:1:10
            1 │ name = "x
              │          ^"#]],
    );
    check(
        "value = 1\nvalue = 2\n",
        &expect![[r"
            not valid TOML: duplicate key
              ┌ a.toml:2:1
            2 │ value = 2
              │ ^^^^^"]],
    );
    check(
        "[value\nb = 1",
        &expect![[r"
            not valid TOML: unclosed table, expected `]`
              ┌ a.toml:1:7
            1 │ [value
              │       ^"]],
    );
    check(
        "value =\n",
        &expect![[r"
            not valid TOML: string values must be quoted, expected literal string
              ┌ a.toml:1:8
            1 │ value =
              │        ^"]],
    );
    check(
        "value = [1, 2\nname = 3\n",
        &expect![[r"
            not valid TOML: missing comma between array elements, expected `,`
              ┌ a.toml:2:1
            2 │ name = 3
              │ ^"]],
    );
    check(
        "\tä = 1",
        &expect![[r"
            not valid TOML: invalid unquoted key, expected letters, numbers, `-`, `_`
              ┌ a.toml:1:2
            1 │ 	ä = 1
              │ 	^"]],
    );
}

#[test]
fn wrong_types_name_what_is_there() {
    check(
        "value = 1\nname = 3",
        &expect![[r"
            `name` must be a string, got the integer 3
              ┌ a.toml:2:8
            2 │ name = 3
              │        ^"]],
    );
    check(
        "value = 1\nname = 2020-01-01",
        &expect![[r"
            `name` must be a string, got the date 2020-01-01
              ┌ a.toml:2:8
            2 │ name = 2020-01-01
              │        ^^^^^^^^^^"]],
    );
    check(
        "value = 1\nname = '  '",
        &expect![[r"
            `name` is empty
              ┌ a.toml:2:8
            2 │ name = '  '
              │        ^^^^"]],
    );
    check(
        "value = 1\ndepends_on = 'a'",
        &expect![[r#"
            `depends_on` must be a list, got the string "a"
              ┌ a.toml:2:14
            2 │ depends_on = 'a'
              │              ^^^"#]],
    );
    check(
        "value = 1\ndepends_on = [\n  'a',\n  true,\n]",
        &expect![[r"
            `depends_on[1]` must be a string, got true
              ┌ a.toml:4:3
            4 │   true,
              │   ^^^^"]],
    );
}

#[test]
fn amounts_have_bounds_and_units() {
    check(
        "value = 1\ncount = 0",
        &expect![[r"
            `count` must be above 0, got the integer 0
              ┌ a.toml:2:9
            2 │ count = 0
              │         ^"]],
    );
    check(
        "value = 1\ncount = 5_000_000_000",
        &expect![[r"
            `count`: 5000000000 is too large
              ┌ a.toml:2:9
            2 │ count = 5_000_000_000
              │         ^^^^^^^^^^^^^"]],
    );
    check(
        "value = 1\ntimeout = 'soon'",
        &expect![[r"
            `timeout`: `soon` is not a duration; write `500ms`, `30s` or `2m`
              ┌ a.toml:2:11
            2 │ timeout = 'soon'
              │           ^^^^^^"]],
    );
    check(
        "value = 1\ntimeout = 0",
        &expect![[r"
            `timeout` must be longer than nothing, got the integer 0
              ┌ a.toml:2:11
            2 │ timeout = 0
              │           ^"]],
    );
    check(
        "value = 1\ntimeout = true",
        &expect![[r#"
            `timeout` must be a duration such as `"30s"`, or a number of seconds, got true
              ┌ a.toml:2:11
            2 │ timeout = true
              │           ^^^^"#]],
    );
    check(
        "value = 1\nheap = '16MB'",
        &expect![[r"
            `heap`: `16MB` is not a size; write `64KiB`, `16MiB` or `1GiB`
              ┌ a.toml:2:8
            2 │ heap = '16MB'
              │        ^^^^^^"]],
    );
    check(
        "value = 1\nheap = -1",
        &expect![[r"
            `heap` must be a whole number above 0, got the integer -1
              ┌ a.toml:2:8
            2 │ heap = -1
              │        ^^"]],
    );
    check(
        "value = 1\nheap = 1.5",
        &expect![[r#"
            `heap` must be a size such as `"16MiB"`, or a number of bytes, got the float 1.5
              ┌ a.toml:2:8
            2 │ heap = 1.5
              │        ^^^"#]],
    );
    check(
        "value = 1\ninner = []",
        &expect![[r"
            `inner` must be a table, got a list
              ┌ a.toml:2:9
            2 │ inner = []
              │         ^^"]],
    );
}

#[test]
fn keys_that_are_missing_or_too_many() {
    check(
        "",
        &expect![[r"
            `value` is missing
              ┌ a.toml:1:1
            1 │ 
              │ ^"]],
    );
    check(
        "# a comment\nname = 'x'",
        &expect![[r"
            `value` is missing
              ┌ a.toml:1:1
            1 │ # a comment
              │ ^"]],
    );
    check(
        "value = 1\n[inner]\n",
        &expect![[r"
            `key` is missing in `inner`
              ┌ a.toml:2:2
            2 │ [inner]
              │  ^^^^^"]],
    );
    check(
        "vlaue = 1",
        &expect![[r"
            unknown key `vlaue`
              ┌ a.toml:1:1
            1 │ vlaue = 1
              │ ^^^^^
              = help: did you mean `value`?"]],
    );
    check(
        "value = 1\ndepend_on = []",
        &expect![[r"
            unknown key `depend_on`
              ┌ a.toml:2:1
            2 │ depend_on = []
              │ ^^^^^^^^^
              = help: did you mean `depends_on`?"]],
    );
    check(
        "value = 1\nzebra = 1",
        &expect![[r"
            unknown key `zebra`
              ┌ a.toml:2:1
            2 │ zebra = 1
              │ ^^^^^
              = help: there are `value`, `name`, `depends_on`, `count`, `timeout`, `heap`, `inner`"]],
    );
    check(
        "value = 1\n[inner]\nkey = 1\nkye = 2",
        &expect![[r"
            unknown key `inner.kye`
              ┌ a.toml:4:1
            4 │ kye = 2
              │ ^^^
              = help: did you mean `key`?"]],
    );
}

#[test]
fn the_first_on_the_page_is_reported() {
    check(
        "depend_on = []\nname = 3",
        &expect![[r"
            unknown key `depend_on`
              ┌ a.toml:1:1
            1 │ depend_on = []
              │ ^^^^^^^^^
              = help: did you mean `depends_on`?"]],
    );
    check(
        "name = 3\ndepend_on = []",
        &expect![[r"
            `name` must be a string, got the integer 3
              ┌ a.toml:1:8
            1 │ name = 3
              │        ^"]],
    );
}

#[test]
fn lines_of_windows_are_shown_without_their_ends() {
    let place = read("value = 1\r\nname = 3\r\n").unwrap_err().place.unwrap();
    assert_eq!((place.line, place.column, place.width), (2, 8, 1));
    assert_eq!(place.excerpt, "name = 3");
}
