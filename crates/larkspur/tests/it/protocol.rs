//! What is said on the wire, in both eras, and what is said to nonsense.

use crate::fixture::{Opening, Server, ada, described, greeting, saying};
use crate::folder::manifest;
use crate::room::Room;
use crate::wire::PATIENCE;
use serde_json::{Value, json};

const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// An object, a list and a scalar.
const SHAPES: &str = r#"
def whole() -> dict[str, int]:
    return {"n": 1}

def several() -> list[int]:
    return [1, 2]

def single() -> int:
    return 7

tool(whole)
tool(several)
tool(single)
"#;

/// All of it, always: a module that needs it may come later.
fn capabilities() -> Value {
    json!({
        "tools": {"listChanged": true},
        "resources": {"listChanged": true, "subscribe": true},
        "prompts": {"listChanged": true},
        "completions": {},
        "logging": {},
    })
}

#[test]
fn every_legacy_revision_is_spoken() {
    let check = |asked: &str, answered: &str| {
        let params = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "it", "version": "1"}});
        let mut server = Server::start_as(Opening::Bare);
        server.module("greet", &greeting("hello"));
        let result = server.request("initialize", params).result();
        assert_eq!(result["protocolVersion"], answered, "{asked}");
        assert_eq!(result["capabilities"], capabilities());
        assert_eq!(result["serverInfo"]["name"], "larkspur");
        server
            .notify("notifications/initialized", json!({}))
            .lists(&["hello"])
            .call("hello", ada())
            .text("hello ada");
        assert_eq!(server.request("ping", json!({})).result(), json!({}));
    };
    check("2024-11-05", "2024-11-05");
    check("2025-03-26", "2025-03-26");
    check("2025-06-18", "2025-06-18");
    check("2025-11-25", "2025-11-25");
    check("2026-07-28", "2025-11-25");
    check("1999-12-31", "2025-11-25");
}

#[test]
fn nobody_needs_to_introduce_themselves() {
    let mut server = Server::start_as(Opening::Bare);
    server
        .module("greet", &greeting("hello"))
        .line(br#"{"jsonrpc":"2.0","id":"a","method":"tools/list"}"#);
    let tools = server.answer("a").result()["tools"].clone();
    assert_eq!(tools[0]["name"], "hello");
    server.call("hello", ada()).text("hello ada");
}

#[test]
fn modern_results_say_who_gave_them_and_how_long_they_hold() {
    let mut server = Server::start_as(Opening::Modern);
    server.module("greet", &greeting("hello"));
    let discovered = server.request("server/discover", json!({})).result();
    let expected = json!(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]);
    assert_eq!(discovered["supportedVersions"], expected);
    let mut all = capabilities();
    all["extensions"] = json!({"io.modelcontextprotocol/tasks": {}});
    assert_eq!(discovered["capabilities"], all);
    let listed = server.request("tools/list", json!({})).result();
    let called = json!({"name": "hello", "arguments": ada()});
    let called = server.request("tools/call", called).result();
    for result in [&discovered, &listed, &called] {
        assert_eq!(result["resultType"], "complete", "{result:#}");
        assert_eq!(result["_meta"][SERVER_INFO]["name"], "larkspur", "{result:#}");
    }
    for result in [&discovered, &listed] {
        assert!(result["ttlMs"].is_u64(), "{result:#}");
        assert_eq!(result["cacheScope"], "public", "{result:#}");
    }
}

#[test]
fn legacy_results_have_nothing_modern_in_them() {
    let mut server = Server::start();
    server.module("greet", &greeting("hello"));
    let listed = server.request("tools/list", json!({})).result();
    let called = server.call("hello", ada()).result();
    for modern in ["resultType", "_meta", "ttlMs", "cacheScope"] {
        assert_eq!(listed.get(modern), None, "{listed:#}");
        assert_eq!(called.get(modern), None, "{called:#}");
    }
}

/// What a list shows and a call gives of each tool: schema, structured content, text.
#[track_caller]
fn shapes(opening: Opening, project: &str, expected: [(&str, Value, Value, &str); 3]) {
    let room = Room::new();
    room.write("shapes.star", SHAPES).project(project);
    let mut server = Server::start_in(room, opening);
    let listed = server.request("tools/list", json!({})).result();
    let listed = listed["tools"].as_array().unwrap();
    for (tool, schema, structured, text) in expected {
        let listed = listed.iter().find(|listed| listed["name"] == tool).unwrap();
        assert_eq!(listed["outputSchema"], schema, "{opening:?} {tool}");
        let called = server.call(tool, json!({})).result();
        assert_eq!(called["structuredContent"], structured, "{opening:?} {tool}");
        let content = json!([{"type": "text", "text": text}]);
        assert_eq!(called["content"], content, "{opening:?} {tool}");
    }
}

fn whole() -> (&'static str, Value, Value, &'static str) {
    let schema = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    ("whole", schema, json!({"n": 1}), "{\"n\":1}")
}

#[test]
fn only_declared_objects_are_structured() {
    for opening in [Opening::Legacy, Opening::Modern] {
        let several = ("several", Value::Null, Value::Null, "(json)\n[1,2]");
        let single = ("single", Value::Null, Value::Null, "(json)\n7");
        shapes(opening, "", [whole(), several, single]);
    }
}

#[test]
fn all_data_is_structured_if_the_operator_says_so() {
    let always = "[server]\nstructured = 'always'\n";
    let several = ("several", Value::Null, Value::Null, "(json)\n[1,2]");
    let single = ("single", Value::Null, Value::Null, "(json)\n7");
    shapes(Opening::Legacy, always, [whole(), several, single]);
    let list = json!({"type": "array", "items": {"type": "integer"}});
    let several = ("several", list, json!([1, 2]), "(json)\n[1,2]");
    let single = ("single", json!({"type": "integer"}), json!(7), "(json)\n7");
    shapes(Opening::Modern, always, [whole(), several, single]);
}

/// Each line gets this answer, and the server lives on.
#[test]
fn nonsense_gets_its_proper_error() {
    let mut server = Server::start_as(Opening::Bare);
    server.module("greet", &greeting("hello"));
    let mut check = |line: &[u8], id: Value, code: i32| {
        server.line(line).answer(id).refused(code, "").call("hello", ada()).text("hello ada");
    };
    let nobody = || Value::Null;
    check(b"nonsense", nobody(), -32700);
    check(b"{\"jsonrpc\":\"2.0\",", nobody(), -32700);
    check(b"\xff\xfe\x00", nobody(), -32700);
    check(b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\"}", nobody(), -32700);
    check(b"[]", nobody(), -32600);
    check(br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, nobody(), -32600);
    check(b"3", nobody(), -32600);
    check(b"null", nobody(), -32600);
    check(b"{}", nobody(), -32600);
    check(br#"{"jsonrpc":"1.0","id":"b","method":"ping"}"#, json!("b"), -32600);
    check(br#"{"jsonrpc":"2.0","id":[],"method":"ping"}"#, nobody(), -32600);
    check(br#"{"jsonrpc":"2.0","id":"b"}"#, json!("b"), -32600);
    for method in ["no/such", "tools/callx", "", "roots/list", "sampling/createMessage"] {
        let line = json!({"jsonrpc": "2.0", "id": "m", "method": method, "params": {}});
        check(line.to_string().as_bytes(), json!("m"), -32601);
    }
}

#[test]
fn params_that_do_not_fit_a_known_method_are_named_so() {
    let mut server = Server::start_as(Opening::Bare);
    server.module("greet", &greeting("hello"));
    let mut check = |method: &str, params: Value| {
        server.request(method, params).refused(-32602, "").call("hello", ada()).text("hello ada");
    };
    for nonsense in [json!(3), json!("x"), json!([1])] {
        for method in ["initialize", "tools/list", "tools/call", "server/discover"] {
            check(method, nonsense.clone());
        }
    }
    check("initialize", json!({}));
    check("initialize", json!({"protocolVersion": 3}));
    check("server/discover", json!({}));
    check("tools/list", json!({"cursor": 3}));
    check("tools/list", json!({"cursor": "elsewhere"}));
    check("tools/call", json!({}));
    check("tools/call", json!({"name": 3}));
    check("tools/call", json!({"name": "hello", "arguments": []}));
    check("tools/call", json!({"name": "hello", "arguments": "x"}));
}

#[test]
fn a_revision_that_does_not_exist_is_refused_with_those_that_do() {
    let mut server = Server::start_as(Opening::Bare);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2099-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let answer = server.request("tools/list", json!({"_meta": meta}));
    let error = answer.message["error"].clone();
    assert_eq!(error["code"], -32022, "{error:#}");
    assert_eq!(error["data"]["requested"], "2099-01-01", "{error:#}");
    assert!(error["data"]["supported"].is_array(), "{error:#}");
}

#[test]
fn an_unknown_tool_is_answered_with_similar_names() {
    let mut server = Server::start();
    server.module("greet", &greeting("hello")).module("zoo", &saying("elephant", "x"));
    let answer = server.call("helo", json!({}));
    let error = answer.message["error"].clone();
    assert_eq!(error["code"], -32602);
    assert_eq!(error["data"]["available"], json!(["hello"]));
    assert!(error["message"].as_str().unwrap().contains("`hello`"));
}

#[test]
fn a_bare_name_of_two_folders_is_answered_with_both() {
    let mut server = Server::start();
    server
        .folder_module("one", &manifest("one", ""), &saying("same", "from one"))
        .folder_module("two", &manifest("two", ""), &saying("same", "from two"))
        .lists(&["one_same", "two_same"]);
    let error = server.call("same", json!({})).message["error"].clone();
    assert_eq!(error["code"], -32602);
    assert_eq!(error["data"]["available"], json!(["one.same", "two.same"]));
    for (name, text) in [
        ("one_same", "from one"),
        ("two_same", "from two"),
        ("one.same", "from one"),
        ("two.same", "from two"),
    ] {
        server.call(name, json!({})).text(text);
    }
}

/// A session goes on with the names it knows, whatever comes, goes or gets another name.
#[test]
fn names_stay_while_modules_come_and_go() {
    let mut server = Server::start();
    server
        .folder_module("alpha", &manifest("alpha", ""), &saying("hello", "alpha"))
        .module("greet", &saying("hi", "greet"))
        .lists(&["alpha_hello", "hi"])
        // The bare name that a client knows from an earlier release.
        .call("hello", json!({}))
        .text("alpha")
        .warned("tool name `hello` is deprecated")
        .folder_module("beta", &manifest("beta", ""), &saying("hello", "beta"))
        .module("above", &saying("hi", "above"))
        .changed()
        .lists(&["alpha_hello", "beta_hello", "hi"])
        .call("hi", json!({}))
        .text("greet")
        .until("above.hi", json!({}), "above")
        .warned("`above.hi` is not listed: the name `hi` belongs to `greet.hi`")
        .remove("greet.star")
        .changed()
        .lists(&["alpha_hello", "beta_hello"])
        .call("hi", json!({}))
        .refused(-32602, "there is no tool `hi`");
}

#[test]
fn notifications_are_never_answered() {
    let mut server = Server::start();
    server.module("greet", &greeting("hello")).up();
    for (method, params) in [
        ("notifications/initialized", json!(3)),
        ("notifications/cancelled", json!({})),
        ("notifications/cancelled", json!({"requestId": 4711})),
        ("notifications/cancelled", json!({"requestId": []})),
        ("notifications/progress", json!("half")),
        ("notifications/odd", json!([])),
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "hello", "arguments": ada()})),
        ("no/such", json!({})),
    ] {
        server.notify(method, params);
    }
    server.call("hello", ada()).text("hello ada");
    assert!(server.wire().unasked().is_empty());
}

#[test]
fn a_line_without_end_is_refused_and_skipped() {
    let mut server = Server::start();
    server.module("greet", &greeting("hello")).up();
    let long = "x".repeat(9 << 20);
    let message =
        json!({"jsonrpc": "2.0", "id": "long", "method": "tools/call", "params": {"name": long}});
    server
        .line(message.to_string().as_bytes())
        .answer("long")
        .refused(-32600, "bytes")
        .call("hello", ada())
        .text("hello ada");
    assert!(server.wire().unasked().is_empty());
}

#[test]
fn a_long_line_within_the_bound_is_a_message() {
    let room = Room::new();
    room.write("greet.star", &greeting("hello"));
    room.project("[server]\nresult_tokens = 9_000_000\n");
    let name = "x".repeat(3 << 20);
    let greeted = format!("hello {name}");
    Server::start_in(room, Opening::Legacy).call("hello", json!({"name": name})).text(&greeted);
}

/// An id in use belongs to the request that came first, however odd the second one is.
#[test]
fn an_id_gets_one_answer_while_it_is_in_use() {
    let mut server = Server::start();
    server.module("slow", crate::calls::SLOW).up();
    let id = server.send_call("slow", json!({"turns": 300_000}));
    for params in [json!({"name": "slow", "arguments": {"turns": 1}}), json!({"name": 3})] {
        let again = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        server.line(again.to_string().as_bytes());
    }
    let old = json!({"jsonrpc": "1.0", "id": id, "method": "ping"});
    server.line(old.to_string().as_bytes()).up();
    server.answer(id).text("300000");
    server.up();
    let more = server.wire().unasked();
    assert!(more.is_empty(), "{more:#?}");
}

/// A client that reads no more, but still writes, must not hold the server at its end.
#[test]
fn a_client_that_stopped_reading_is_no_reason_to_stay() {
    use std::io::Write;
    use std::process::Stdio;
    let room = crate::room::Room::new();
    room.write("greet.star", &described("hello", &"Greets. ".repeat(2_000)));
    let mut child = room
        .larkspur(&["serve"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    std::thread::spawn(move || {
        // Ending early, and with it its input, is right as well.
        let _ = (0..2_000).try_for_each(|id| {
            let list = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"});
            writeln!(stdin, "{list}")
        });
    });
    let deadline = std::time::Instant::now() + PATIENCE;
    let (done, ended) = std::sync::mpsc::channel::<()>();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break Some(status),
            None if std::time::Instant::now() > deadline => break None,
            None => drop(ended.recv_timeout(std::time::Duration::from_millis(10))),
        }
    };
    drop(done);
    if status.is_none() {
        child.kill().unwrap();
    }
    child.wait().unwrap();
    assert!(status.is_some(), "it still waits for a client that has gone");
}
