//! What functions give, as documents.

use super::*;
use expect_test::{Expect, expect};
use serde_json::json;

#[track_caller]
fn check(given: Value, expected: &Expect) {
    let shown = match contents(given, "a://b", None) {
        Ok(all) => {
            all.iter().map(|one| serde_json::to_string(one).unwrap()).collect::<Vec<_>>().join("\n")
        }
        Err(why) => format!("error: {why}"),
    };
    expected.assert_eq(&shown);
}

#[test]
fn texts_and_documents() {
    check(json!("hi"), &expect![[r#"{"uri":"a://b","mimeType":"text/plain","text":"hi"}"#]]);
    check(
        json!({"text": "# hi", "mimeType": "text/markdown", "uri": "a://c"}),
        &expect![[r##"{"uri":"a://c","mimeType":"text/markdown","text":"# hi"}"##]],
    );
    check(
        json!({"blob": "aGk=", "_meta": {"k": 1}}),
        &expect![[
            r#"{"uri":"a://b","mimeType":"application/octet-stream","blob":"aGk=","_meta":{"k":1}}"#
        ]],
    );
    check(
        json!({"blob": "aGk=", "mime": "image/png"}),
        &expect![[r#"{"uri":"a://b","mimeType":"image/png","blob":"aGk="}"#]],
    );
}

#[test]
fn several() {
    let two = json!([{"text": "a"}, {"text": "b", "uri": "a://2"}]);
    let expected = &expect![[r#"
        {"uri":"a://b","mimeType":"text/plain","text":"a"}
        {"uri":"a://2","mimeType":"text/plain","text":"b"}"#]];
    check(two.clone(), expected);
    check(json!({"contents": two}), expected);
    check(
        json!({"contents": ["a"]}),
        &expect![[r#"{"uri":"a://b","mimeType":"text/plain","text":"a"}"#]],
    );
    check(json!({"contents": []}), &expect![""]);
}

#[test]
fn blocks_are_documents_too() {
    check(
        json!({"type": "image", "data": "aGk=", "mimeType": "image/png"}),
        &expect![[r#"{"uri":"a://b","mimeType":"image/png","blob":"aGk="}"#]],
    );
    check(
        json!([{"type": "text", "text": "hi"}, {"type": "resource", "resource": {"uri": "x://y", "text": "z"}}]),
        &expect![[r#"
            {"uri":"a://b","mimeType":"text/plain","text":"hi"}
            {"uri":"x://y","mimeType":"text/plain","text":"z"}"#]],
    );
}

#[test]
fn other_data_is_json() {
    check(
        json!({"text": "hi", "author": "ada"}),
        &expect![[
            r#"{"uri":"a://b","mimeType":"application/json","text":"{\"text\":\"hi\",\"author\":\"ada\"}"}"#
        ]],
    );
    check(
        json!([1, 2]),
        &expect![[r#"{"uri":"a://b","mimeType":"application/json","text":"[1,2]"}"#]],
    );
    check(json!([]), &expect![[r#"{"uri":"a://b","mimeType":"application/json","text":"[]"}"#]]);
    check(
        json!({"contents": 3, "pages": 2}),
        &expect![[
            r#"{"uri":"a://b","mimeType":"application/json","text":"{\"contents\":3,\"pages\":2}"}"#
        ]],
    );
}

#[test]
fn what_the_resource_declares_is_the_default() {
    let mime =
        |given: Value| contents(given, "a://b", Some("text/csv")).unwrap()[0].mime_type.clone();
    assert_eq!(mime(json!("a,b")), "text/csv");
    assert_eq!(mime(json!({"a": 1})), "text/csv");
    assert_eq!(mime(json!({"text": "x", "mimeType": "text/html"})), "text/html");
}

#[test]
fn mistakes_are_named() {
    check(json!(null), &expect!["error: None is no document; return a string, a dict or a list"]);
    check(json!(3), &expect!["error: 3 is no document; return a string, a dict or a list"]);
    check(json!({"blob": "a b"}), &expect!["error: the document has a `blob` that is not base64"]);
    check(
        json!({"text": "a", "blob": "aGk="}),
        &expect!["error: the document has both `text` and `blob`"],
    );
    check(
        json!({"text": "a", "mimeType": 3}),
        &expect!["error: the document has a `mimeType` that is no string"],
    );
    check(
        json!({"contents": [{"text": "a"}, 3]}),
        &expect!["error: contents[1] must be a dict with `text` or `blob`, not 3"],
    );
    check(
        json!({"contents": [{"uri": "a://x"}]}),
        &expect!["error: contents[0] has neither `text` nor `blob`"],
    );
    check(json!({"contents": {"text": "x"}}), &expect!["error: `contents` must be a list"]);
}
