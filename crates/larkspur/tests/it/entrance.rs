//! Who is let in: names, pages, tokens, kinds of bodies, and headers that must say what the body says.

use crate::room::Room;
use crate::web::{MODERN, Web, modern, written};
use serde_json::json;

const HELLO: &str = "def hello(name: str = 'you') -> str:\n    return 'hello ' + name\ntool(hello)";

fn room() -> Room {
    let room = Room::new();
    room.write("greet.star", HELLO);
    room
}

fn web() -> Web {
    Web::start(room(), &[])
}

fn list() -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string()
}

const PATHS: [&str; 6] =
    ["/mcp", "/health", "/health/live", "/health/ready", "/metrics", "/nowhere"];

#[test]
fn only_its_own_names() {
    let web = web();
    let at = |host: &str| web.ask("GET", "/health", &[("Host", host)], "").status;
    let port = web.port;
    for (host, status) in [
        ("localhost".to_owned(), 200),
        (format!("127.0.0.1:{port}"), 200),
        (format!("[::1]:{port}"), 200),
        ("LOCALHOST".to_owned(), 200),
        ("attacker.com".to_owned(), 403),
        (format!("attacker.com:{port}"), 403),
        ("localhost.evil".to_owned(), 403),
        ("127.0.0.1.evil".to_owned(), 403),
        ("a b".to_owned(), 400),
        (String::new(), 400),
    ] {
        assert_eq!(at(&host), status, "{host}");
    }
    for path in PATHS {
        web.ask("GET", path, &[("Host", "attacker.com")], "").is(403);
        web.ask("POST", path, &[("Host", "attacker.com")], "").is(403);
        web.ask("OPTIONS", path, &[("Host", "attacker.com")], "").is(403);
    }
    let twice = [("Host", "localhost"), ("Host", "attacker.com")];
    web.ask("GET", "/health", &twice, "").is(400);
    web.raw(b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n").is(400);
    web.raw(b"GET http://evil/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .is(400);
    web.raw(b"GET http://evil/health HTTP/1.1\r\nHost: evil\r\nConnection: close\r\n\r\n").is(403);
    let forwarded = [("Host", "evil"), ("X-Forwarded-Host", "localhost")];
    web.ask("GET", "/health", &forwarded, "").is(403);
}

#[test]
fn a_name_can_be_given() {
    let room = room();
    room.project("[server]\nhosts = ['mcp.example.org']\n");
    let web = Web::start(room, &[]);
    web.ask("GET", "/health", &[("Host", "mcp.example.org")], "").is(200);
    web.ask("GET", "/health", &[("Host", "MCP.example.org:443")], "").is(200);
    web.ask("GET", "/health", &[("Host", "example.org")], "").is(403);
}

#[test]
fn no_page_unless_one_is_named() {
    let web = web();
    for path in PATHS {
        for origin in ["http://evil.test", "null", "http://localhost:3000", ""] {
            for method in ["GET", "POST", "OPTIONS", "DELETE"] {
                web.ask(method, path, &[("Origin", origin)], "").is(403);
            }
        }
    }
}

#[test]
fn pages_of_this_machine() {
    let room = room();
    room.project("[server]\ncors = true\n");
    let web = Web::start(room, &[]);
    let from = |origin: &str| web.ask("GET", "/health", &[("Origin", origin)], "");
    for origin in
        ["http://localhost", "http://localhost:5173", "https://127.0.0.1:8443", "http://[::1]:80"]
    {
        let status = if origin.ends_with(":80") { 403 } else { 200 };
        assert_eq!(from(origin).status, status, "{origin}");
    }
    for origin in [
        "http://localhost.evil",
        "http://evil",
        "null",
        "HTTP://LOCALHOST",
        "http://localhost/",
        "file://localhost",
        "http://user@localhost",
    ] {
        from(origin).is(403);
    }
}

#[test]
fn pages_that_are_named() {
    let room = room();
    room.project("[server]\ncors = ['https://app.example.org', 'http://localhost:5173']\n");
    let web = Web::start(room, &[]);
    let page = "https://app.example.org";
    let asks = [
        ("Origin", page),
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "content-type,Mcp-Param-Region,x-odd,mcp-param-a b"),
    ];
    let preflight = web.ask("OPTIONS", "/mcp", &asks, "");
    preflight.is(204);
    assert_eq!(preflight.header("access-control-allow-origin"), Some(page));
    let taken = preflight.header("access-control-allow-headers").unwrap();
    for header in [
        "authorization",
        "content-type",
        "mcp-protocol-version",
        "mcp-session-id",
        "Mcp-Param-Region",
    ] {
        assert!(taken.contains(header), "{taken}");
    }
    assert!(!taken.contains("odd") && !taken.contains("a b"), "{taken}");
    let headers = [("Origin", page), ("Content-Type", "application/json")];
    let answer = web.ask("POST", "/mcp", &headers, &list());
    assert_eq!(answer.is(200).header("access-control-allow-origin"), Some(page));
    assert_eq!(answer.header("vary"), Some("origin"));
    for other in [
        "http://app.example.org",
        "https://app.example.org:8443",
        "https://app.example.org.evil",
        "http://localhost:5174",
        "null",
    ] {
        web.ask("GET", "/health", &[("Origin", other)], "").is(403);
    }
    let both = [("Origin", page), ("Origin", "https://evil")];
    web.ask("GET", "/health", &both, "").is(403);
}

#[test]
fn a_token_opens() {
    let mut room = room();
    let token = "0123456789abcdef0123456789abcdef";
    room.set_env("LARKSPUR_TOKEN", token);
    let web = Web::start(room, &["--auth", "token"]);
    let post = |authorization: &[(&str, &str)]| {
        let mut headers = vec![("Content-Type", "application/json")];
        headers.extend(authorization);
        web.ask("POST", "/mcp", &headers, &list())
    };
    let refused = post(&[]);
    assert_eq!(refused.is(401).header("www-authenticate"), Some("Bearer realm=\"larkspur\""));
    let right = format!("Bearer {token}");
    post(&[("Authorization", &right)]).is(200);
    post(&[("Authorization", &format!("bearer {token}"))]).is(200);
    for wrong in ["Bearer x", &format!("Basic {token}"), &right[..right.len() - 1]] {
        post(&[("Authorization", wrong)]).is(401);
    }
    // What cannot be read is no wrong token, but a wrong request.
    for odd in ["Bearer", token] {
        post(&[("Authorization", odd)]).is(400);
    }
    post(&[("Authorization", &right), ("Authorization", &right)]).is(400);
    web.get("/metrics").is(401);
    web.ask("GET", "/mcp", &[], "").is(401);
    web.ask("DELETE", "/mcp", &[], "").is(401);
    // Whoever only wants to know whether it lives learns nothing else.
    assert_eq!(web.get("/health").is(200).json(), json!({"status": "ok"}));
    web.get("/health/ready").is(200);
    assert!(!web.wire.stderr().contains(token));
}

#[test]
fn a_token_is_made_and_shown() {
    let web = Web::start(room(), &["--auth", "token"]);
    let stderr = web.wire.stderr();
    let token = stderr.split_once("Bearer ").unwrap().1.split('`').next().unwrap();
    assert_eq!(token.len(), 64);
    let authorization = format!("Bearer {token}");
    let headers = [("Content-Type", "application/json"), ("Authorization", &authorization)];
    web.ask("POST", "/mcp", &headers, &list()).is(200);
}

/// What is said where neither is given is in `cmd/serve.md`.
#[test]
fn an_open_address_needs_a_token() {
    for flags in [
        &["--host", "0.0.0.0", "--auth", "token"][..],
        &["--host", "0.0.0.0", "--insecure-open"][..],
    ] {
        Web::start(room(), flags).ask("GET", "/health", &[("Host", "any.test")], "").is(200);
    }
}

#[test]
fn a_body_is_json_as_it_is() {
    let web = web();
    let post = |headers: &[(&str, &str)], body: &str| web.ask("POST", "/mcp", headers, body);
    post(&[("Content-Type", "application/json; charset=utf-8")], &list()).is(200);
    post(&[("Content-Type", "Application/JSON")], &list()).is(200);
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""] {
        post(&[("Content-Type", kind)], &list()).is(415);
    }
    post(&[], &list()).is(415);
    let packed = [("Content-Type", "application/json"), ("Content-Encoding", "gzip")];
    post(&packed, &list()).is(415);
}

/// One message a POST, with names that nobody can read in two ways.
#[test]
fn a_body_is_one_message() {
    let web = web();
    let json = [("Content-Type", "application/json")];
    for (body, code) in [
        ("", -32700),
        ("{", -32700),
        ("nonsense", -32700),
        ("3", -32600),
        ("[]", -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1}"#, -32600),
        (r#"{"id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"Method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","Method":"x"}"#, -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"param\u{17f}\":{}}", -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","method\u0000":"x"}"#, -32600),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}"#,
            -32600,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","Name":"b"}}"#,
            -32600,
        ),
    ] {
        let reply = web.ask("POST", "/mcp", &json, body);
        assert_eq!((reply.status, reply.code()), (400, code), "{body}");
    }
    // What is wrong with params is said in-band: a bare 400 would mean an old server.
    let reply = web.ask("POST", "/mcp", &json, r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#);
    assert_eq!((reply.status, reply.code()), (200, -32602));
    let reply = web.ask("POST", "/mcp", &json, r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#);
    assert_eq!((reply.status, reply.code()), (200, -32601));
}

/// Headers as `version method name`, `-` for none, several with `|`; and the code, 0 if it is answered.
const CALL: [(&str, i64); 16] = [
    ("2026-07-28 tools/call hello", 0),
    ("2026-07-28 tools/call =?base64?aGVsbG8=?=", 0),
    ("2026-07-28 tools/call =?base64?b3RoZXI=?=", -32020),
    ("2026-07-28 tools/call =?base64?!?=", -32020),
    ("2026-07-28 tools/call other", -32020),
    ("2026-07-28 tools/call Hello", -32020),
    ("2026-07-28 tools/call hello2", -32020),
    ("2026-07-28 tools/call -", -32020),
    ("2026-07-28 - hello", -32020),
    ("2026-07-28 tools/list hello", -32020),
    ("2026-07-28 Tools/Call hello", -32020),
    ("2025-11-25 tools/call hello", -32020),
    ("- tools/call hello", -32020),
    ("2026-07-28 tools/call|tools/call hello", -32020),
    ("2026-07-28 tools/call hello|other", -32020),
    ("2026-07-28|2026-07-28 tools/call hello", -32020),
];
const LIST: [(&str, i64); 4] = [
    ("2026-07-28 tools/list -", 0),
    ("2026-07-28 tools/call -", -32020),
    ("2026-07-28 - -", -32020),
    ("2026-07-29 tools/list -", -32020),
];

#[test]
fn headers_say_what_the_body_says() {
    let web = web();
    let call = modern("tools/call", json!({"name": "hello"}));
    let list = modern("tools/list", json!({}));
    let calls = CALL.iter().map(|row| (&call, row));
    for (message, (headers, code)) in calls.chain(LIST.iter().map(|row| (&list, row))) {
        let names = ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"];
        let given = names.into_iter().zip(headers.split(' '));
        let given = given.filter(|(_, values)| *values != "-");
        let given: Vec<(&str, &str)> = given
            .flat_map(|(name, values)| values.split('|').map(move |value| (name, value)))
            .collect();
        let reply = web.post(&given, message);
        match code {
            0 => assert!(reply.is(200).json().get("result").is_some(), "{headers}"),
            code => assert_eq!((reply.status, reply.code()), (400, *code), "{headers}"),
        }
    }
}

#[test]
fn a_modern_request_says_who_it_is() {
    let web = web();
    let bare = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
    let headers = [("MCP-Protocol-Version", MODERN), ("Mcp-Method", "tools/list")];
    let reply = web.post(&headers, &bare);
    assert_eq!((reply.status, reply.code()), (400, -32602));
    let mut half = modern("tools/list", json!({}));
    half["params"]["_meta"]
        .as_object_mut()
        .unwrap()
        .remove("io.modelcontextprotocol/clientCapabilities");
    let reply = web.post(&headers, &half);
    assert_eq!((reply.status, reply.code()), (400, -32602));
    let mut newer = modern("tools/list", json!({}));
    newer["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2031-01-01");
    let reply =
        web.post(&[("MCP-Protocol-Version", "2031-01-01"), ("Mcp-Method", "tools/list")], &newer);
    assert_eq!((reply.status, reply.code()), (400, -32022));
    assert!(
        reply.json()["error"]["data"]["supported"].as_array().unwrap().contains(&json!(MODERN))
    );
    let reply = web.modern("no/such", json!({}));
    assert_eq!((reply.status, reply.code()), (404, -32601));
    // There are no sessions and no streams of their own in this era.
    for method in ["GET", "DELETE"] {
        web.ask(method, "/mcp", &[("MCP-Protocol-Version", MODERN)], "").is(405);
    }
    let mut headers = vec![("Mcp-Session-Id", "abc"), ("Last-Event-ID", "4")];
    headers.extend([("MCP-Protocol-Version", MODERN), ("Mcp-Method", "tools/list")]);
    let reply = web.post(&headers, &modern("tools/list", json!({})));
    assert_eq!(reply.is(200).header("mcp-session-id"), None);
}

#[test]
fn a_body_has_an_end() {
    let web = web();
    let head = |length: &str| {
        let headers = [("Content-Type", "application/json"), ("Content-Length", length)];
        written(web.port, "POST", "/mcp", &headers, "")
    };
    web.raw(&head("1000000000")).is(413);
    let mut request = head("4194305");
    request.resize(request.len() + (4 << 20) + 1, b' ');
    web.raw(&request).is(413);
}

/// A schema may point anywhere; nobody goes there.
#[test]
fn a_schema_is_never_fetched() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    for uri in [
        format!("http://127.0.0.1:{port}/x.json"),
        format!("https://127.0.0.1:{port}/x.json"),
        "http://169.254.169.254/latest/meta-data".to_owned(),
        "file:///etc/passwd".to_owned(),
    ] {
        let room = Room::new();
        let schema = json!({"type": "object", "properties": {"a": {"anyOf": [{"$ref": uri}]}}});
        let source = format!(
            "def f(a):\n    return a\ntool(f, description = \"d\", input_schema = {schema})"
        );
        room.write("far.star", &source);
        room.run(&["check"]).exits(1).says(&format!(
            "tool `f`: the input schema refers to `{uri}`: schemas are not fetched; write it under \
             `$defs` and refer to `#/$defs/…`"
        ));
    }
    assert!(listener.accept().is_err(), "somebody went there");
}
