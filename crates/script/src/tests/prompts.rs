//! Prompts declared and got.

use super::resources::{object, sentence, turn};
use super::*;
use expect_test::{Expect, expect};

const REVIEW: &str = r#"
def review(ctx, code: str, strict: bool = False, times: int = 1):
    """Ask for a review.

    Args:
        code: What to look at.
    """
    words = "Review strictly" if strict else "Review"
    return [
        "%s, %d times" % (words, times),
        {"role": "assistant", "content": "Show me."},
        {"role": "user", "content": embedded("code://it", text = code)},
        text("please"),
    ]

prompt(review, title = "Review")
"#;

#[track_caller]
fn check(source: &str, args: Value, expected: Expect) {
    let shown = match load(source) {
        Err(fault) => fault.one_line(),
        Ok(script) => match get(&script, args) {
            Ok(json) => json,
            Err(why) => format!("error: {why}"),
        },
    };
    expected.assert_eq(&shown);
}

fn get(script: &Script, args: Value) -> Result<String, String> {
    let prompt = &script.prompts[0];
    let input = &prompt.prompt.input;
    let args = input.accept(input.read_text(object(args))).map_err(|e| e.to_string())?;
    let host = Notebook::default();
    let conversation = script.get_prompt(prompt, &args, &turn(&host)).map_err(sentence)?;
    Ok(serde_json::to_string(&conversation).unwrap())
}

#[test]
fn a_prompt_says_what_it_is() {
    let script = load(REVIEW).unwrap();
    assert!(script.declared.is_module);
    let prompt = &script.prompts[0].prompt;
    assert_eq!(prompt.title.as_deref(), Some("Review"));
    assert_eq!(prompt.summary(), "Ask for a review.");
    assert_eq!(prompt.signature(), "review(code: str, strict?: bool, times: int = 1)");
    assert_eq!(prompt.input.fields()[0].description.as_deref(), Some("What to look at."));
}

#[test]
fn messages_in_every_form() {
    check(
        REVIEW,
        json!({"code": "5", "strict": "yes", "times": "3"}),
        expect![[
            r#"{"description":"Ask for a review.","messages":[{"role":"user","content":{"type":"text","text":"Review strictly, 3 times"}},{"role":"assistant","content":{"type":"text","text":"Show me."}},{"role":"user","content":{"type":"resource","resource":{"uri":"code://it","text":"5"}}},{"role":"user","content":{"type":"text","text":"please"}}]}"#
        ]],
    );
    check(
        "def f(n):\n    return 'hi ' + n\nprompt(f)",
        json!({"n": "5"}),
        expect![[r#"{"messages":[{"role":"user","content":{"type":"text","text":"hi 5"}}]}"#]],
    );
    check(
        "def f():\n    return {'description': 'D', 'messages': ['a']}\nprompt(f)",
        json!({}),
        expect![[
            r#"{"description":"D","messages":[{"role":"user","content":{"type":"text","text":"a"}}]}"#
        ]],
    );
}

#[test]
fn what_is_wrong_is_named() {
    check(
        REVIEW,
        json!({"cod": "x", "times": "often"}),
        expect![[
            r#"error: `code` is required; `times` expected an integer, got the string "often"; `cod` is not a parameter; did you mean `code`?"#
        ]],
    );
    check(
        "def f():\n    pass\nprompt(f)",
        json!({}),
        expect![[
            r#"error: f(): None is no message; return a string, a list of messages or {"messages": [...]}"#
        ]],
    );
    check(
        "def f():\n    return [{'role': 'usr', 'content': 'x'}]\nprompt(f)",
        json!({}),
        expect![[r#"error: f(): messages[0] has the role "usr"; did you mean "user"?"#]],
    );
    check(
        "def f():\n    return '' \nprompt(f, nam = 'x')",
        json!({}),
        expect!["a.star:3 prompt() has no `nam`; did you mean `name`?"],
    );
    check(
        "def f():\n    return ''\nprompt(f, name = 'a b')",
        json!({}),
        expect!["a.star:1 prompt name `a b` may hold only letters, digits, `_` and `-`"],
    );
    check(
        "prompt(3)",
        json!({}),
        expect!["a.star:1 prompt() takes a function, not a int; write `prompt(my_function)`"],
    );
    check(
        "def f(n: int = 'a'):\n    return ''\nprompt(f, complete = 3)",
        json!({}),
        expect![
            "a.star:1 Value `a` of type `string` does not match the type annotation `int` for argument `n`"
        ],
    );
    check(
        "def f(n):\n    return ''\nprompt(f, complete = 3)",
        json!({}),
        expect![[
            r#"a.star:1 prompt `f`: complete must be a dict: complete = {"argument": my_function}"#
        ]],
    );
}

#[test]
fn completions_must_be_strings() {
    let completes = |body: &str| {
        let source = format!(
            "def c(ctx, value):\n    return {body}\ndef f(n):\n    return ''\nprompt(f, complete = {{'n': c}})"
        );
        let script = load(&source).unwrap();
        let host = Notebook::default();
        let found =
            script.complete(&script.prompts[0].completers[0], "x", &Args::new(), &turn(&host));
        found.map(|c| (c.values.len(), c.total)).map_err(sentence)
    };
    assert_eq!(completes("[value] * 300"), Ok((100, 300)));
    assert_eq!(
        completes("value"),
        Err("c(): a completion is a list of strings, not a string".into())
    );
    assert_eq!(
        completes("[1]"),
        Err("c(): a completion is a list of strings; there is a int in it".into())
    );
}

#[test]
fn an_extension_lists_them_once() {
    let source = "def a():\n    return 'a'\ndef b():\n    return 'b'\ndef describe_extension():\n    return Extension(name = 'x', tools = [], prompts = [prompt(a), {'name': 'b2', 'handler': b, 'description': 'B'}, prompt(b, name = 'b2')])";
    let script = load(source).unwrap();
    let names: Vec<&str> = script.prompts.iter().map(|p| p.prompt.name.as_str()).collect();
    assert_eq!(names, ["b2", "a"]);
    assert_eq!(script.prompts[0].prompt.description, "");
}

#[test]
fn declared_in_a_call_they_are_refused() {
    check(
        "def f():\n    prompt(f)\n    return ''\nprompt(f)",
        json!({}),
        expect![
            "error: declarations are made while a file loads, not in a call; a call adds tools with ctx.tools.add(fn)"
        ],
    );
    check(
        "def f(ctx):\n    ctx.tools.add(f)\n    return ''\nprompt(f)",
        json!({}),
        expect!["error: ctx.tools works in tools and in `start` only"],
    );
}
