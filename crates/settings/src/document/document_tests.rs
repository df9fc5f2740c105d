//! What is read from good texts, and said about others.

use super::*;
use expect_test::{Expect, expect};

#[track_caller]
fn check(text: &str, expected: &Expect) {
    match read_toml(text) {
        Ok(value) => expected.assert_eq(&value.to_string()),
        Err(fault) => expected.assert_eq(&fault.to_string()),
    }
}

#[test]
fn values_become_json() {
    check("value = 9223372036854775807", &expect![[r#"{"value":9223372036854775807}"#]]);
    check("value = [0xff, 1_000, -5, +5]", &expect![[r#"{"value":[255,1000,-5,5]}"#]]);
    check("value = [1_0.5, 6e-1_0]", &expect![[r#"{"value":[10.5,6e-10]}"#]]);
    check("'$__toml_private_datetime' = 'x'", &expect![[r#"{"$__toml_private_datetime":"x"}"#]]);
    check("value = [1.5, 1e3, -0.0]", &expect![[r#"{"value":[1.5,1000.0,-0.0]}"#]]);
    check(
        "value = [1979-05-27, 07:32:00, 1979-05-27T07:32:00Z]",
        &expect![[r#"{"value":["1979-05-27","07:32:00","1979-05-27T07:32:00Z"]}"#]],
    );
    check(
        "value = { b = true, a.c = ['x', \"\\u00e4\"] }",
        &expect![[r#"{"value":{"b":true,"a":{"c":["x","ä"]}}}"#]],
    );
    check(
        "[value]\nz = 1\na = 2\n[[value.list]]\nx = 1",
        &expect![[r#"{"value":{"z":1,"a":2,"list":[{"x":1}]}}"#]],
    );
}

#[test]
fn what_json_cannot_say_is_refused() {
    check(
        "value = inf",
        &expect![[r"
            a number must be finite
              ┌ toml:1:9
            1 │ value = inf
              │         ^^^"]],
    );
    check(
        "value = { a = [1.0, nan] }",
        &expect![[r"
            a number must be finite
              ┌ toml:1:21
            1 │ value = { a = [1.0, nan] }
              │                     ^^^"]],
    );
    check(
        "value = 99999999999999999999999999999999999999999",
        &expect![[r"
            too large an integer
              ┌ toml:1:9
            1 │ value = 99999999999999999999999999999999999999999
              │         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"]],
    );
}

#[test]
fn syntax_is_pointed_at() {
    check(
        "value = 1\nname = github",
        &expect![[r"
            string values must be quoted, expected literal string
              ┌ toml:2:8
            2 │ name = github
              │        ^^^^^^"]],
    );
    check(
        "name = \"x",
        &expect![[r#"
            invalid basic string, expected `"`
              ┌ toml:1:10
            1 │ name = "x
              │          ^"#]],
    );
    check(
        "value = 1\nvalue = 2\n",
        &expect![[r"
            duplicate key
              ┌ toml:2:1
            2 │ value = 2
              │ ^^^^^"]],
    );
    check(
        "[value\nb = 1",
        &expect![[r"
            unclosed table, expected `]`
              ┌ toml:1:7
            1 │ [value
              │       ^"]],
    );
    check(
        "value =\n",
        &expect![[r"
            string values must be quoted, expected literal string
              ┌ toml:1:8
            1 │ value =
              │        ^"]],
    );
    check(
        "value = [1, 2\nname = 3\n",
        &expect![[r"
            missing comma between array elements, expected `,`
              ┌ toml:2:1
            2 │ name = 3
              │ ^"]],
    );
    check(
        "\tä = 1",
        &expect![[r"
            invalid unquoted key, expected letters, numbers, `-`, `_`
              ┌ toml:1:2
            1 │ 	ä = 1
              │ 	^"]],
    );
}

#[test]
fn lines_of_windows_are_shown_without_their_ends() {
    let place = read_toml("value = 1\r\nname = x\r\n").unwrap_err().place.unwrap();
    assert_eq!((place.line, place.column, place.width), (2, 8, 1));
    assert_eq!(place.excerpt, "name = x");
}

#[test]
fn words_are_read_from_flags_too() {
    let read = |text| parse_word::<crate::Surface>(text).map(|_| ());
    assert_eq!(read("flat"), Ok(()));
    assert_eq!(read("flt"), Err("unknown value `flt`; did you mean `flat`?".into()));
    assert_eq!(read("x"), Err("unknown value `x`; there are `flat`, `modules`, `auto`".into()));
}
