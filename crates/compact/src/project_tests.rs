//! What selections take, and what they leave out.

#![expect(
    clippy::needless_pass_by_value,
    reason = "`json!` and `expect!` read best where they are written"
)]

use super::*;
use expect_test::{Expect, expect};
use serde_json::json;

#[track_caller]
fn check(value: Value, select: Value, expected: Expect) {
    let projected = project(&Selection::parse(&select).unwrap(), &value);
    let mut shown = projected.value.to_string();
    let (out, of) = projected.left_out;
    if out > 0 {
        shown = format!("{shown}\nleft out {out} of {of}");
    }
    for (path, near) in projected.nowhere {
        let near = near.map_or_else(String::new, |near| format!(", perhaps {near}"));
        shown = format!("{shown}\nno {path}{near}");
    }
    expected.assert_eq(&shown);
}

fn issue() -> Value {
    json!({"number": 7, "title": "Crash", "user": {"login": "ada", "id": 1}, "body": "…",
           "labels": [{"name": "bug", "id": 1}, {"name": "ui", "id": 2}]})
}

#[test]
fn fields_of_each_item() {
    check(
        json!([issue(), {"number": 8}]),
        json!(["number", "user.login"]),
        expect![[r#"
            [{"number":7,"user.login":"ada"},{"number":8,"user.login":null}]
            left out 4 of 6"#]],
    );
    check(
        json!([issue()]),
        json!(["author: user.login", "labels[*].name", "first: labels[0].name"]),
        expect![[r#"
            [{"author":"ada","labels.name":["bug","ui"],"first":"bug"}]
            left out 5 of 7"#]],
    );
    check(
        json!([issue(), 3, null]),
        json!(["number"]),
        expect![[r#"
            [{"number":7},3,null]
            left out 4 of 5"#]],
    );
    check(json!([]), json!(["number"]), expect!["[]"]);
}

#[test]
fn fields_of_one_object() {
    check(
        json!({"a": 1, "b": {"c": 2, "d": 3}}),
        json!(["b.d", "a"]),
        expect![[r#"
            {"b.d":3,"a":1}
            left out 1 of 3"#]],
    );
    check(json!({"a": 1, "b": 2}), json!(["*"]), expect![[r#"{"a":1,"b":2}"#]]);
}

#[test]
fn an_object_with_a_list_is_no_envelope_when_the_paths_lead_into_it() {
    check(
        issue(),
        json!(["number", "title", "id"]),
        expect![[r#"
            {"number":7,"title":"Crash"}
            left out 3 of 5
            no id"#]],
    );
    check(
        issue(),
        json!(["number", "labels[*].name"]),
        expect![[r#"
            {"number":7,"labels.name":["bug","ui"]}
            left out 4 of 6"#]],
    );
}

#[test]
fn fields_of_the_items_in_an_envelope() {
    let search = json!({"object": "list", "results": [{"object": "page", "id": "a", "x": 1}],
                        "next_cursor": null, "page": {"size": 10, "next": 2}, "ids": [1]});
    check(
        search.clone(),
        json!(["id", "object"]),
        expect![[r#"
            {"object":"list","results":[{"id":"a","object":"page"}],"next_cursor":null}
            left out 3 of 7"#]],
    );
    check(
        search.clone(),
        json!(["results[*].id", "kind: results[*].object"]),
        expect![[r#"
            {"object":"list","results":[{"id":"a","kind":"page"}],"next_cursor":null}
            left out 3 of 7"#]],
    );
    check(
        search,
        json!(["id", "x", "page.next"]),
        expect![[r#"
            {"object":"list","results":[{"id":"a","x":1}],"next_cursor":null,"page.next":2}
            left out 2 of 7"#]],
    );
}

#[test]
fn an_empty_envelope_stays_one() {
    check(
        json!({"object": "list", "results": [], "next_cursor": null}),
        json!(["id", "object"]),
        expect![[r#"{"object":"list","results":[],"next_cursor":null}"#]],
    );
    check(
        json!({"id": 1, "title": "x", "labels": []}),
        json!(["id", "title"]),
        expect![[r#"
            {"id":1,"title":"x"}
            left out 1 of 3"#]],
    );
}

#[test]
fn a_path_to_nowhere_is_named() {
    check(
        json!([{"number": 1, "user": {"login": "a"}}]),
        json!(["numbr", "user.name", "number"]),
        expect![[r#"
            [{"number":1}]
            left out 1 of 2
            no numbr, perhaps number
            no user.name"#]],
    );
    check(
        json!([issue()]),
        json!(["number", "labels.name", "user.logn"]),
        expect![[r#"
            [{"number":7}]
            left out 5 of 6
            no labels.name, perhaps labels[*].name
            no user.logn, perhaps user.login"#]],
    );
}

#[test]
fn what_has_no_fields_stays() {
    check(json!("text"), json!(["id"]), expect![[r#""text""#]]);
    check(json!(7), json!(["id"]), expect!["7"]);
}

/// A line for each result, then the paths that lead nowhere.
#[track_caller]
fn check_each(results: &[Value], select: Value, expected: Expect) {
    let results: Vec<&Value> = results.iter().collect();
    let projected = project_each(&Selection::parse(&select).unwrap(), &results);
    let mut lines: Vec<String> = projected.iter().map(|p| p.value.to_string()).collect();
    let nowhere = projected.iter().flat_map(|p| &p.nowhere);
    lines.extend(nowhere.map(|(path, _)| format!("no {path}")));
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn results_side_by_side_have_the_same_fields() {
    let select = json!(["id", "by: user.login", "nothing"]);
    check_each(
        &[json!({"id": 1, "user": {"login": "ada"}}), json!({"id": 2, "user": null})],
        select.clone(),
        expect![[r#"
            {"id":1,"by":"ada"}
            {"id":2,"by":null}
            no nothing
            no nothing"#]],
    );
    check_each(
        &[
            json!([]),
            json!([{"id": 1, "user": null}]),
            json!([{"id": 2, "user": {"login": "ada"}}]),
            json!(null),
            json!("text"),
        ],
        select.clone(),
        expect![[r#"
            []
            [{"id":1,"by":null}]
            [{"id":2,"by":"ada"}]
            null
            "text"
            no nothing
            no nothing"#]],
    );
    check_each(
        &[
            json!({"total": 0, "rows": []}),
            json!({"total": 1, "rows": [{"id": 1}]}),
            json!({"total": 1, "rows": [{"id": 2, "user": {"login": "ada"}}]}),
        ],
        select,
        expect![[r#"
            {"total":0,"rows":[]}
            {"total":1,"rows":[{"id":1,"by":null}]}
            {"total":1,"rows":[{"id":2,"by":"ada"}]}
            no nothing
            no nothing"#]],
    );
}
