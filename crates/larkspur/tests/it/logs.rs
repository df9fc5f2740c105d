//! What stands on stderr while requests are answered: whose trace they belong to, and nothing of what
//! they carry.

use crate::room::Room;
use crate::web::{Web, modern};
use crate::wire::{PATIENCE, Wire};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

const MODULE: &str = r#"
def _deep(item):
    log.warn("deep")
    return item

def speak(text: str) -> str:
    log.info(text, items = 3)
    print(text)
    return "answered"

def both() -> list:
    return parallel(_deep, [1, 2])

def nested(ctx) -> str:
    return str(ctx.call("speech.speak", {"text": "from within"}))

def refuse(text: str) -> str:
    log.info("refusing")
    fail("no")

def page() -> str:
    log.info("read")
    return "page"

def begin() -> str:
    log.info("begun")
    return "begin"

tool(speak)
tool(both)
tool(nested)
tool(refuse)
resource("speech://page", page)
prompt(begin)
"#;

fn room(log: Option<&str>) -> Room {
    let mut room = Room::new();
    room.write("speech.star", MODULE);
    if let Some(log) = log {
        room.set_env("RUST_LOG", log);
    }
    room
}

fn traced(method: &str, params: Value, traceparent: &str) -> Value {
    let mut message = modern(method, params);
    message["params"]["_meta"]["traceparent"] = traceparent.into();
    message["params"]["_meta"]["tracestate"] = "vendor=1".into();
    message
}

fn parent() -> String {
    format!("00-{TRACE}-{PARENT}-01")
}

/// Waits for a line that has all of these, and answers everything up to then.
#[track_caller]
fn until(wire: &mut Wire, parts: &[&str]) -> Vec<String> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let said = wire.stderr();
        let has_all = |line: &str| parts.iter().all(|part| line.contains(part));
        if said.lines().any(has_all) {
            return said.lines().map(str::to_owned).collect();
        }
        assert!(Instant::now() < deadline, "no {parts:?} in:\n{said}");
        wire.pump(Instant::now() + Duration::from_millis(5));
    }
}

fn stdio(log: Option<&str>, flags: &[&str]) -> (Room, Wire) {
    let room = room(log);
    let mut args = vec!["serve"];
    args.extend(flags);
    let wire = Wire::spawn(&room, &args);
    (room, wire)
}

fn ask(wire: &mut Wire, message: &Value) -> Value {
    wire.send(message.to_string().as_bytes());
    wire.answer(&message["id"])
}

fn parsed(lines: &[String]) -> Vec<Value> {
    let parse = |line: &String| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
    };
    lines.iter().map(parse).collect()
}

#[test]
fn a_trace_goes_on_in_the_span_of_its_request() {
    let mut web = Web::start(room(None), &["--log-format", "json"]);
    let params = json!({"name": "speak", "arguments": {"text": "hello"}});
    let headers = [
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "speak"),
    ];
    web.post(&headers, &traced("tools/call", params, &parent())).is(200);
    let lines = parsed(&until(&mut web.wire, &["\"outcome\""]));
    let end = lines.last().unwrap();
    assert_eq!(end["message"], "tools/call speak", "{end:#}");
    assert_eq!(end["fields"]["outcome"], "ok");
    assert!(end["fields"]["duration_ms"].is_number(), "{end:#}");
    let mut span = end["span"].clone();
    let own = span["span_id"].take();
    assert_eq!(own.as_str().map(str::len), Some(16), "{own}");
    assert_ne!(own, PARENT);
    assert_eq!(
        span,
        json!({
            "otel.name": "tools/call speak",
            "otel.kind": "server",
            "trace_id": TRACE,
            "span_id": null,
            "parent_span_id": PARENT,
            "tracestate": "vendor=1",
            "mcp.method.name": "tools/call",
            "mcp.protocol.version": "2026-07-28",
            "jsonrpc.request.id": "1",
            "network.transport": "tcp",
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "speak",
        })
    );
    // What the module says stands in the same span.
    let said: Vec<&Value> = lines.iter().filter(|l| l["target"] == "script").collect();
    assert_eq!(said.len(), 2, "{lines:#?}");
    for line in &said {
        assert_eq!(line["message"], "hello");
        assert_eq!(line["span"]["trace_id"], TRACE);
        assert_eq!(line["span"]["span_id"], own);
        assert_eq!(line["fields"]["module"], "speech");
        assert!(line["timestamp"].as_str().unwrap().ends_with('Z'));
    }
    assert_eq!(said[0]["fields"]["data"], json!({"items": 3}));
    assert_eq!(said[0]["level"], "INFO");
}

#[test]
fn every_kind_of_request_carries_its_trace_into_the_module() {
    for (method, params, said, attribute) in [
        ("tools/call", json!({"name": "both"}), "deep", ("gen_ai.tool.name", "both")),
        ("tools/call", json!({"name": "nested"}), "from within", ("gen_ai.tool.name", "nested")),
        (
            "resources/read",
            json!({"uri": "speech://page"}),
            "read",
            ("mcp.resource.uri", "speech://page"),
        ),
        ("prompts/get", json!({"name": "begin"}), "begun", ("gen_ai.prompt.name", "begin")),
    ] {
        let (_room, mut wire) = stdio(None, &["--log-format", "json"]);
        ask(&mut wire, &traced(method, params, &parent()));
        let lines = parsed(&until(&mut wire, &["\"outcome\":\"ok\""]));
        let of_module: Vec<&Value> = lines.iter().filter(|l| l["message"] == said).collect();
        assert!(!of_module.is_empty(), "{lines:#?}");
        for line in of_module {
            assert_eq!(line["span"]["trace_id"], TRACE, "{line:#}");
        }
        let span = &lines.last().unwrap()["span"];
        assert_eq!(span["mcp.method.name"], method);
        assert_eq!(span[attribute.0], attribute.1);
        assert_eq!(span["network.transport"], "pipe");
    }
}

#[test]
fn what_went_wrong_is_named() {
    let (_room, mut wire) = stdio(None, &["--log-format", "json"]);
    for (id, method, params, outcome, error, status) in [
        (
            1,
            "tools/call",
            json!({"name": "refuse", "arguments": {"text": "x"}}),
            "tool_error",
            "tool_error",
            Value::Null,
        ),
        (2, "tools/call", json!({"name": "nobody"}), "error", "-32602", json!(-32602)),
        (3, "no/such", json!({}), "error", "-32601", json!(-32601)),
    ] {
        let mut message = modern(method, params);
        message["id"] = id.into();
        ask(&mut wire, &message);
        let mark = format!("\"jsonrpc.request.id\":\"{id}\"");
        let lines = parsed(&until(&mut wire, &["\"outcome\"", &mark]));
        let line = lines.last().unwrap();
        assert_eq!(line["fields"]["outcome"], outcome, "{line:#}");
        assert_eq!(line["span"]["error.type"], error);
        assert_eq!(line["span"]["rpc.response.status_code"], status);
        // Nobody sent a trace, so this is a new one.
        let trace = line["span"]["trace_id"].as_str().unwrap();
        assert_eq!(trace.len(), 32);
    }
}

#[test]
fn what_is_no_traceparent_is_nobodys_trace() {
    let (_room, mut wire) = stdio(None, &["--log-format", "json"]);
    for wrong in ["00-x-y-01", "", &format!("00-{TRACE}-{PARENT}-01\nx")] {
        let before = wire.stderr().len();
        ask(&mut wire, &traced("tools/list", json!({}), wrong));
        let deadline = Instant::now() + PATIENCE;
        while !wire.stderr()[before..].contains("outcome") {
            assert!(Instant::now() < deadline);
            wire.pump(Instant::now() + Duration::from_millis(5));
        }
        let line: Value = serde_json::from_str(wire.stderr()[before..].trim()).unwrap();
        let span = &line["span"];
        assert_ne!(span["trace_id"], TRACE);
        assert_eq!(span.get("parent_span_id"), None);
        assert_eq!(span.get("tracestate"), None);
    }
}

#[test]
fn text_is_as_quiet_as_before_and_shows_a_trace_that_was_sent() {
    let (_room, mut wire) = stdio(None, &[]);
    let params = |text: &str| json!({"name": "speak", "arguments": {"text": text}});
    ask(&mut wire, &modern("tools/call", params("first")));
    ask(&mut wire, &traced("tools/call", params("second"), &parent()));
    let lines = until(&mut wire, &["speech: second", "trace_id"]);
    assert_eq!(
        lines[..3],
        [
            r#" INFO speech: first {"items":3}"#.to_owned(),
            " INFO speech: first".to_owned(),
            format!(r#" INFO speech: second {{"items":3}} trace_id={TRACE}"#),
        ]
    );
    let (_room, mut wire) = stdio(Some("mcp=info"), &[]);
    ask(&mut wire, &modern("tools/list", json!({})));
    let lines = until(&mut wire, &["tools/list outcome=ok duration_ms=", "trace_id="]);
    assert_eq!(lines.len(), 1, "{lines:?}");
}

#[test]
fn nobody_can_write_a_line_that_is_not_his() {
    let forged = "x\r\nERROR forged\n{\"level\":\"ERROR\"}\u{1b}[2J\u{9b}31m\u{2028}y";
    for format in ["text", "json"] {
        let (_room, mut wire) = stdio(Some("trace"), &["--log-format", format]);
        let mut messages = vec![
            modern("tools/call", json!({"name": "speak", "arguments": {"text": forged}})),
            modern("tools/call", json!({"name": forged})),
            modern("resources/read", json!({"uri": forged})),
            modern("prompts/get", json!({"name": forged})),
            modern(forged, json!({})),
        ];
        messages[0]["id"] = forged.into();
        for message in &messages {
            ask(&mut wire, &traced(forged, json!({}), forged));
            ask(&mut wire, message);
        }
        let mut last = modern("tools/list", json!({}));
        last["id"] = 99.into();
        ask(&mut wire, &last);
        let lines = until(&mut wire, &["tools/list", "ok"]);
        for line in &lines {
            assert!(!line.contains(['\u{1b}', '\u{9b}', '\r', '\u{2028}']), "{line:?}");
            if format == "json" {
                let parsed: Value = serde_json::from_str(line).unwrap();
                assert_ne!(parsed["message"], "forged");
                assert!(parsed["timestamp"].is_string(), "{line}");
            } else {
                let level = line.split_whitespace().next().unwrap();
                let known = ["INFO", "WARN", "DEBUG", "TRACE"].contains(&level);
                assert!(known && !line.starts_with("ERROR"), "{line:?}");
            }
        }
    }
}

#[test]
fn neither_arguments_nor_results_are_logged() {
    for format in ["text", "json"] {
        let mut room = room(Some("trace"));
        room.write(
            "quiet.star",
            "def keep(word: str) -> str:\n    return \"sesame-\" + word\ntool(keep)\n",
        );
        room.set_env("RUST_BACKTRACE", "0");
        let flags = ["--transport", "stdio,http", "--log-format", format];
        let mut web = Web::start(room, &flags);
        let call = json!({"name": "keep", "arguments": {"word": "hush-hush"}});
        web.modern("tools/call", call.clone()).is(200);
        let wrong = json!({"name": "keep", "arguments": {"word": ["hush-hush"]}});
        web.modern("tools/call", wrong).is(200);
        let mut message = modern("tools/call", call);
        message["id"] = 7.into();
        ask(&mut web.wire, &message);
        let mut last = modern("tools/list", json!({}));
        last["id"] = 99.into();
        ask(&mut web.wire, &last);
        let lines = until(&mut web.wire, &["tools/list", "ok"]);
        assert!(lines.len() >= 4, "{lines:?}");
        for line in lines {
            assert!(!line.contains("hush") && !line.contains("sesame"), "{line}");
        }
    }
}

#[test]
fn a_filter_that_cannot_be_read_is_told_of_and_not_used() {
    let (_room, mut wire) = stdio(Some("script=loud"), &[]);
    ask(&mut wire, &modern("tools/call", json!({"name": "speak", "arguments": {"text": "heard"}})));
    let lines = until(&mut wire, &["speech: heard"]);
    assert!(lines[0].starts_with(" WARN RUST_LOG cannot be used: "), "{lines:?}");
}

#[test]
fn words_beside_the_log_are_objects_as_well() {
    let room = room(None);
    let ran = room.run(&["serve", "--http", "--host", "0.0.0.0", "--log-format", "json"]);
    ran.exits(2);
    let line: Value = serde_json::from_str(ran.stderr.trim()).unwrap();
    assert_eq!(line["level"], "ERROR");
    assert!(line["message"].as_str().unwrap().contains("--auth token"));
}
