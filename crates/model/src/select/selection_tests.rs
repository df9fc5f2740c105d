//! Every form of `select`, and every way to get it wrong.

#![expect(
    clippy::needless_pass_by_value,
    reason = "`json!` and `expect!` read best where they are written"
)]

use super::*;
use expect_test::{Expect, expect};
use serde_json::json;

fn show(selection: &Selection) -> String {
    let mut parts: Vec<String> =
        selection.picks.iter().map(|pick| format!("{} <- {}", pick.name, pick.path)).collect();
    parts.extend(selection.all.then(|| "all".to_owned()));
    parts.extend(selection.items.as_ref().map(|items| format!("{items:?}")));
    parts.join("; ")
}

#[track_caller]
fn check(select: Value, expected: Expect) {
    expected.assert_eq(&match Selection::parse(&select) {
        Ok(selection) => show(&selection),
        Err(error) => format!("error: {error}"),
    });
}

#[test]
fn fields_are_read() {
    check(
        json!(["number", "user.login", "labels[*].name"]),
        expect!["number <- number; user.login <- user.login; labels.name <- labels[*].name"],
    );
    check(
        json!(["author: user.login", "first:labels[0].name"]),
        expect!["author <- user.login; first <- labels[0].name"],
    );
    check(
        json!([" id ", "due: properties[\"Due: date\"].date"]),
        expect![[r#"id <- id; due <- properties["Due: date"].date"#]],
    );
    check(json!(["[*].id"]), expect!["id <- id"]);
}

#[test]
fn one_text_is_split_at_commas() {
    check(
        json!("number, author: user.login,p[\"a,b\"]"),
        expect![[r#"number <- number; author <- user.login; p.a,b <- p["a,b"]"#]],
    );
    check(
        json!("a,,b"),
        expect![
            "error: `` in `select` names nothing; write a field such as `title` or `user.login`"
        ],
    );
}

#[test]
fn every_field_and_some_items_can_be_asked_for() {
    check(json!(["*"]), expect!["all"]);
    check(json!(["[20:]"]), expect!["20..18446744073709551615"]);
    check(json!(["id", "[20:40]"]), expect!["id <- id; 20..40"]);
    check(json!(["*", "[:5]"]), expect!["all; 0..5"]);
    check(json!(["[1:2]", "[3:]"]), expect!["error: `select` says twice which items"]);
    check(
        json!(["[a:]"]),
        expect![
            "error: `[a:]` in `select` has `[a:]`; between brackets stands `*`, a number, or a name in quotes"
        ],
    );
}

#[test]
fn what_is_wrong_is_said() {
    check(
        json!(7),
        expect![[
            r#"error: `select` is a list of fields such as ["title", "author: user.login"], not 7"#
        ]],
    );
    check(
        json!(["id", {"a": 1}]),
        expect![[
            r#"error: `select` is a list of fields such as ["title", "author: user.login"], not one with {"a":1} in it"#
        ]],
    );
    check(
        json!([]),
        expect![[r#"error: `select` is empty; leave it out, or write ["*"] for every field"#]],
    );
    check(
        json!(["user..login"]),
        expect!["error: `user..login` in `select` has a dot that no field follows"],
    );
    check(json!([": id"]), expect!["error: `: id` in `select` has no name before its colon"]);
    check(
        json!(["labels[0].name"]),
        expect![[
            r#"error: `labels[0].name` in `select` takes one item and needs a name: "name: labels[0].name""#
        ]],
    );
    check(
        json!(["id", "id: user.id"]),
        expect![[r#"error: `select` takes two fields as `id`; rename one: "other: user.id""#]],
    );
}
