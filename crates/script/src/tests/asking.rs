//! Questions to the client: what is asked, what comes back, and where the script ends.

use super::*;

#[track_caller]
fn check(body: &str, answers: Value, expected: Result<&str, &str>) -> Vec<String> {
    let source = format!("def f(ctx):\n    {}\ntool(f)", body.replace('\n', "\n    "));
    let Value::Array(answers) = answers else { panic!("answers are a list") };
    let host = Notebook { answers: Mutex::new(answers), ..Notebook::default() };
    let script = load(&source).unwrap();
    let got = call_script(&script, "f", json!({}), &host);
    let got = got.as_ref().map(String::as_str).map_err(String::as_str);
    assert_eq!(got, expected, "{body}");
    host.lines.into_inner().unwrap()
}

#[test]
fn an_answer_comes_back_as_data() {
    let accept = json!({"action": "accept", "content": {"n": 3}});
    let asked = check(
        r#"return ctx.elicit("How many?", {"n": "integer"})["content"]["n"] + 1"#,
        json!([accept]),
        Ok("4"),
    );
    expect_test::expect![[r#"asked [Question { key: None, topic: Form { message: "How many?", schema: Object {"type": String("object"), "properties": Object {"n": Object {"type": String("integer")}}, "required": Array [String("n")]} } }]"#]]
        .assert_eq(&asked[0]);
    check(
        r#"return ctx.sample("hi", system = "be brief", stop = "x", model = ["a"], temperature = 0.5)["text"]"#,
        json!([{"text": "hello"}]),
        Ok("hello"),
    );
    check(
        r#"return [root["uri"] for root in ctx.roots(key = "r")]"#,
        json!([[{"uri": "file:///a", "name": null}]]),
        Ok(r#"["file:///a"]"#),
    );
    check(
        r#"return ctx.ask({"a": ctx.question.roots(), "b": ctx.question.elicit("?", url = "https://x.org/")})"#,
        json!([[1], [2]]),
        Ok(r#"{"a":[1],"b":[2]}"#),
    );
    check("return ctx.ask({})", json!([]), Ok("{}"));
    check(r#"return [ctx.can("sample"), ctx.can("roots")]"#, json!([]), Ok("[true,false]"));
}

/// Where no answer is there yet, the script is unwound, and nothing in it goes on.
#[test]
fn nothing_catches_a_question_that_is_open() {
    let later = Err("asks");
    for body in [
        r#"ctx.elicit("?")"#,
        r#"attempt(ctx.elicit, "?").ok"#,
        "attempt(lambda: attempt(lambda: ctx.roots())).ok",
        r#"attempt(ctx.call, "other.asks").ok"#,
        r#"ctx.state.update("k", lambda old: ctx.sample("hi"))"#,
    ] {
        let lines = check(
            &format!("log.info(\"before\")\nx = {body}\nlog.info(\"after\")"),
            json!([]),
            later,
        );
        assert!(lines.iter().all(|line| !line.contains("after")), "{body}: {lines:?}");
    }
}

#[test]
fn questions_are_asked_in_order() {
    let body = r#"
a = ctx.elicit("one?")
b = ctx.elicit("two?")
return [a, b]"#;
    let lines = check(body, json!([{"a": 1}]), Err("asks"));
    assert!(lines[0].contains("one?") && lines[1].contains("two?"), "{lines:?}");
    check(body, json!([{"a": 1}, {"a": 2}]), Ok(r#"[{"a":1},{"a":2}]"#));
}

#[test]
fn what_is_wrong_is_named() {
    let refused = json!(["the client cannot be asked"]);
    for (body, answers, expected) in [
        (
            r#"ctx.elicit("?")"#,
            refused.clone(),
            "ctx.elicit got no answer: the client cannot be asked",
        ),
        (
            r#"ctx.elicit("?", {"a": "object"})"#,
            json!([]),
            "elicit: the field `a` is not plain: a form has strings, numbers, integers, booleans and choices",
        ),
        (
            r#"ctx.elicit("?", {}, url = "https://x.org/")"#,
            json!([]),
            "elicit takes a schema or a url, not both",
        ),
        (
            r#"ctx.ask({"a": "who?"})"#,
            json!([]),
            r#"ctx.ask: `a` is a string; write {"a": ctx.question.elicit(…)}"#,
        ),
        (
            "ctx.sample(3)",
            json!([]),
            "sample: 3 is no message; return a string, a list of messages or {\"messages\": [...]}",
        ),
        (
            r#"ctx.sample("x", stop = [3])"#,
            json!([]),
            "sample: `stop` has something in it that is no string",
        ),
        (
            r#"ctx.can("elict")"#,
            json!([]),
            "ctx.can: there is elicit, elicit_url, sample, roots, not `elict`; did you mean `elicit`?",
        ),
    ] {
        check(body, answers, Err(expected));
    }
    // What was refused for good can be caught.
    check(
        r#"return attempt(ctx.elicit, "?").error.message"#,
        refused,
        Ok("ctx.elicit got no answer: the client cannot be asked"),
    );
}
