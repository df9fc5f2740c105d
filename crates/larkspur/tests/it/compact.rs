//! Answers in few tokens: by `call`, and by a tool's own declaration; in both eras.

use crate::client::{Client, DOORS};
use crate::fixture::{Opening, Server};
use crate::room::Room;
use expect_test::{Expect, expect};
use serde_json::{Value, json};

const HUB: &str = r##"
def _issues(count):
    return [{
        "number": i,
        "title": "Issue %d" % i,
        "user": {"login": "ada", "id": 1},
        "labels": [{"name": "bug", "color": "red"}],
        "url": "https://example.org/issues/%d" % i,
        "node_id": "MDU6SXNzdWU%d" % i,
        "closed": None,
    } for i in range(count)]

def plain(count: int = 3):
    return _issues(count)

def chosen(count: int = 3) -> list[dict]:
    return _issues(count)

def envelope(count: int = 3) -> dict:
    return {"total": count, "results": _issues(count), "self": "https://example.org/issues"}

def _lines(result):
    return "\n".join(["# %d issues" % len(result)] + [r["title"] for r in result])

def told(count: int = 3) -> list[dict]:
    return _issues(count)

def _broken(result):
    fail("the author erred")

def erring(count: int = 3) -> list[dict]:
    return _issues(count)

def picture():
    return [text("a cat"), image("AAAA", "image/png")]

FIELDS = ["number", "title", "author: user.login", "labels[*].name"]
tool(plain)
tool(chosen, select = FIELDS)
tool(envelope, select = FIELDS)
tool(told, compact = _lines)
tool(erring, compact = _broken)
tool(picture)
"##;

const OLD: &str = r#"
def rows(params):
    rows = [{"id": i, "name": "n%d" % i, "kind": "row"} for i in range(4)]
    return {"content": [{"type": "text", "text": json.encode({"rows": rows})}]}

def describe_extension():
    return Extension(name = "old", version = "1.0.0", description = "Old.", tools = [
        Tool(name = "rows", description = "Rows.", handler = rows),
    ])
"#;

fn server(project: &str) -> Server {
    let room = Room::new();
    room.write("hub.star", HUB).write("old.star", OLD);
    room.project(project);
    Server::start_in(room, Opening::Legacy)
}

/// Every block of an answer, between lines.
fn blocks(result: &Value) -> String {
    let blocks = result["content"].as_array().unwrap().iter();
    let blocks = blocks.map(|block| match block["text"].as_str() {
        Some(text) => text.to_owned(),
        None => block.to_string(),
    });
    let mut shown: Vec<String> = blocks.collect();
    if let Some(structured) = result.get("structuredContent") {
        shown.push(format!("structured: {} bytes", structured.to_string().len()));
    }
    if result["isError"] == true {
        shown.push("error".into());
    }
    shown.join("\n---\n")
}

#[track_caller]
fn check(server: &mut Server, name: &str, args: Value, expected: Expect) {
    let result = server.call(name, args).result();
    expected.assert_eq(&blocks(&result));
}

/// Through `call`, with further arguments of it.
#[track_caller]
fn called(tool: &str, more: Value, expected: Expect) {
    let mut server = server("");
    let module = if tool == "rows" { "old" } else { "hub" };
    let mut args = json!({"module": module, "tool": tool});
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    check(&mut server, "call", args, expected);
}

#[test]
fn call_gives_the_smallest() {
    called(
        "plain",
        json!({}),
        expect![[r#"
            (json; null in [*]: closed)
            [{"number":0,"title":"Issue 0","user":{"login":"ada","id":1},"labels":[{"name":"bug","color":"red"}],"url":"https://example.org/issues/0","node_id":"MDU6SXNzdWU0"},{"number":1,"title":"Issue 1","user":{"login":"ada","id":1},"labels":[{"name":"bug","color":"red"}],"url":"https://example.org/issues/1","node_id":"MDU6SXNzdWU1"},{"number":2,"title":"Issue 2","user":{"login":"ada","id":1},"labels":[{"name":"bug","color":"red"}],"url":"https://example.org/issues/2","node_id":"MDU6SXNzdWU2"}]"#]],
    );
    called(
        "chosen",
        json!({}),
        expect![[r#"
            (json; 5 of 9 fields left out, all with output: "json")
            [{"number":0,"title":"Issue 0","author":"ada","labels.name":["bug"]},{"number":1,"title":"Issue 1","author":"ada","labels.name":["bug"]},{"number":2,"title":"Issue 2","author":"ada","labels.name":["bug"]}]"#]],
    );
    called(
        "envelope",
        json!({}),
        expect![[r#"
            (json; 5 of 11 fields left out, all with output: "json")
            {"total":3,"results":[{"number":0,"title":"Issue 0","author":"ada","labels.name":["bug"]},{"number":1,"title":"Issue 1","author":"ada","labels.name":["bug"]},{"number":2,"title":"Issue 2","author":"ada","labels.name":["bug"]}],"self":"https://example.org/issues"}"#]],
    );
    called(
        "told",
        json!({}),
        expect![[r#"
            (markdown; shortened by the tool, all with output: "json")
            # 3 issues
            Issue 0
            Issue 1
            Issue 2"#]],
    );
    called(
        "rows",
        json!({}),
        expect![[r"
            rows[4]{id,name,kind}:
              0,n0,row
              1,n1,row
              2,n2,row
              3,n3,row"]],
    );
}

#[test]
fn the_caller_may_choose_fields_and_notation() {
    called(
        "chosen",
        json!({"select": ["title", "usr.id"]}),
        expect![[r#"
            (json; 6 of 7 fields left out, all with output: "json"; no `usr.id`)
            [{"title":"Issue 0"},{"title":"Issue 1"},{"title":"Issue 2"}]"#]],
    );
    called(
        "rows",
        json!({"select": "id,name", "output": "toon"}),
        expect![[r#"
            (toon; 1 of 3 fields left out, all with output: "json")
            rows[4]{id,name}:
              0,n0
              1,n1
              2,n2
              3,n3"#]],
    );
    called(
        "told",
        json!({"output": "json", "params": {"count": 1}}),
        expect![[r#"
            (json)
            [{"number":0,"title":"Issue 0","user":{"login":"ada","id":1},"labels":[{"name":"bug","color":"red"}],"url":"https://example.org/issues/0","node_id":"MDU6SXNzdWU0","closed":null}]"#]],
    );
    called(
        "told",
        json!({"select": ["title"]}),
        expect![[r#"
            (json; 6 of 7 fields left out, all with output: "json")
            [{"title":"Issue 0"},{"title":"Issue 1"},{"title":"Issue 2"}]"#]],
    );
    called(
        "chosen",
        json!({"output": "markdown"}),
        expect![[r#"
            (markdown; 5 of 9 fields left out, all with output: "json")
            -
              - **number**: 0
              - **title**: Issue 0
              - **author**: ada
              - **labels.name**:
                - bug
            -
              - **number**: 1
              - **title**: Issue 1
              - **author**: ada
              - **labels.name**:
                - bug
            -
              - **number**: 2
              - **title**: Issue 2
              - **author**: ada
              - **labels.name**:
                - bug"#]],
    );
    called(
        "chosen",
        json!({"select": []}),
        expect![[r#"
        call was not called: `select` is empty; leave it out, or write ["*"] for every field
        ---
        error"#]],
    );
    called(
        "chosen",
        json!({"select": ["a..b"]}),
        expect![[r"
        call was not called: `a..b` in `select` has a dot that no field follows
        ---
        error"]],
    );
}

#[test]
fn what_is_no_data_passes_as_it_is() {
    called(
        "picture",
        json!({}),
        expect![[r#"
        a cat
        ---
        {"type":"image","data":"AAAA","mimeType":"image/png"}"#]],
    );
    called(
        "plain",
        json!({"params": {"count": 0}}),
        expect![[r"
        (json)
        []"]],
    );
}

#[test]
fn a_flat_call_says_what_its_author_declared() {
    let mut server = server("");
    check(
        &mut server,
        "plain",
        json!({"count": 1}),
        expect![[r#"
            (json)
            [{"number":0,"title":"Issue 0","user":{"login":"ada","id":1},"labels":[{"name":"bug","color":"red"}],"url":"https://example.org/issues/0","node_id":"MDU6SXNzdWU0","closed":null}]"#]],
    );
    check(
        &mut server,
        "chosen",
        json!({}),
        expect![[r#"
            (json; 5 of 9 fields left out, all with fields: ["*"])
            [{"number":0,"title":"Issue 0","author":"ada","labels.name":["bug"]},{"number":1,"title":"Issue 1","author":"ada","labels.name":["bug"]},{"number":2,"title":"Issue 2","author":"ada","labels.name":["bug"]}]"#]],
    );
    check(
        &mut server,
        "envelope",
        json!({}),
        expect![[r#"
            (json; 5 of 11 fields left out, all with fields: ["*"])
            {"total":3,"results":[{"number":0,"title":"Issue 0","author":"ada","labels.name":["bug"]},{"number":1,"title":"Issue 1","author":"ada","labels.name":["bug"]},{"number":2,"title":"Issue 2","author":"ada","labels.name":["bug"]}],"self":"https://example.org/issues"}"#]],
    );
    check(
        &mut server,
        "told",
        json!({}),
        expect![[r#"
            (markdown; shortened by the tool, all with fields: ["*"])
            # 3 issues
            Issue 0
            Issue 1
            Issue 2"#]],
    );
}

#[test]
fn what_the_author_gets_wrong_is_told_to_him() {
    let mut server = server("");
    let text = serde_json::to_string(&json!([])).unwrap();
    server.call("erring", json!({"count": 0})).text(&text);
    let status = server.status();
    let modules = status["modules"].as_array().unwrap();
    let hub = modules.iter().find(|module| module["name"] == "hub").unwrap();
    assert_eq!(hub["last_error"]["of"], "compact of hub.erring");
    assert_eq!(hub["last_error"]["message"], "the author erred");
}

#[test]
fn what_is_over_the_budget_is_cut_and_the_rest_can_be_had() {
    let mut server = server("[server]\nresult_tokens = 150\n");
    let args = |more: Value| {
        let mut args = json!({"module": "hub", "tool": "chosen", "params": {"count": 100}});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        args
    };
    check(
        &mut server,
        "call",
        args(json!({})),
        expect![[r#"
            (json; 5 of 9 fields left out, all with output: "json"; items 1 to 5 of 100, 95 more with select "[5:]")
            [{"number":0,"title":"Issue 0","author":"ada","labels.name":["bug"]},{"number":1,"title":"Issue 1","author":"ada","labels.name":["bug"]},{"number":2,"title":"Issue 2","author":"ada","labels.name":["bug"]},{"number":3,"title":"Issue 3","author":"ada","labels.name":["bug"]},{"number":4,"title":"Issue 4","author":"ada","labels.name":["bug"]}]"#]],
    );
    check(
        &mut server,
        "call",
        args(json!({"select": "[98:]"})),
        expect![[r#"
            (json; 5 of 9 fields left out, all with output: "json"; items 99 to 100 of 100)
            [{"number":98,"title":"Issue 98","author":"ada","labels.name":["bug"]},{"number":99,"title":"Issue 99","author":"ada","labels.name":["bug"]}]"#]],
    );
    check(
        &mut server,
        "chosen",
        json!({"count": 100}),
        expect![[r#"
            (json; 5 of 9 fields left out, all with fields: ["*"]; items 1 to 5 of 100, 95 more with fields: ["[5:]"])
            [{"number":0,"title":"Issue 0","author":"ada","labels.name":["bug"]},{"number":1,"title":"Issue 1","author":"ada","labels.name":["bug"]},{"number":2,"title":"Issue 2","author":"ada","labels.name":["bug"]},{"number":3,"title":"Issue 3","author":"ada","labels.name":["bug"]},{"number":4,"title":"Issue 4","author":"ada","labels.name":["bug"]}]"#]],
    );
}

/// A text of one form for every transport and revision, and no data beside it.
#[test]
fn both_doors_and_eras_get_the_same_text() {
    for door in DOORS {
        let room = Room::new();
        room.write("hub.star", HUB);
        let mut client = Client::start(room, door, json!({}));
        let mut ask = |name: &str, arguments: Value| {
            let params = json!({"name": name, "arguments": arguments});
            let (answer, _) = client.talk("tools/call", params, |_| json!({}));
            answer["result"].clone()
        };
        let through = ask("call", json!({"module": "hub", "tool": "chosen"}));
        let flat = ask("chosen", json!({}));
        let text = |result: &Value| result["content"][0]["text"].as_str().unwrap().to_owned();
        let below = |text: String| text.split_once('\n').unwrap().1.to_owned();
        assert_eq!(below(text(&flat)), below(text(&through)), "{door:?}");
        for result in [&through, &flat] {
            assert_eq!(result.get("structuredContent"), None, "{door:?}");
            assert_eq!(result["content"].as_array().unwrap().len(), 1, "{door:?}");
        }
    }
}

/// The parameter with which a call by name chooses fields: listed, and used.
#[test]
fn a_tool_with_a_shorter_form_takes_fields() {
    let source = HUB.replace(
        "FIELDS =",
        "def own(fields: str = \"\") -> list[dict]:\n    return _issues(3)\n\ntool(own, select = [\"title\"])\nFIELDS =",
    );
    let room = Room::new();
    room.write("hub.star", &source);
    let mut server = Server::start_in(room, Opening::Legacy);
    let listed = server.request("tools/list", json!({})).result();
    let listed = listed["tools"].as_array().unwrap().iter();
    let listed = listed.map(|tool| {
        let fields = &tool["inputSchema"]["properties"]["fields"]["type"];
        let name = tool["name"].as_str().unwrap();
        format!("{name}: {} {}", fields, tool.get("outputSchema").is_some())
    });
    let listed: Vec<String> = listed.collect();
    expect![[r#"
        chosen: "array" false
        envelope: "array" false
        erring: "array" false
        own: "string" false
        picture: null false
        plain: null false
        told: "array" false"#]]
    .assert_eq(&listed.join("\n"));
    let mut check = |name: &str, args: Value, expected: Expect| {
        check(&mut server, name, args, expected);
    };
    check(
        "chosen",
        json!({"count": 2, "fields": ["title"]}),
        expect![[r#"
            (json; 6 of 7 fields left out, all with fields: ["*"])
            [{"title":"Issue 0"},{"title":"Issue 1"}]"#]],
    );
    check(
        "told",
        json!({"count": 1, "fields": ["*"]}),
        expect![[r#"
        (json)
        [{"number":0,"title":"Issue 0","user":{"login":"ada","id":1},"labels":[{"name":"bug","color":"red"}],"url":"https://example.org/issues/0","node_id":"MDU6SXNzdWU0","closed":null}]"#]],
    );
    check(
        "chosen",
        json!({"fields": null, "count": 1}),
        expect![[r#"
        (json; 5 of 9 fields left out, all with fields: ["*"])
        [{"number":0,"title":"Issue 0","author":"ada","labels.name":["bug"]}]"#]],
    );
    check(
        "chosen",
        json!({"fields": []}),
        expect![[r#"
        hub.chosen was not called: `fields` is empty; leave it out, or write ["*"] for every field
        ---
        error"#]],
    );
    check(
        "chosen",
        json!({"fields": 5}),
        expect![[r#"
        hub.chosen was not called: `fields` is a list of fields such as ["title", "author: user.login"], not 5
        ---
        error"#]],
    );
    check(
        "plain",
        json!({"fields": ["title"]}),
        expect![[r"
        hub.plain was not called: `fields` is not a parameter; there are count
        ---
        error"]],
    );
    // It has a parameter of that name, so the line names no way.
    check(
        "own",
        json!({"fields": "x"}),
        expect![[r#"
            (json; 6 of 7 fields left out)
            [{"title":"Issue 0"},{"title":"Issue 1"},{"title":"Issue 2"}]"#]],
    );
}

const KINDS: &str = r#"
def text_() -> str: return "hello"
def digits() -> str: return "2026"
def json_text() -> str: return "[1, 2]"
def loose_text(): return "hello"
def empty() -> str: return ""
def number() -> int: return 5
def boolean() -> bool: return True
def nothing(): return None
def scalars() -> list[int]: return [1, 2]
def rows() -> list[dict]: return [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
def empty_list() -> list[int]: return []
def loose_list(): return ["a", "b"]
def object() -> dict: return {"a": 1}
def loose_object(): return {"a": 1}
def blocks(): return [text("12"), image("AAAA", "image/png")]
def error(): return {"content": [text("404")], "isError": True}
def failing(): fail("404")

[tool(f) for f in [
    text_, digits, json_text, loose_text, empty, number, boolean, nothing, scalars, rows, empty_list,
    loose_list, object, loose_object, blocks, error, failing,
]]
"#;

/// What clients read of each kind of result. No first block is JSON other than an object: Gemini CLI rejects
/// those.
#[test]
fn each_kind_of_result_by_its_name_and_by_call() {
    let room = Room::new();
    room.write("kinds.star", KINDS);
    let mut server = Server::start_in(room, Opening::Modern);
    let listed = server.request("tools/list", json!({})).result();
    let mut shown = Vec::new();
    for tool in listed["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let flat = server.call(name, json!({})).result();
        let args = json!({"module": "kinds", "tool": name});
        let through = server.call("call", args).result();
        let is_listed = tool.get("outputSchema").is_some();
        assert_eq!(is_listed, flat.get("structuredContent").is_some(), "{name}");
        if let Some(data) = flat.get("structuredContent") {
            let text = flat["content"][0]["text"].as_str().unwrap();
            assert_eq!(*data, serde_json::from_str::<Value>(text).unwrap());
        }
        let (flat, through) = (blocks(&flat), blocks(&through));
        let through = if through == flat { "the same".to_owned() } else { through };
        shown.push(format!("{name}: {flat:?}; by call: {through:?}"));
    }
    expect![[r#"
        blocks: "(text)\n12\n---\n{\"type\":\"image\",\"data\":\"AAAA\",\"mimeType\":\"image/png\"}"; by call: "the same"
        boolean: "(json)\ntrue"; by call: "the same"
        digits: "(text)\n2026"; by call: "the same"
        empty: ""; by call: "the same"
        empty_list: "(json)\n[]"; by call: "the same"
        error: "(text)\n404\n---\nerror"; by call: "the same"
        failing: "(text)\n404\n---\nerror"; by call: "the same"
        json_text: "(text)\n[1, 2]"; by call: "the same"
        loose_list: "[2]: a,b"; by call: "the same"
        loose_object: "{\"a\":1}"; by call: "a: 1"
        loose_text: "hello"; by call: "the same"
        nothing: "(json)\nnull"; by call: "the same"
        number: "(json)\n5"; by call: "the same"
        object: "{\"a\":1}\n---\nstructured: 7 bytes"; by call: "a: 1"
        rows: "[2]{a,b}:\n  1,x\n  2,y"; by call: "the same"
        scalars: "(json)\n[1,2]"; by call: "the same"
        text_: "hello"; by call: "the same""#]].assert_eq(&shown.join("\n"));
}

#[test]
fn a_long_result_has_lines_and_a_limit() {
    let source = r#"
def rows(count: int) -> list[dict]:
    return [{"n": i, "of": {"x": [i]}} for i in range(count)]
def object(count: int) -> dict:
    return {"rows": rows(count)}
def loose(count: int):
    return {"rows": rows(count)}
def lines(count: int) -> str:
    return "\n".join(["line %d" % i for i in range(count)])
tool(rows)
tool(object)
tool(loose)
tool(lines)
"#;
    let room = Room::new();
    room.write("long.star", source);
    room.project("[server]\nresult_tokens = 2_000\n");
    let mut server = Server::start_in(room, Opening::Modern);
    let mut text = |tool: &str, count: usize| {
        let result = server.call(tool, json!({"count": count})).result();
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        (text, result["isError"] == true)
    };
    for tool in ["rows", "object", "loose"] {
        let (text, is_error) = text(tool, 130);
        assert!(!is_error, "{text}");
        assert!(text.lines().count() > 2, "{text}");
        let longest = text.lines().map(str::len).max().unwrap();
        assert!(longest <= 2_000, "{longest}: {text}");
    }
    let (object, is_error) = text("object", 3_000);
    assert!(is_error);
    expect!["long.object ran, but its result has about 38,524 tokens, of which at most 2,000 are sent (`result_tokens`); ask for less by its parameters: count"].assert_eq(&object);
    let first_lines = ["rows", "loose", "lines"].map(|tool| {
        let (text, is_error) = text(tool, 30_000);
        assert!(!is_error, "{text}");
        assert!(text.len() < 10_000, "{}", text.len());
        text.lines().next().unwrap().to_owned()
    });
    expect![[r"
        (json; items 1 to 166 of 30,000, 29,834 more with a narrower call)
        (json; items 1 to 166 of 30,000, 29,834 more with a narrower call)
        (text; lines 1 to 434 of 30,000, 29,566 more with a narrower call)"]]
    .assert_eq(&first_lines.join("\n"));
}
