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
        shown.push(format!(
            "structured: {} bytes",
            structured.to_string().len()
        ));
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
    args.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    check(&mut server, "call", args, expected);
}

#[test]
fn call_gives_the_smallest() {
    called(
        "plain",
        json!({}),
        expect![[
            r#"[{"number":0,"title":"Issue 0","user":{"login":"ada","id":1},"labels":[{"name":"bug","color":"red"}],"url":"https://example.org/issues/0","node_id":"MDU6SXNzdWU0","closed":null},{"number":1,"title":"Issue 1","user":{"login":"ada","id":1},"labels":[{"name":"bug","color":"red"}],"url":"https://example.org/issues/1","node_id":"MDU6SXNzdWU1","closed":null},{"number":2,"title":"Issue 2","user":{"login":"ada","id":1},"labels":[{"name":"bug","color":"red"}],"url":"https://example.org/issues/2","node_id":"MDU6SXNzdWU2","closed":null}]"#
        ]],
    );
    called(
        "chosen",
        json!({}),
        expect![[r#"
        [{"number":0,"title":"Issue 0","author":"ada","labels.name":["bug"]},{"number":1,"title":"Issue 1","author":"ada","labels.name":["bug"]},{"number":2,"title":"Issue 2","author":"ada","labels.name":["bug"]}]
        ---
        (json; 5 of 9 fields left out, all with output: "json")"#]],
    );
    called(
        "envelope",
        json!({}),
        expect![[r#"
        {"total":3,"results":[{"number":0,"title":"Issue 0","author":"ada","labels.name":["bug"]},{"number":1,"title":"Issue 1","author":"ada","labels.name":["bug"]},{"number":2,"title":"Issue 2","author":"ada","labels.name":["bug"]}],"self":"https://example.org/issues"}
        ---
        (json; 5 of 11 fields left out, all with output: "json")"#]],
    );
    called(
        "told",
        json!({}),
        expect![[r#"
        # 3 issues
        Issue 0
        Issue 1
        Issue 2
        ---
        (markdown; shortened by the tool, all with output: "json")"#]],
    );
    called(
        "rows",
        json!({}),
        expect![[r"
        rows[4]{id,name,kind}:
          0,n0,row
          1,n1,row
          2,n2,row
          3,n3,row
        ---
        (toon)"]],
    );
}

#[test]
fn the_caller_may_choose_fields_and_notation() {
    called(
        "chosen",
        json!({"select": ["title", "usr.id"]}),
        expect![[r#"
            [3]{title}:
              Issue 0
              Issue 1
              Issue 2
            ---
            (toon; 6 of 7 fields left out, all with output: "json"; no `usr.id`)"#]],
    );
    called(
        "rows",
        json!({"select": "id,name", "output": "toon"}),
        expect![[r#"
            rows[4]{id,name}:
              0,n0
              1,n1
              2,n2
              3,n3
            ---
            (toon; 1 of 3 fields left out, all with output: "json")"#]],
    );
    called(
        "told",
        json!({"output": "json", "params": {"count": 1}}),
        expect![[
            r#"[{"number":0,"title":"Issue 0","user":{"login":"ada","id":1},"labels":[{"name":"bug","color":"red"}],"url":"https://example.org/issues/0","node_id":"MDU6SXNzdWU0","closed":null}]"#
        ]],
    );
    called(
        "told",
        json!({"select": ["title"]}),
        expect![[r#"
        [3]{title}:
          Issue 0
          Issue 1
          Issue 2
        ---
        (toon; 6 of 7 fields left out, all with output: "json")"#]],
    );
    called(
        "chosen",
        json!({"output": "markdown"}),
        expect![[r#"
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
            - bug
        ---
        (markdown; 5 of 9 fields left out, all with output: "json")"#]],
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
    called("plain", json!({"params": {"count": 0}}), expect!["[]"]);
}

#[test]
fn a_flat_call_says_what_its_author_declared() {
    let mut server = server("");
    check(
        &mut server,
        "plain",
        json!({"count": 1}),
        expect![[
            r#"[{"number":0,"title":"Issue 0","user":{"login":"ada","id":1},"labels":[{"name":"bug","color":"red"}],"url":"https://example.org/issues/0","node_id":"MDU6SXNzdWU0","closed":null}]"#
        ]],
    );
    check(
        &mut server,
        "chosen",
        json!({}),
        expect![[r#"
        [{"number":0,"title":"Issue 0","author":"ada","labels.name":["bug"]},{"number":1,"title":"Issue 1","author":"ada","labels.name":["bug"]},{"number":2,"title":"Issue 2","author":"ada","labels.name":["bug"]}]
        ---
        (json; 5 of 9 fields left out, all with `call` and output: "json")"#]],
    );
    check(
        &mut server,
        "envelope",
        json!({}),
        expect![[r#"
        {"total":3,"results":[{"number":0,"title":"Issue 0","author":"ada","labels.name":["bug"]},{"number":1,"title":"Issue 1","author":"ada","labels.name":["bug"]},{"number":2,"title":"Issue 2","author":"ada","labels.name":["bug"]}],"self":"https://example.org/issues"}
        ---
        (json; 5 of 11 fields left out, all with `call` and output: "json")
        ---
        structured: 590 bytes"#]],
    );
    check(
        &mut server,
        "told",
        json!({}),
        expect![[r#"
        # 3 issues
        Issue 0
        Issue 1
        Issue 2
        ---
        (markdown; shortened by the tool, all with `call` and output: "json")"#]],
    );
}

#[test]
fn what_the_author_gets_wrong_is_told_to_him() {
    let mut server = server("");
    let text = serde_json::to_string(&json!([])).unwrap();
    server.call("erring", json!({"count": 0})).text(&text);
    let status = server.status();
    let modules = status["modules"].as_array().unwrap();
    let hub = modules
        .iter()
        .find(|module| module["name"] == "hub")
        .unwrap();
    assert_eq!(hub["last_error"]["of"], "compact of hub.erring");
    assert_eq!(hub["last_error"]["message"], "the author erred");
}

#[test]
fn what_is_over_the_budget_is_cut_and_the_rest_can_be_had() {
    let mut server = server("[server]\nresult_tokens = 150\n");
    let args = |more: Value| {
        let mut args = json!({"module": "hub", "tool": "chosen", "params": {"count": 100}});
        args.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        args
    };
    check(
        &mut server,
        "call",
        args(json!({})),
        expect![[r#"
        [{"number":0,"title":"Issue 0","author":"ada","labels.name":["bug"]},{"number":1,"title":"Issue 1","author":"ada","labels.name":["bug"]},{"number":2,"title":"Issue 2","author":"ada","labels.name":["bug"]},{"number":3,"title":"Issue 3","author":"ada","labels.name":["bug"]},{"number":4,"title":"Issue 4","author":"ada","labels.name":["bug"]}]
        ---
        (json; 5 of 9 fields left out, all with output: "json"; items 1 to 5 of 100, 95 more with select "[5:]")"#]],
    );
    check(
        &mut server,
        "call",
        args(json!({"select": "[98:]"})),
        expect![[r#"
            [{"number":98,"title":"Issue 98","author":"ada","labels.name":["bug"]},{"number":99,"title":"Issue 99","author":"ada","labels.name":["bug"]}]
            ---
            (json; 5 of 9 fields left out, all with output: "json"; items 99 to 100 of 100)"#]],
    );
    check(
        &mut server,
        "chosen",
        json!({"count": 100}),
        expect![[r#"
            [{"number":0,"title":"Issue 0","author":"ada","labels.name":["bug"]},{"number":1,"title":"Issue 1","author":"ada","labels.name":["bug"]},{"number":2,"title":"Issue 2","author":"ada","labels.name":["bug"]},{"number":3,"title":"Issue 3","author":"ada","labels.name":["bug"]}]
            ---
            (json; 5 of 9 fields left out, all with `call` and output: "json"; items 1 to 4 of 100, 96 more with `call` and select "[4:]")"#]],
    );
}

/// What is sent is paid for once: data beside the text only where it was promised, and for who reads it.
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
        assert_eq!(through.get("structuredContent"), None, "{door:?}");
        let flat = ask("chosen", json!({}));
        assert_eq!(flat["content"][0], through["content"][0], "{door:?}");
        let promised = flat.get("structuredContent").is_some();
        assert_eq!(promised, door.is_modern(), "{door:?}");
    }
}
