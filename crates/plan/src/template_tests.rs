//! Texts with references: read and filled.

use super::*;
use serde_json::json;

#[track_caller]
fn check(value: &Value, expected: Result<Value, &str>) {
    let mut findings = Findings::default();
    let template = Template::read(value, "params", &mut findings);
    let results = json!({
        "a": {"id": "p1", "n": 5, "list": [1], "none": null, "evil": "${b.secret} $${x}"},
        "b": {"secret": "s3cret"},
        "k": "id",
    });
    let results = |id: &str| results.get(id);
    let scope = Scope { results: &results, compacts: &|_| None, item: None };
    let slip = findings.slips.first();
    let slip = slip.map(|(field, slip)| format!("{field} {}: {}", slip.column, slip.message));
    let budget = &mut CopyBudget::new("b", usize::MAX);
    let got = slip.map_or_else(|| template.fill("params", &scope, budget), Err);
    assert_eq!(got, expected.map_err(str::to_owned), "{value}");
}

#[test]
fn a_string_that_is_one_reference_keeps_the_type() {
    check(&json!({"n": "${a.n}"}), Ok(json!({"n": 5})));
    check(&json!(["${a.list}", "${a.none}"]), Ok(json!([[1], null])));
    check(&json!("${ a.n }"), Ok(json!(5)));
    check(&json!("${a.n} "), Ok(json!("5 ")));
    check(&json!("${a.n}${a.n}"), Ok(json!("55")));
    check(&json!("${json(a.list)}"), Ok(json!("[1]")));
}

#[test]
fn text_takes_plain_values_in() {
    check(&json!("page ${a.id}, ${a.n} times"), Ok(json!("page p1, 5 times")));
    check(&json!("設計 ${a.id}"), Ok(json!("設計 p1")));
    check(&json!("all: ${json(a.list)}"), Ok(json!("all: [1]")));
    check(&json!("none: ${a.none ?? \"-\"}"), Ok(json!("none: -")));
    check(
        &json!({"x": {"y": ["", "see ${a.list}"]}}),
        Err(
            "`params.x.y[1]`: `a.list` is a list, which text cannot hold; write ${json(a.list)} for its JSON",
        ),
    );
    check(
        &json!({"x y": "${a.idd}"}),
        Err(
            "`params[\"x y\"]`: `a` has no `idd`; did you mean `id`? it has id, n, list, none, evil",
        ),
    );
}

#[test]
fn dollars_and_braces_are_text() {
    for text in ["$", "$$", "$x", "{}", "}", "a $ {b}", "$ {a}", "{a.id}", "$(a)"] {
        check(&json!(text), Ok(json!(text)));
    }
    check(&json!("$${a.id}"), Ok(json!("${a.id}")));
    check(&json!("$$${a.id}"), Ok(json!("$${a.id}")));
    check(&json!("$${${a.id}}"), Ok(json!("${p1}")));
    check(&json!("$${"), Ok(json!("${")));
    check(&json!(["$${x}", {"k": "$${"}]), Ok(json!(["${x}", {"k": "${"}])));
}

#[test]
fn what_comes_in_is_never_scanned() {
    check(&json!("${a.evil}"), Ok(json!("${b.secret} $${x}")));
    check(&json!("> ${a.evil}"), Ok(json!("> ${b.secret} $${x}")));
    check(&json!("${a.x ?? \"${b.secret}\"}"), Ok(json!("${b.secret}")));
    check(&json!("$${a.x}${a.id}"), Ok(json!("${a.x}p1")));
    check(&json!({"$${k}": "${k}"}), Ok(json!({"${k}": "id"})));
    check(&json!({"$${": 1, "$": 2}), Ok(json!({"${": 1, "$": 2})));
}

#[test]
fn slips_are_found_when_read() {
    check(
        &json!({"q": ["ok", {"x": "日本 ${a.}"}]}),
        Err(
            "params.q[1].x 8: expected a name (an unusual one is written as [\"na me\"]), found `}`; the text `${` is written as `$${`",
        ),
    );
    check(
        &json!("1 ${a"),
        Err("params 3: this `${` is never closed by `}`; the text `${` is written as `$${`"),
    );
    check(
        &json!("${a} ${}"),
        Err("params 8: expected the id of a task, found `}`; the text `${` is written as `$${`"),
    );
    check(
        &json!({"日本 ${k}": 1}),
        Err(
            "params[\"日本 ${k}\"] 4: a key cannot hold a reference; the text `${` is written as `$${`",
        ),
    );
}

#[test]
fn mentions_know_their_place() {
    let mut findings = Findings::default();
    let value = json!({"a": "x ${b.c} ${d ?? 1}", "$${e}": "$${f}"});
    Template::read(&value, "params", &mut findings);
    let got: Vec<(&str, bool, &str, usize)> = findings
        .mentions
        .iter()
        .map(|m| (m.root.as_str(), m.has_default, m.field.as_str(), m.column))
        .collect();
    assert_eq!(got, [("b", false, "params.a", 3), ("d", true, "params.a", 10)]);
}
