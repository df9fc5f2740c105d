//! What functions give, as messages.

use super::*;
use expect_test::{Expect, expect};
use serde_json::json;

#[track_caller]
fn check(given: Value, expected: &Expect) {
    let shown = match Conversation::read(given) {
        Ok(conversation) => serde_json::to_string(&conversation).unwrap(),
        Err(why) => format!("error: {why}"),
    };
    expected.assert_eq(&shown);
}

#[test]
fn messages_in_every_form() {
    check(
        json!("hi"),
        &expect![[r#"{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}"#]],
    );
    check(
        json!(["a", {"role": "assistant", "content": "b"}, {"type": "image", "data": "aGk=", "mimeType": "image/png"}]),
        &expect![[
            r#"{"messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"assistant","content":{"type":"text","text":"b"}},{"role":"user","content":{"type":"image","data":"aGk=","mimeType":"image/png"}}]}"#
        ]],
    );
    check(
        json!({"description": "D", "messages": [{"role": "user", "content": {"type": "resource", "resource": {"uri": "a://b", "text": "x"}}}]}),
        &expect![[
            r#"{"description":"D","messages":[{"role":"user","content":{"type":"resource","resource":{"uri":"a://b","text":"x"}}}]}"#
        ]],
    );
    check(
        json!({"role": "assistant", "content": "b"}),
        &expect![[r#"{"messages":[{"role":"assistant","content":{"type":"text","text":"b"}}]}"#]],
    );
    check(json!([]), &expect![[r#"{"messages":[]}"#]]);
}

#[test]
fn mistakes_are_named() {
    check(
        json!(null),
        &expect![[
            r#"error: None is no message; return a string, a list of messages or {"messages": [...]}"#
        ]],
    );
    check(
        json!(3),
        &expect![[
            r#"error: 3 is no message; return a string, a list of messages or {"messages": [...]}"#
        ]],
    );
    check(
        json!({"message": "x"}),
        &expect![[
            r#"error: the dict has no `messages`; return a string, a list of messages or {"messages": [...]}"#
        ]],
    );
    check(json!({"messages": "x"}), &expect!["error: `messages` must be a list"]);
    check(
        json!({"messages": [], "description": 3}),
        &expect!["error: `description` must be a string"],
    );
    check(
        json!(["a", 3]),
        &expect!["error: messages[1] is neither a string nor a content block: 3"],
    );
    check(
        json!([{"role": "asistant", "content": "x"}]),
        &expect![[r#"error: messages[0] has the role "asistant"; did you mean "assistant"?"#]],
    );
    check(
        json!([{"role": "system", "content": "x"}]),
        &expect![[r#"error: messages[0] has the role "system"; write "user" or "assistant""#]],
    );
    check(
        json!([{"content": "x"}]),
        &expect![[r#"error: messages[0] has no `role`; write "user" or "assistant""#]],
    );
    check(json!([{"role": "user"}]), &expect!["error: messages[0] has no `content`"]);
    check(
        json!([{"role": "user", "content": {"type": "text"}}]),
        &expect![
            "error: messages[0] has a `content` that is not a content block: missing field `text`"
        ],
    );
}
