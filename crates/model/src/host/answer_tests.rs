//! Forms as authors write them, and answers good and bad.

use super::*;
use crate::{Message, Role, Sample};

#[test]
fn a_form_is_spelled_out() {
    let check = |given: Value, expected: Result<Value, &str>| {
        let got = form(given.clone());
        assert_eq!(
            got.as_ref().map_err(String::as_str),
            expected.as_ref().map_err(|e| *e),
            "{given}"
        );
    };
    let whole = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    check(whole.clone(), Ok(whole));
    check(
        json!({"name": "string", "age": {"type": "integer", "default": 3}}),
        Ok(json!({
            "type": "object",
            "properties": {"name": {"type": "string"}, "age": {"type": "integer", "default": 3}},
            "required": ["name"],
        })),
    );
    check(json!({}), Ok(json!({"type": "object", "properties": {}})));
    check(
        json!({"colours": {"type": "array", "items": {"type": "string", "enum": ["red"]}}}),
        Ok(json!({
            "type": "object",
            "properties": {"colours": {"type": "array", "items": {"type": "string", "enum": ["red"]}}},
            "required": ["colours"],
        })),
    );
    let not_plain =
        "the field `a` is not plain: a form has strings, numbers, integers, booleans and choices";
    for field in [json!("object"), json!("array"), json!({}), json!(3), json!("text")] {
        check(json!({"a": field}), Err(not_plain));
    }
    check(json!(3), Err("the schema of a form is a dict, not 3"));
}

fn sample() -> Topic {
    Topic::Sample(Sample {
        messages: vec![Message { role: Role::User, content: crate::Content::text("hi") }],
        max_tokens: 9,
        system: None,
        temperature: None,
        stop: Vec::new(),
        models: Vec::new(),
    })
}

#[test]
fn answers_are_read() {
    let ask = |schema: Value| Topic::Form { message: "?".into(), schema: form(schema).unwrap() };
    let name = ask(
        json!({"name": {"type": "string", "minLength": 2}, "n": {"type": "integer", "default": 3}}),
    );
    let page = Topic::Page { message: "?".into(), url: "https://x.org/".into() };
    let check = |topic: &Topic, answer: Value, expected: Result<Value, &str>| {
        let got = topic.read(&answer);
        let got = got.map_err(|unfit| match unfit {
            Unfit::Shape(why) => format!("shape: {why}"),
            Unfit::Content(why) => format!("content: {why}"),
        });
        assert_eq!(
            got.as_ref().map_err(String::as_str),
            expected.as_ref().map_err(|e| *e),
            "{answer}"
        );
    };
    check(
        &name,
        json!({"action": "accept", "content": {"name": "ada"}, "_meta": {}}),
        Ok(json!({"action": "accept", "content": {"name": "ada", "n": 3}})),
    );
    for action in ["decline", "cancel"] {
        let nothing = json!({"action": action, "content": {}});
        check(&name, json!({"action": action}), Ok(nothing.clone()));
        check(&name, json!({"action": action, "content": {"name": 3}}), Ok(nothing));
    }
    check(
        &name,
        json!({"action": "accept", "content": {"name": "a"}}),
        Err("content: `name` \"a\" is shorter than 2 characters"),
    );
    check(&name, json!({"action": "accept"}), Err("content: \"name\" is a required property"));
    let no_action = "shape: an elicitation is answered with an `action`: accept, decline or cancel";
    for answer in [json!(12345), json!(null), json!({}), json!({"action": "yes"})] {
        check(&name, answer, Err(no_action));
    }
    check(&name, json!({"action": "accept", "content": [1]}), Err("shape: `content` is an object"));
    check(&page, json!({"action": "accept"}), Ok(json!({"action": "accept", "content": {}})));
    let two = json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
    check(
        &sample(),
        json!({"role": "assistant", "content": two, "model": "m", "stopReason": "endTurn"}),
        Ok(
            json!({"role": "assistant", "content": two, "model": "m", "stopReason": "endTurn", "text": "a\nb"}),
        ),
    );
    let no_model = "shape: a model's answer has a `role`, a `model` and `content`";
    for answer in [
        json!({"role": "assistant", "content": "x", "model": "m"}),
        json!({"role": "assistant", "content": {"type": "text", "text": "x"}}),
        json!({"action": "accept"}),
    ] {
        check(&sample(), answer, Err(no_model));
    }
    check(
        &Topic::Roots,
        json!({"roots": [{"uri": "file:///a", "name": "A"}, {"uri": "file:///b"}]}),
        Ok(json!([{"uri": "file:///a", "name": "A"}, {"uri": "file:///b", "name": null}])),
    );
    for answer in [json!({}), json!({"roots": [{}]}), json!({"roots": 3})] {
        check(&Topic::Roots, answer, Err("shape: roots are a list of objects with a `uri`"));
    }
}
