//! Results of a `foreach`: each shaped as a call by itself, all in one text.

#![expect(
    clippy::needless_pass_by_value,
    reason = "`json!` and `expect!` read best where they are written"
)]

use super::*;
use expect_test::{Expect, expect};
use serde_json::json;
use toon_format::decode_default;

const WISH: Wish<'_> =
    Wish { format: None, select: None, declared: None, budget: 20_000, ways: Ways::BATCH };

fn selection(select: Value) -> Selection {
    Selection::parse(&select).unwrap()
}

fn issues(first: usize, count: usize) -> Value {
    (first..first + count)
        .map(|n| {
            json!({"number": n, "title": format!("Issue {n}"), "body": "long ".repeat(20),
                   "user": {"login": "ada", "id": 7}})
        })
        .collect()
}

fn page(first: usize, count: usize) -> Value {
    json!({"total": count, "results": issues(first, count), "links": {"next": null}})
}

#[track_caller]
fn check(answer: &Compact, expected: Expect) {
    expected.assert_eq(&answer.text());
}

#[test]
fn each_result_has_the_declared_fields() {
    let declared = selection(json!(["number", "by: user.login"]));
    let wish = Wish { declared: Some(&declared), ..WISH };
    check(
        &compact_each(&[issues(1, 2), issues(7, 3), json!([])], &[], &wish),
        expect![[r#"
            (json; 3 of 5 fields left out, all with raw_output: true)
            [[{"number":1,"by":"ada"},{"number":2,"by":"ada"}],[{"number":7,"by":"ada"},{"number":8,"by":"ada"},{"number":9,"by":"ada"}],[]]"#]],
    );
    check(
        &compact_each(&[page(1, 2), page(7, 3)], &[], &wish),
        expect![[r#"
            (json; 4 of 7 fields left out, all with raw_output: true)
            [{"total":2,"results":[{"number":1,"by":"ada"},{"number":2,"by":"ada"}]},{"total":3,"results":[{"number":7,"by":"ada"},{"number":8,"by":"ada"},{"number":9,"by":"ada"}]}]"#]],
    );
    let objects: Vec<Value> = (0..4).map(|n| issues(n, 1)[0].clone()).collect();
    check(
        &compact_each(&objects, &[], &wish),
        expect![[r"
            (toon; 3 of 5 fields left out, all with raw_output: true)
            [4]{number,by}:
              0,ada
              1,ada
              2,ada
              3,ada"]],
    );
}

#[test]
fn callers_fields_win_over_declared_and_made() {
    let declared = selection(json!(["number"]));
    let select = selection(json!(["title", "nothing"]));
    let wish = Wish { declared: Some(&declared), select: Some(&select), ..WISH };
    let made = [Some(json!("the author's")), Some(json!("the author's"))];
    check(
        &compact_each(&[issues(1, 2), issues(7, 1)], &made, &wish),
        expect![[r#"
            (json; 3 of 4 fields left out, all with raw_output: true; no `nothing`)
            [[{"title":"Issue 1"},{"title":"Issue 2"}],[{"title":"Issue 7"}]]"#]],
    );
}

#[test]
fn authors_function_shapes_each_result() {
    let made = [Some(json!({"numbers": [1, 2]})), None, Some(json!({"numbers": [7]}))];
    check(
        &compact_each(&[issues(1, 2), json!(null), issues(7, 1)], &made, &WISH),
        expect![[r#"
            (json; shortened by the tool, all with raw_output: true)
            [{"numbers":[1,2]},null,{"numbers":[7]}]"#]],
    );
}

#[test]
fn long_texts_stand_one_below_the_other() {
    let page = |name: &str| format!("# {name}\n\n{}", "Say \"hello\".\n\n".repeat(20));
    let pages = ["One", "Two"].map(page);
    let made = pages.clone().map(|page| Some(json!(page)));
    let answer = compact_each(&[issues(1, 2), issues(7, 1)], &made, &WISH);
    assert_eq!(answer.body, format!("[0]\n{}\n[1]\n{}", pages[0], pages[1]));
    let note =
        "(markdown; each result after its index; shortened by the tool, all with raw_output: true)";
    assert_eq!(answer.note.as_deref(), Some(note));
}

/// A result that the author's function failed on has the declared fields, as it has by itself.
#[test]
fn result_without_a_made_value_has_the_declared_fields() {
    let declared = selection(json!(["number"]));
    let wish = Wish { declared: Some(&declared), ..WISH };
    let made = [Some(json!("two issues")), None];
    check(
        &compact_each(&[issues(1, 2), issues(7, 1)], &made, &wish),
        expect![[r#"
            (json; 3 of 4 fields left out, all with raw_output: true; shortened by the tool, all with raw_output: true)
            ["two issues",[{"number":7}]]"#]],
    );
}

#[test]
fn shape_that_saves_nothing_is_not_used() {
    let declared = selection(json!(["a"]));
    let wish = Wish { declared: Some(&declared), ..WISH };
    for results in [vec![], vec![json!({"a": 1, "b": 2})], vec![json!(null)]] {
        let answer = compact_each(&results, &[], &wish);
        assert_eq!(answer.note, None);
    }
    let made = [Some(json!({"something": "longer than what it was made of"}))];
    let answer = compact_each(&[json!({"a": 1})], &made, &WISH);
    assert_eq!(answer.text(), "(json)\n[{\"a\":1}]");
    assert_eq!(compact_each(&[], &[], &WISH).text(), "(json)\n[]");
}

#[test]
fn items_are_taken_from_each_result() {
    let declared = selection(json!(["number"]));
    let select = selection(json!(["[1:3]"]));
    let wish = Wish { declared: Some(&declared), select: Some(&select), ..WISH };
    check(
        &compact_each(&[issues(0, 9), issues(50, 2), json!("a\nb\nc\nd")], &[], &wish),
        expect![[r#"
            (json; 3 of 4 fields left out, all with raw_output: true; items 2 to 3 of up to 9 in each result, up to 6 more with select "[3:]"; lines 2 to 3 of up to 4 in each result, up to 1 more with select "[3:]")
            [[{"number":1},{"number":2}],[{"number":51}],"b\nc"]"#]],
    );
}

#[test]
fn results_over_the_budget_are_cut_at_whole_results() {
    let declared = selection(json!(["number", "title"]));
    let wish = Wish { declared: Some(&declared), budget: 150, ..WISH };
    let results: Vec<Value> = (0..40).map(|n| issues(n * 10, 4)).collect();
    check(
        &compact_each(&results, &[], &wish),
        expect![[r#"
            (json; 2 of 4 fields left out, all with raw_output: true; results 1 to 2 of 40, 38 more with a shorter `foreach`)
            [[{"number":0,"title":"Issue 0"},{"number":1,"title":"Issue 1"},{"number":2,"title":"Issue 2"},{"number":3,"title":"Issue 3"}],[{"number":10,"title":"Issue 10"},{"number":11,"title":"Issue 11"},{"number":12,"title":"Issue 12"},{"number":13,"title":"Issue 13"}]]"#]],
    );
    // One result that is too long by itself is cut inside.
    let answer = compact_each(&[issues(0, 900), issues(1000, 2)], &[], &wish);
    assert!(answer.tokens <= 150, "{answer:?}");
    let note = answer.note.unwrap();
    assert!(note.contains("results 1 to 1 of 2, 1 more with a shorter `foreach`"), "{note}");
    assert!(note.contains("`[0]` cut after "), "{note}");
}

#[test]
fn each_result_equals_the_call_by_itself() {
    let results = [
        issues(1, 3),
        page(5, 2),
        json!([]),
        json!({"number": 1, "user": {"login": "ada"}}),
        json!("text"),
        json!(null),
        json!([1, 2]),
    ];
    let declared = selection(json!(["number", "by: user.login"]));
    let select = selection(json!(["user.login", "[1:]"]));
    for select in [None, Some(&select)] {
        let wish = Wish { declared: Some(&declared), select, format: Some(Format::Toon), ..WISH };
        let decode = |answer: Compact| match answer.format {
            Format::Toon => decode_default::<Value>(&answer.body).unwrap(),
            _ => json!(answer.body),
        };
        let alone = results.iter().map(|result| decode(compact(result, None, &wish)));
        let alone: Vec<Value> = alone.collect();
        assert_eq!(decode(compact_each(&results, &[], &wish)), json!(alone));
    }
}
