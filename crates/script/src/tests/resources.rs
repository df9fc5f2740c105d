//! Resources declared, read and completed.

use super::*;
use crate::ScriptResource;
use expect_test::{Expect, expect};

const LIBRARY: &str = r##"
Format = one_of("md", "html")

def readme(ctx, owner: str, number: int, format: Format = "md"):
    """The text of a page.

    Longer words.
    """
    ctx.resource_updated("lib://x")
    return "# %s %d %s" % (owner, number + 1, format)

def owners(value, given):
    return [o for o in ["acme", "apex", "zeta"] if o.startswith(value) and given.get("number") != "0"]

resource("lib://{owner}/{number}", readme, title = "Page", mime = "text/markdown",
         annotations = {"priority": 0.5}, complete = {"owner": owners})
"##;

pub(super) fn turn(host: &dyn Host) -> Turn<'_> {
    Turn::new(host, &QUICK)
}

/// The caller's sentence.
pub(super) fn sentence(failure: CallFailure) -> String {
    match failure {
        CallFailure::Failed { fault, .. } | CallFailure::Stopped { fault, .. } => fault.message,
        CallFailure::NeedsThread => "it was no trial".into(),
        CallFailure::Asks => "asks".into(),
    }
}

pub(super) fn object(value: Value) -> Args {
    match value {
        Value::Object(map) => map,
        other => panic!("not an object: {other}"),
    }
}

/// Finds the resource of a URI, as the runtime does, and reads it.
fn read(script: &Script, uri: &str, host: &dyn Host) -> Result<String, String> {
    let found = |r: &ScriptResource| r.resource.uri.matches(uri).is_some();
    let resource = script.resources.iter().find(|r| found(r));
    let resource = resource.expect("no such resource");
    let variables = resource.resource.uri.matches(uri).unwrap();
    let args = variables.into_iter().map(|(name, text)| (name.to_owned(), json!(text))).collect();
    let input = &resource.resource.input;
    let args = input.accept(input.read_text(args)).map_err(|e| e.to_string())?;
    let contents = script.read(resource, uri, &args, &turn(host)).map_err(sentence)?;
    Ok(serde_json::to_string(&contents).unwrap())
}

#[track_caller]
fn check(source: &str, uri: &str, expected: Expect) {
    let shown = match load(source) {
        Err(fault) => fault.to_string(),
        Ok(script) => match read(&script, uri, &Notebook::default()) {
            Ok(json) => json,
            Err(why) => format!("error: {why}"),
        },
    };
    expected.assert_eq(&shown);
}

#[test]
fn a_resource_says_what_it_is() {
    let script = load(LIBRARY).unwrap();
    assert!(script.declared.is_module);
    let resource = &script.resources[0].resource;
    assert_eq!(resource.name, "readme");
    assert_eq!(resource.title.as_deref(), Some("Page"));
    assert_eq!(resource.description, "The text of a page.\n\nLonger words.");
    assert_eq!(resource.mime.as_deref(), Some("text/markdown"));
    assert_eq!(resource.annotations, Some(json!({"priority": 0.5})));
    assert!(!resource.uri.is_exact());
}

#[test]
fn variables_are_read_by_type() {
    check(
        LIBRARY,
        "lib://acme/7",
        expect![[r##"[{"uri":"lib://acme/7","mimeType":"text/markdown","text":"# acme 8 md"}]"##]],
    );
    check(
        LIBRARY,
        "lib://acme/seven",
        expect![[r#"error: `number` expected an integer, got the string "seven""#]],
    );
    check(
        "def f(id):\n    return [id]\nresource('a://{id}', f)",
        "a://5",
        expect![[r#"[{"uri":"a://5","mimeType":"application/json","text":"[\"5\"]"}]"#]],
    );
    check(
        "def f(path):\n    return path\nresource('a://{+path}', f)",
        "a://b/c%20d",
        expect![[r#"[{"uri":"a://b/c%20d","mimeType":"text/plain","text":"b/c d"}]"#]],
    );
    check(
        "def f(**all):\n    return all\nresource('a://{x}/{y}', f, name = 'all')",
        "a://1/2",
        expect![[
            r#"[{"uri":"a://1/2","mimeType":"application/json","text":"{\"x\":\"1\",\"y\":\"2\"}"}]"#
        ]],
    );
}

#[test]
fn the_host_hears_of_updates() {
    let host = Notebook::default();
    read(&load(LIBRARY).unwrap(), "lib://acme/7", &host).unwrap();
    assert_eq!(*host.lines.lock().unwrap(), ["updated lib://x"]);
}

#[test]
fn what_is_no_document_is_named() {
    let gives = |what: &str| format!("def f():\n    return {what}\nresource('a://b', f)");
    check(
        &gives("None"),
        "a://b",
        expect!["error: f(): None is no document; return a string, a dict or a list"],
    );
    check(
        &gives("{'blob': '?'}"),
        "a://b",
        expect!["error: f(): the document has a `blob` that is not base64"],
    );
    check(
        &gives("image('aGk=')"),
        "a://b",
        expect![[r#"[{"uri":"a://b","mimeType":"image/png","blob":"aGk="}]"#]],
    );
    check(&gives("fail('gone')"), "a://b", expect!["error: gone"]);
    check(
        &gives("[x for x in range(10)] * 8_000_000".replace('_', "").as_str()),
        "a://b",
        expect!["error: a repetition of 80000000 elements; one value may have 8000000"],
    );
}

#[test]
fn mistakes_are_named_at_the_function() {
    check(
        "def f(owner: str):\n    return owner\nresource('a://{ownr}', f)",
        "",
        expect![[r"
            resource `f`: `a://{ownr}` has `{ownr}`, which is not a parameter; did you mean `owner`?
              ┌ a.star:1:5
            1 │ def f(owner: str):
              │     ^"]],
    );
    let one_line = |source: &str, expected: Expect| {
        expected.assert_eq(&load(source).map(|_| ()).unwrap_err().one_line());
    };
    one_line(
        "def f(owner: str):\n    return owner\nresource('a://b', f)",
        expect![
            "a.star:1 resource `f`: parameter `owner` is not in `a://b`; write `{owner}` there, or give it a default"
        ],
    );
    one_line(
        "def f():\n    return 1\nresource('a://{x}', f)",
        expect![
            "a.star:1 resource `f`: `a://{x}` has `{x}`, which is not a parameter; there are none"
        ],
    );
    one_line(
        "def f(x):\n    return 1\nresource('a://{x*}', f)",
        expect![
            "a.star:1 resource `f`: `a://{x*}` has `{x*}`, which cannot be read back; write `{name}` for one segment, `{+name}` for several"
        ],
    );
    one_line(
        "def f():\n    return 1\nresource('readme', f)",
        expect![
            "a.star:1 resource `f`: `readme` is not a URI; put a scheme in front, such as `notes://today`"
        ],
    );
    one_line(
        "def f():\n    return 1\nresource(f, 'a://b')",
        expect![[
            r#"a.star:3 resource() takes a URI and a function, not a function and a string; write `resource("notes://today", my_function)`"#
        ]],
    );
    one_line(
        "def f():\n    return 1\nresource('a://b', f, mim = 'x')",
        expect!["a.star:3 resource() has no `mim`; did you mean `mime`?"],
    );
    one_line(
        "def f():\n    return 1\nresource('a://b', f, title = 3)",
        expect!["a.star:1 resource `f`: title must be a string, not a int"],
    );
    one_line(
        "def f():\n    return 1\nresource('a://b', f, annotations = 3)",
        expect!["a.star:1 resource `f`: annotations must be a dict"],
    );
    one_line(
        "resource('a://b', lambda: 'x')",
        expect![[r#"a.star:1 a lambda has no name; add name = "my_resource""#]],
    );
    one_line(
        "def f(*args):\n    return 1\nresource('a://b', f)",
        expect!["a.star:1 resource `f`: a resource cannot take *args; give every parameter a name"],
    );
    one_line(
        "def f(owner):\n    return 1\nresource('a://{owner}', f, complete = {'onwer': f})",
        expect![
            "a.star:1 resource `f`: complete names `onwer`, which is not a parameter; did you mean `owner`?"
        ],
    );
    one_line(
        "def f(owner):\n    return 1\nresource('a://{owner}', f, complete = {'owner': ['a']})",
        expect!["a.star:1 resource `f`: the completion of `owner` must be a function, not a list"],
    );
    one_line(
        "def f(owner):\n    return 1\ndef c():\n    return []\nresource('a://{owner}', f, complete = {'owner': c})",
        expect![
            "a.star:1 resource `f`: the completion of `owner` is called as `c(value)` or `c(value, given)`"
        ],
    );
}

#[test]
fn completions_come_from_the_author() {
    let script = load(LIBRARY).unwrap();
    let complete = |value: &str, given: Value| {
        let completer = &script.resources[0].completers[0];
        assert_eq!(completer.argument, "owner");
        let host = Notebook::default();
        let found = script.complete(completer, value, &object(given), &turn(&host));
        found.unwrap().values
    };
    assert_eq!(complete("a", json!({})), ["acme", "apex"]);
    assert_eq!(complete("a", json!({"number": "0"})), [""; 0]);
}

const EXTENSION: &str = r#"
def today():
    return "sunny"

def other(city: str):
    return city

def describe_extension():
    return Extension(
        name = "weather",
        tools = [],
        resources = [
            resource("weather://today", today),
            {"uri": "weather://{city}", "handler": other, "mime": "text/plain", "title": "City"},
            {"uri": "weather://today", "handler": today},
        ],
    )
"#;

#[test]
fn an_extension_lists_them_once() {
    let script = load(EXTENSION).unwrap();
    let uris: Vec<&str> = script.resources.iter().map(|r| r.resource.uri.as_str()).collect();
    assert_eq!(uris, ["weather://{city}", "weather://today"]);
    assert!(read(&script, "weather://oslo", &Notebook::default()).is_ok());
}

#[test]
fn what_an_extension_cannot_list_is_named() {
    let lists = |what: &str| {
        format!(
            "def f():\n    return ''\ndef describe_extension():\n    return Extension(name = 'a', tools = [], resources = [{what}])"
        )
    };
    let check = |what: &str, expected: Expect| {
        expected.assert_eq(&load(&lists(what)).map(|_| ()).unwrap_err().one_line());
    };
    check(
        "f",
        expect![
            "a.star:3 resources must hold resource(…) or dicts with `uri` and `handler`, not a function"
        ],
    );
    check("{'uri': 'a://b'}", expect!["a.star:3 a dict in resources has no `handler`"]);
    check(
        "{'uri': 'a://b', 'handler': 'f'}",
        expect!["a.star:3 a handler in resources must be a function, not a string"],
    );
    check(
        "{'uri': 'a://b', 'handler': f, 'titel': 'x'}",
        expect!["a.star:3 a dict in resources has `titel`; did you mean `title`?"],
    );
}
