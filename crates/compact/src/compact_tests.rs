//! Answers as they are sent, for each kind of wish.

#![expect(
    clippy::needless_pass_by_value,
    reason = "`json!` and `expect!` read best where they are written"
)]

use super::*;
use crate::corpus;
use expect_test::{Expect, expect};
use serde_json::json;

const WISH: Wish<'_> =
    Wish { format: None, select: None, declared: None, budget: 20_000, ways: Ways::CALL };

fn selection(select: Value) -> Selection {
    Selection::parse(&select).unwrap()
}

#[track_caller]
fn check(answer: &Compact, expected: Expect) {
    expected.assert_eq(&answer.text());
}

fn issues(count: usize) -> Value {
    (0..count)
        .map(|n| {
            json!({"number": n, "title": format!("Issue {n}"), "body": "long ".repeat(20),
                   "url": format!("https://example.com/issues/{n}"), "milestone": null,
                   "user": {"login": "ada", "id": 7}})
        })
        .collect()
}

/// What a client reads of each kind of result, as the text of its first block.
#[test]
fn each_kind_of_result_has_its_text() {
    for (value, expected) in [
        (json!("a text"), "a text"),
        (json!(""), ""),
        (json!("2026"), "(text)\n2026"),
        (json!("[1, 2]"), "(text)\n[1, 2]"),
        (json!("{\"a\": 1}"), "{\"a\": 1}"),
        (json!("\"quoted\""), "(text)\n\"quoted\""),
        (json!(5), "(json)\n5"),
        (json!(-1.5), "(json)\n-1.5"),
        (json!(true), "(json)\ntrue"),
        (json!(null), "(json)\nnull"),
        (json!([]), "(json)\n[]"),
        (json!(["a", "b", "c"]), "[3]: a,b,c"),
        (json!([1, 2, 3]), "(json)\n[1,2,3]"),
        (json!([[1, 2], {"a": 3}]), "(json)\n[[1,2],{\"a\":3}]"),
        (json!([{"a": 1}, {"a": 2}]), "(json)\n[{\"a\":1},{\"a\":2}]"),
        (
            json!([{"id": "a", "name": "x"}, {"id": "b", "name": "y"}, {"id": "c", "name": "z"}]),
            "[3]{id,name}:\n  a,x\n  b,y\n  c,z",
        ),
        (json!({}), "{}"),
        (json!({"a": 1}), "a: 1"),
        (json!({"a": {"b": [1, {"c": 2}]}}), "{\"a\":{\"b\":[1,{\"c\":2}]}}"),
    ] {
        let answer = compact(&value, None, &WISH);
        assert_eq!(answer.text(), expected, "{value}");
        assert_eq!(answer.note, None, "{value}");
        assert!(!is_bare_json(&answer.text()), "{value}");
    }
}

#[test]
fn rows_become_a_table_and_the_line_says_what_is_missing() {
    let declared = selection(json!(["number", "title", "by: user.login"]));
    let wish = Wish { declared: Some(&declared), ..WISH };
    check(
        &compact(&issues(4), None, &wish),
        expect![[r#"
            (toon; 4 of 7 fields left out, all with output: "json")
            [4]{number,title,by}:
              0,Issue 0,ada
              1,Issue 1,ada
              2,Issue 2,ada
              3,Issue 3,ada"#]],
    );
}

#[test]
fn the_callers_fields_win_over_the_authors() {
    let declared = selection(json!(["number", "title"]));
    let select = selection(json!(["number", "link: url"]));
    let wish = Wish { declared: Some(&declared), select: Some(&select), ..WISH };
    check(
        &compact(&issues(4), Some(&json!("the author's")), &wish),
        expect![[r#"
            (json; 4 of 6 fields left out, all with output: "json")
            [{"number":0,"link":"https://example.com/issues/0"},{"number":1,"link":"https://example.com/issues/1"},{"number":2,"link":"https://example.com/issues/2"},{"number":3,"link":"https://example.com/issues/3"}]"#]],
    );
}

#[test]
fn items_of_the_authors_fields_can_be_asked_for() {
    let declared = selection(json!(["number", "title"]));
    let select = selection(json!(["[2:5]"]));
    let wish = Wish { declared: Some(&declared), select: Some(&select), ..WISH };
    check(
        &compact(&issues(9), None, &wish),
        expect![[r#"
            (toon; 4 of 6 fields left out, all with output: "json"; items 3 to 5 of 9, 4 more with select "[5:]")
            [3]{number,title}:
              2,Issue 2
              3,Issue 3
              4,Issue 4"#]],
    );
}

#[test]
fn json_is_the_whole_answer() {
    let declared = selection(json!(["number"]));
    let wish = Wish { declared: Some(&declared), format: Some(Format::Json), ..WISH };
    let answer = compact(&issues(2), Some(&json!("the author's")), &wish);
    assert_eq!(answer.body, issues(2).to_string());
    assert_eq!(answer.text(), format!("(json)\n{}", issues(2)));
    let every = selection(json!(["*"]));
    let wish = Wish { select: Some(&every), format: None, ..wish };
    let answer = compact(&json!({"number": 1, "b": "c"}), None, &wish);
    assert_eq!(answer.text(), "number: 1\nb: c");
}

#[test]
fn a_declaration_that_saves_nothing_is_not_followed() {
    let declared = selection(json!(["a"]));
    let wish = Wish { declared: Some(&declared), ..WISH };
    check(
        &compact(&json!({"a": 1, "b": 2}), None, &wish),
        expect![[r"
            a: 1
            b: 2"]],
    );
    // What a caller asks for he gets.
    let wish = Wish { select: Some(&declared), declared: None, format: Some(Format::Json), ..WISH };
    check(
        &compact(&json!({"a": 1, "b": 2}), None, &wish),
        expect![[r#"
            (json; 1 of 2 fields left out, all with output: "json")
            {"a":1}"#]],
    );
    let larger = json!({"something": "longer than what it was made of, by far"});
    check(
        &compact(&json!({"a": 1, "b": 2}), Some(&larger), &WISH),
        expect![[r"
            a: 1
            b: 2"]],
    );
}

#[test]
fn the_authors_text_is_sent_as_it_is() {
    let page = "# タイトル\n\nこれは本文です。\n\n- リスト項目1\n- リスト項目2\n\n```code\nfunction example() {}\n```";
    for format in [None, Some(Format::Toon), Some(Format::Markdown)] {
        let wish = Wish { format, ..WISH };
        let answer = compact(&issues(3), Some(&json!(page)), &wish);
        assert_eq!(answer.body, page);
        assert_eq!(answer.format, Format::Markdown);
        assert_eq!(
            answer.note.as_deref(),
            Some(r#"(markdown; shortened by the tool, all with output: "json")"#)
        );
    }
}

#[test]
fn the_authors_value_goes_on_to_the_notations() {
    let made = json!({"pages": [
        {"id": "abc123", "title": "設計ドキュメント", "type": "page"},
        {"id": "def456", "title": "API仕様", "type": "page"},
        {"id": "ghi789", "title": "DB設計", "type": "database"},
    ]});
    let answer = compact(&corpus::read("payloads/notion_search.json"), Some(&made), &WISH);
    check(
        &answer,
        expect![[r#"
            (toon; shortened by the tool, all with output: "json")
            pages[3]{id,title,type}:
              abc123,設計ドキュメント,page
              def456,API仕様,page
              ghi789,DB設計,database"#]],
    );
}

#[test]
fn a_format_can_be_named() {
    let rows = json!([{"id": 1, "n": null}, {"id": 2, "n": null}]);
    let named = |format| compact(&rows, None, &Wish { format: Some(format), ..WISH });
    check(
        &named(Format::Json),
        expect![[r#"
            (json)
            [{"id":1,"n":null},{"id":2,"n":null}]"#]],
    );
    check(
        &named(Format::Toon),
        expect![[r"
            [2]{id,n}:
              1,null
              2,null"]],
    );
    check(
        &named(Format::Markdown),
        expect![[r"
            | id | n |
            | --- | --- |
            | 1 | null |
            | 2 | null |"]],
    );
    let large: Value = serde_json::from_str("[123456789012345678901234567890]").unwrap();
    let wish = Wish { format: Some(Format::Toon), ..WISH };
    check(
        &compact(&large, None, &wish),
        expect![[r"
            (json; TOON cannot hold the number 123456789012345678901234567890)
            [123456789012345678901234567890]"]],
    );
    assert_eq!("toon".parse(), Ok(Format::Toon));
    assert_eq!(
        "yaml".parse::<Format>(),
        Err("`yaml` is not a format; write `compact`, `json`, `toon` or `markdown`".into())
    );
}

#[test]
fn columns_of_nulls_are_dropped_and_named_where_that_pays() {
    let row = |n: usize| json!({"id": n, "state": "open", "closed_at": null, "milestone": null});
    let rows: Value = (0..30).map(row).collect();
    let answer = compact(&rows, None, &WISH);
    assert_eq!(answer.note.as_deref(), Some("(toon; null in [*]: closed_at, milestone)"));
    assert!(answer.body.starts_with("[30]{id,state}:\n  0,open\n  1,open\n"));
    check(
        &compact(&json!([{"id": 1, "a": null}]), None, &WISH),
        expect![[r"
            [1]{id,a}:
              1,null"]],
    );
}

#[test]
fn a_document_is_markdown() {
    let body =
        "It \"fails\" at start.\n\n## Steps\n\n1. start\n2. look\n\n```\n{\"a\": \"b\"}\n```\n";
    let issue = json!({"number": 7, "title": "Crash", "state": "open", "body": body.repeat(3)});
    let answer = compact(&issue, None, &WISH);
    assert_eq!(answer.format, Format::Markdown);
    assert!(
        answer
            .body
            .starts_with("number: 7\ntitle: Crash\nstate: open\nbody:\n\nIt \"fails\" at start.\n"),
        "{}",
        answer.body
    );
}

#[test]
fn a_text_is_an_answer() {
    check(&compact(&json!("hello \"ada\""), None, &WISH), expect![[r#"hello "ada""#]]);
    check(
        &compact(&json!("# Title\n- x"), None, &WISH),
        expect![[r"
        # Title
        - x"]],
    );
    let wish = Wish { format: Some(Format::Json), ..WISH };
    check(
        &compact(&json!("hello"), None, &wish),
        expect![[r#"
            (json)
            "hello""#]],
    );
}

#[test]
fn over_the_budget_whole_items_are_left_and_the_rest_is_counted() {
    let wish = Wish { budget: 200, ..WISH };
    let rows: Value = (0..3000).map(|n| json!({"id": n, "name": format!("user {n}")})).collect();
    for format in [None, Some(Format::Json), Some(Format::Toon), Some(Format::Markdown)] {
        let answer = compact(&rows, None, &Wish { format, ..wish });
        assert!(answer.tokens <= 200 && answer.tokens > 100, "{answer:?}");
        let note = answer.note.unwrap();
        let to: usize =
            note.split("items 1 to ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        let rest = 3000 - to;
        let rest = format!("{},{:03}", rest / 1000, rest % 1000);
        assert_eq!(
            note,
            format!(
                "({}; items 1 to {to} of 3,000, {rest} more with select \"[{to}:]\")",
                answer.format
            )
        );
        if answer.format == Format::Json {
            let items: Vec<Value> = serde_json::from_str(&answer.body).unwrap();
            assert_eq!(items.len(), to);
        }
        // What the line says gives what comes next.
        let next = selection(json!([format!("[{to}:]")]));
        let more = compact(&rows, None, &Wish { select: Some(&next), format, ..wish });
        assert!(more.body.contains(&format!("user {to}")), "{}", more.body);
        assert!(!more.body.contains(&format!("user {}\"", to - 1)), "{}", more.body);
        assert!(more.note.unwrap().contains(&format!("items {} to ", to + 1)));
    }
}

#[test]
fn in_an_envelope_the_items_are_cut() {
    let wish = Wish { budget: 150, format: Some(Format::Json), ..WISH };
    let value = json!({"total": 500, "results": issues(500)});
    let answer = compact(&value, None, &wish);
    assert!(answer.tokens <= 150, "{answer:?}");
    let cut: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(cut["total"], 500);
    let left = cut["results"].as_array().unwrap().len();
    assert!(left > 0);
    assert!(answer.note.unwrap().contains(&format!("items 1 to {left} of 500")));
}

#[test]
fn texts_are_cut_at_lines_and_other_things_where_they_are_heavy() {
    let wish = Wish { budget: 100, ..WISH };
    let line = "one two three four five\n";
    let answer = compact(&json!(line.repeat(400)), None, &wish);
    assert!(answer.tokens <= 100 && answer.body.ends_with("five"), "{answer:?}");
    // The last line is kept besides.
    let kept = answer.body.lines().count() - 1;
    assert!(answer.note.unwrap().starts_with(&format!("(text; lines 1 to {kept} of 400, ")));

    let goes_on = format!("{}go on with page = 2\n", line.repeat(400));
    let answer = compact(&json!(goes_on), None, &wish);
    assert!(answer.tokens <= 100, "{answer:?}");
    assert!(answer.body.ends_with("five\ngo on with page = 2"), "{answer:?}");

    let one_line = compact(&json!("word ".repeat(4000)), None, &wish);
    assert!(one_line.tokens <= 100, "{one_line:?}");
    assert!(one_line.note.unwrap().starts_with("(text; cut after "));

    let deep = json!({"id": 1, "page": {"title": "x", "text": "word ".repeat(4000)}});
    let deep = compact(&deep, None, &Wish { format: Some(Format::Json), ..wish });
    assert!(deep.tokens <= 100, "{deep:?}");
    assert!(deep.note.unwrap().starts_with("(json; `page.text` cut after "));
    let page: Value = serde_json::from_str(&deep.body).unwrap();
    assert_eq!(page["page"]["title"], "x");

    let wide: serde_json::Map<String, Value> =
        (0..900).map(|n| (format!("key{n}"), json!(n))).collect();
    let wide = compact(&Value::Object(wide), None, &wish);
    assert!(wide.tokens <= 100, "{wide:?}");
    assert!(wide.note.unwrap().contains("cut after "));
}

#[test]
fn no_budget_is_too_small_to_answer() {
    for budget in [0, 1, 20] {
        for value in
            [issues(3), json!("x y z\n".repeat(50)), json!({"a": {"b": [1, 2, 3]}}), json!(7)]
        {
            let answer = compact(&value, None, &Wish { budget, ..WISH });
            assert!(answer.tokens < 60, "{budget}: {answer:?}");
        }
    }
}
