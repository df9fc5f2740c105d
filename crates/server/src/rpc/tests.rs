//! What a text is taken for, and what is said of one that cannot be.

use super::*;

fn describe(text: &str) -> String {
    match parse(text.as_bytes()) {
        Ok(Message::Nothing) => "nothing".to_owned(),
        Ok(Message::Request(request)) => format!("request {} {}", request.id, request.method),
        Ok(Message::Notification(notification)) => format!("notification {}", notification.method),
        Ok(Message::Response(response)) => {
            format!("response {} {:?}", response.id, response.result)
        }
        Err(refusal) => {
            let id = serde_json::to_string(&refusal.id).unwrap();
            format!("{id} {} {}", refusal.error.code.0, refusal.error.message)
        }
    }
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(describe(text), expected, "{text}");
}

#[test]
fn messages_are_recognized() {
    check("", "nothing");
    check("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", "request 1 ping");
    check(r#"{"jsonrpc":"2.0","id":"a","method":"tools/list"}"#, "request a tools/list");
    check(
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "notification notifications/initialized",
    );
    check(
        r#"{"jsonrpc":"2.0","method":"notifications/odd","params":"\ud800"}"#,
        "notification notifications/odd",
    );
    check(r#"{"jsonrpc":"2.0","id":3,"result":{}}"#, "response 3 Ok(Object {})");
    check(
        r#"{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"no"}}"#,
        "response 3 Err(\"no\")",
    );
}

#[test]
fn what_is_wrong_is_named() {
    for (text, expected) in [
        ("{", "null -32700 this is not JSON: it ends within an object at line 1 column 1"),
        (
            r#"{"jsonrpc":"2.0","id":8,"method":"#,
            "8 -32700 this is not JSON: it ends within a value at line 1 column 33",
        ),
        (
            "nonsense",
            "null -32700 this is not JSON: expected `true`, `false` or `null` at line 1 column 2",
        ),
        ("[1]", "null -32600 only revision 2025-03-26 has batches; send one message at a time"),
        ("3", "null -32600 a message is an object, not a number"),
        ("null", "null -32600 a message is an object, not null"),
        (
            r#"{"jsonrpc":"2.0","id":8,"method":5}"#,
            "8 -32600 `method` must be a string, not a number",
        ),
        (
            r#"{"jsonrpc":2,"id":8,"method":"ping"}"#,
            "8 -32600 `jsonrpc` must be \"2.0\", not a number",
        ),
        (
            r#"{"jsonrpc":"2.0","id":8,"method":5,"params":"#,
            "8 -32700 this is not JSON: it ends within a value at line 1 column 44",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            "null -32600 the id must be a string or an integer",
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            "null -32600 the id must be a string or an integer",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"ping","Method":"x"}"#,
            "5 -32600 `Method` is not `method`: names are exact",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"ping","method":"x"}"#,
            "5 -32600 the key `method` is there twice in one object",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"id":6,"method":"ping"}"#,
            "null -32600 the key `id` is there twice in one object",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"ping","x":1,"x":2}"#,
            "5 -32600 the key `x` is there twice in one object",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x","name":"y"}}"#,
            "5 -32600 the key `name` is there twice in one object",
        ),
        (r#"{"id":1,"method":"ping"}"#, "1 -32600 `jsonrpc` must be \"2.0\""),
        (r#"{"jsonrpc":"2.0","id":1}"#, "1 -32600 there is no `method`"),
    ] {
        check(text, expected);
    }
    let long = "x".repeat(5000);
    check(
        &format!(r#"{{"jsonrpc":"2.0","id":"{long}","method":5}}"#),
        &format!("\"{long}\" -32600 `method` must be a string, not a number"),
    );
    let deep = format!("{}1{}", "[".repeat(130), "]".repeat(130));
    check(
        &format!(
            r#"{{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{{"arguments":{deep}}}}}"#
        ),
        "4 -32700 this is nested deeper than 128 levels at line 1 column 140",
    );
}

#[test]
fn params_are_objects() {
    for (params, expected) in [
        ("[]", "the params of ping must be an object, not a list"),
        ("3", "the params of ping must be an object, not a number"),
        (r#"{"_meta": []}"#, "the params of ping cannot be read: `_meta` must be an object"),
        ("null", ""),
        ("{}", ""),
    ] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{params}}}"#);
        let Ok(Message::Request(mut request)) = parse(text.as_bytes()) else {
            panic!("{text}");
        };
        let problem = request.params.check().err();
        let problem = problem.map(|error| error.message.into_owned());
        assert_eq!(problem.unwrap_or_default(), expected, "{text}");
    }
}

#[test]
fn a_key_that_stands_twice_in_params_is_named_with_the_id() {
    for (method, params) in [
        ("tools/call", r#"{"name":"x","arguments":{"name":"a","name":"b"}}"#),
        ("tools/call", r#"{"name":"x","arguments":{"name":"a","n\u0061me":"b"}}"#),
        ("tools/call", r#"{"name":"x","arguments":{"list":[{"deep":{"name":1,"name":2}}]}}"#),
        ("tools/call", r#"{"name":"x","_meta":{"name":1,"name":2}}"#),
        ("prompts/get", r#"{"name":"x","arguments":{"name":"a","name":"b"}}"#),
        ("completion/complete", r#"{"context":{"arguments":{"name":"a","name":"b"}}}"#),
    ] {
        check(
            &format!(r#"{{"jsonrpc":"2.0","id":"r1","method":"{method}","params":{params}}}"#),
            "\"r1\" -32602 the key `name` is there twice in one object",
        );
    }
}

#[test]
fn a_batch_has_messages() {
    let count = |text: &str| split_batch(text.as_bytes()).map(|all| all.map(|all| all.len()).ok());
    assert_eq!(count("{}"), None);
    assert_eq!(count("[]"), Some(None));
    assert_eq!(count("[1,"), Some(None));
    assert_eq!(count(" [{}, 3]"), Some(Some(2)));
    assert_eq!(count(&format!("[{}1]", "1,".repeat(MOST_IN_BATCH))), Some(None));
}
