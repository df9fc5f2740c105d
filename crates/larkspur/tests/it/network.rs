//! The door for networks: plain requests, both eras, sessions, streams, health, and the end.

use crate::room::Room;
use crate::session::Session;
use crate::web::{MODERN, Reply, Stream, Web, modern, written};
use serde_json::{Value, json};

const GREET: &str = r#"
def hello(name: str) -> str:
    """Greet somebody."""
    return "hello " + name

def steps(ctx):
    """Says how far it is."""
    for i in range(3):
        ctx.progress(i + 1, 3, "step %d" % (i + 1))
    return "done"

def broken() -> str:
    """Fails."""
    fail("nothing works today")

tool(hello)
tool(steps)
tool(broken)
def today():
    return "sunny"

resource("greet://today", today)
"#;

fn web() -> Web {
    let room = Room::new();
    room.write("greet.star", GREET);
    Web::start(room, &[])
}

fn call(tool: &str, args: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": args}})
}

#[track_caller]
fn text(reply: &Reply) -> String {
    let json = reply.is(200).json();
    let text = json["result"]["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("no text: {reply:#?}")).to_owned()
}

#[test]
fn a_plain_post_is_answered_as_json() {
    let web = web();
    let reply =
        web.plain(&json!({"jsonrpc": "2.0", "method": "tools/list", "params": {}, "id": 1}));
    assert_eq!(reply.is(200).header("content-type"), Some("application/json"));
    assert_eq!(reply.json()["result"]["tools"][0]["name"], "broken");
    assert_eq!(text(&web.plain(&call("hello", json!({"name": "Ada"})))), "hello Ada");
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}});
    let reply = web.plain(&hello);
    assert_eq!(reply.is(200).json()["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(reply.header("mcp-session-id"), None);
    web.plain(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).is(202);
}

/// Whoever cannot read events gets the answer alone.
#[test]
fn a_plain_post_gets_no_events() {
    let web = web();
    let mut message = call("steps", json!({}));
    message["params"]["_meta"] = json!({"progressToken": 1});
    let reply = web.plain(&message);
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(text(&reply), "done");
    assert_eq!(reply.json()["id"], 7);
}

#[test]
fn what_streams_comes_as_events() {
    let web = web();
    let mut message = modern("tools/call", json!({"name": "steps"}));
    message["params"]["_meta"]["progressToken"] = json!("p");
    let headers = [
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "steps"),
    ];
    let reply = web.post(&headers, &message);
    assert_eq!(reply.is(200).header("content-type"), Some("text/event-stream"));
    assert_eq!(reply.header("x-accel-buffering"), Some("no"));
    let events = reply.events();
    let words: Vec<&Value> = events.iter().map(|event| &event["params"]["message"]).collect();
    assert_eq!(words[..3], ["step 1", "step 2", "step 3"]);
    assert_eq!(events[3]["result"]["content"][0]["text"], "done");
}

#[test]
fn a_legacy_client_has_a_session() {
    let web = web();
    let session = Session::open(&web, "2025-11-25", json!({}));
    let headers = session.headers();
    let reply = web.post(&headers, &call("hello", json!({"name": "Ada"})));
    let events = reply.is(200).events();
    assert_eq!(events.last().unwrap()["result"]["content"][0]["text"], "hello Ada");
    // A changed file is told of on the stream that is open for that.
    let mut stream = session.listen(None);
    web.room.write("more.star", "def more(): return 1\ntool(more)");
    assert_eq!(stream.message().json()["method"], "notifications/tools/list_changed");
    assert_eq!(web.ask("DELETE", "/mcp", &headers, "").is(204).body, "");
    web.post(&headers, &call("hello", json!({"name": "Ada"}))).is(404);
}

#[test]
fn a_listener_hears_of_changes() {
    let web = web();
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let message = modern("subscriptions/listen", filter).to_string();
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", "subscriptions/listen"),
    ];
    let request = written(web.port, "POST", "/mcp", &headers, &message);
    let mut stream = Stream::open(&web, &request);
    assert_eq!(stream.next().unwrap()["method"], "notifications/subscriptions/acknowledged");
    web.room.write("more.star", "def more(): return 1\ntool(more)");
    let word = stream.next().unwrap();
    assert_eq!(word["method"], "notifications/tools/list_changed");
    assert_eq!(word["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 1);
    // Told to end, it ends with a result.
    web.signal("TERM");
    assert!(stream.next().unwrap().get("result").is_some());
    assert!(stream.next().is_none());
}

/// A stream on which nothing happens is kept alive by comments, which no client takes for a message.
#[test]
fn a_quiet_stream_is_kept_alive() {
    use std::io::{BufRead, BufReader, Write};
    let web = web();
    let message =
        modern("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", "subscriptions/listen"),
    ];
    let request = written(web.port, "POST", "/mcp", &headers, &message.to_string());
    let mut stream = web.connect();
    stream.write_all(&request).unwrap();
    let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.starts_with("data: ") && line.contains("acknowledged")));
    assert!(lines.any(|line| line.starts_with(':')), "no comment came");
}

/// Whoever keeps a list compares it with the next one by its bytes.
#[test]
fn lists_are_the_same_every_time() {
    let web = web();
    for file in ["zoo", "bar", "app"] {
        let source = format!("def {file}(b: int, a: int = 1): return 1\ntool({file})");
        web.room.write(&format!("{file}.star"), &source);
    }
    let deadline = std::time::Instant::now() + crate::wire::PATIENCE;
    let list = || web.modern("tools/list", json!({})).is(200).body.clone();
    while !["zoo", "bar", "app"].iter().all(|name| list().contains(name)) {
        assert!(std::time::Instant::now() < deadline);
    }
    let first = list();
    for _ in 0..100 {
        assert_eq!(list(), first);
    }
    let other = Web::start(web.room, &[]);
    assert_eq!(other.modern("tools/list", json!({})).body, first);
}

#[test]
fn health_says_what_is_served() {
    let web = web();
    let reply = web.get("/health");
    let health = reply.is(200).json();
    assert_eq!(health["status"], "ok");
    assert_eq!(health["modules"], 1);
    assert_eq!(health["tools"], 3);
    assert_eq!(web.get("/health/live").is(200).json()["status"], "ok");
    assert_eq!(web.get("/health/ready").is(200).json()["status"], "ok");
    let lost = web.get("/nowhere");
    assert_eq!(lost.is(404).header("content-type"), Some("application/json"));
    assert_eq!(lost.json()["path"], "/nowhere");
    web.ask("POST", "/health", &[], "").is(405);
    web.ask("PUT", "/mcp", &[], "").is(405);
}

#[test]
fn metrics_count_by_tool() {
    let web = web();
    web.plain(&call("hello", json!({"name": "Ada"}))).is(200);
    web.plain(&call("hello", json!({}))).is(200);
    web.plain(&call("broken", json!({}))).is(200);
    // A name that nobody has would make a row for whoever thinks of one.
    web.plain(&call("no_such", json!({}))).is(200);
    let reply = web.get("/metrics");
    assert_eq!(
        reply.is(200).header("content-type"),
        Some("text/plain; version=0.0.4; charset=utf-8")
    );
    for line in [
        "larkspur_tools 3",
        "larkspur_modules 1",
        "larkspur_requests_total 4",
        "larkspur_requests_failed_total 3",
        "larkspur_calls_in_flight 0",
        "larkspur_calls_waiting 0",
        "larkspur_reloads_total 0",
        "larkspur_limit_hits_total{limit=\"timeout\"} 0",
        "larkspur_calls_total{module=\"greet\",tool=\"hello\"} 1",
        "larkspur_calls_total{module=\"greet\",tool=\"broken\"} 1",
        "larkspur_call_errors_total{module=\"greet\",tool=\"broken\"} 1",
        "larkspur_call_errors_total{module=\"greet\",tool=\"hello\"} 0",
        "larkspur_call_duration_seconds_bucket{module=\"greet\",tool=\"hello\",le=\"+Inf\"} 1",
        "larkspur_call_duration_seconds_count{module=\"greet\",tool=\"hello\"} 1",
    ] {
        assert!(reply.body.lines().any(|known| known == line), "no {line} in {}", reply.body);
    }
    assert!(!reply.body.contains("no_such"));
    assert!(reply.body.contains("# TYPE larkspur_call_duration_seconds histogram"));
}

/// The two curl commands of the book.
#[test]
#[ignore = "needs curl: cargo xtask test"]
fn curl_needs_no_ceremony() {
    cluster::assert_test_is_marked("curl");
    let lines = [
        "curl http://localhost:3000/health",
        "curl -X POST http://localhost:3000/mcp \\
  -H \"Content-Type: application/json\" \\
  -d '{\"jsonrpc\":\"2.0\",\"method\":\"tools/list\",\"params\":{},\"id\":1}'",
    ];
    let page = crate::documents::workspace().join("book/src/serving.md");
    let page = std::fs::read_to_string(page).unwrap();
    let room = Room::new();
    room.write("greet.star", GREET);
    let web = Web::start(room, &["--port", "3000"]);
    assert_eq!(web.port, 3000);
    let answers = lines.map(|line| {
        assert!(page.contains(line), "the page does not say {line}");
        let ran = std::process::Command::new("sh").args(["-c", line]).output().unwrap();
        assert!(ran.status.success(), "{line}: {ran:?}");
        serde_json::from_slice::<Value>(&ran.stdout).unwrap()
    });
    assert_eq!(answers[0]["tools"], 3);
    assert_eq!(answers[1]["result"]["tools"][1]["name"], "hello");
}
