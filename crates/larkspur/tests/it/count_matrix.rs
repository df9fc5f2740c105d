//! The same request by every way, on both transports and in both eras: counted, charged, audited and traced the
//! same.

use crate::room::Room;
use crate::session::Session;
use crate::web::{MODERN, Web};
use serde_json::{Value, json};
use std::fmt::Write;

const SHOP: &str = r#"
def fine():
    return "ok"

def fails():
    fail("no")

def fine_names(value):
    return ["ok"]

def fails_names(value):
    fail("no")

def of_fine(x: str):
    return x

def of_fails(x: str):
    return x

tool(fine)
tool(fails)
prompt(fine)
prompt(fails)
prompt(of_fine, complete = {"x": fine_names})
prompt(of_fails, complete = {"x": fails_names})
resource("shop://fine", fine)
resource("shop://fails", fails)
"#;

const SLOW: &str = r#"
def slow():
    for a in range(10000):
        for b in range(10000):
            pass

def slow_names(value):
    slow()

def of_slow(x: str):
    return x

tool(slow)
prompt(slow)
prompt(of_slow, complete = {"x": slow_names})
resource("slow://slow", slow)
"#;

const SLOW_MANIFEST: &str =
    "name = 'slow'\nversion = '1.0.0'\ndescription = 'd'\n[limits]\ntimeout = '100ms'\n";

/// A module with one of everything.
const ONE: &str = r#"
def NAME():
    return "ok"

def NAME_names(value):
    return ["ok"]

def of_NAME(x: str):
    return x

tool(NAME)
prompt(NAME)
prompt(of_NAME, complete = {"x": NAME_names})
resource("NAME://NAME", NAME)
"#;

/// Calls and batches of a script.
const HUB: &str = r"
permissions(calls = MODULES)

def through(ctx, tool: str, args: dict = {}):
    attempt(ctx.call, tool, args)

tool(through)
";

const CLIENTS: [&str; 5] =
    ["stdio legacy", "stdio modern", "http session", "http plain", "http modern"];
const WAYS: [&str; 9] = [
    "name",
    "call",
    "batch",
    "ctx.call",
    "ctx.call of call",
    "ctx.call of batch",
    "read",
    "prompt",
    "complete",
];

/// A target, and how its request ends.
struct Case {
    module: &'static str,
    tool: &'static str,
    /// Whether the tool runs.
    runs: bool,
    failed: u64,
    /// Limits that are hit: the time limit, and the module's rate.
    limits: [u64; 2],
    /// Verdict and kind in the audit log.
    audit: &'static str,
}

const CASES: [Case; 5] = [
    Case { module: "shop", tool: "fine", runs: true, failed: 0, limits: [0, 0], audit: "ok" },
    Case {
        module: "shop",
        tool: "fails",
        runs: true,
        failed: 1,
        limits: [0, 0],
        audit: "error failed",
    },
    Case {
        module: "slow",
        tool: "slow",
        runs: true,
        failed: 1,
        limits: [1, 0],
        audit: "stopped timeout",
    },
    Case {
        module: "shop",
        tool: "nope",
        runs: false,
        failed: 1,
        limits: [0, 0],
        audit: "denied unknown",
    },
    Case {
        module: "tight",
        tool: "tight",
        runs: false,
        failed: 1,
        limits: [0, 1],
        audit: "limited rate",
    },
];

/// Method and params of a request for a tool, a resource or a prompt.
fn request(way: &str, module: &str, tool: &str) -> (&'static str, Value) {
    let args = json!({"module": module, "tool": tool});
    let task = json!({"tasks": [{"id": "t", "module": module, "tool": tool}]});
    let call = |name: &str, arguments: Value| {
        ("tools/call", json!({"name": name, "arguments": arguments}))
    };
    match way {
        "name" => call(tool, json!({})),
        "call" => call(way, args),
        "batch" => call(way, task),
        "ctx.call" => call("through", json!({"tool": format!("{module}.{tool}")})),
        "ctx.call of call" => call("through", json!({"tool": "call", "args": args})),
        "ctx.call of batch" => call("through", json!({"tool": "batch", "args": task})),
        "read" => ("resources/read", json!({"uri": format!("{module}://{tool}")})),
        "prompt" => ("prompts/get", json!({"name": tool})),
        "complete" => {
            let of = json!({"type": "ref/prompt", "name": format!("of_{tool}")});
            ("completion/complete", json!({"ref": of, "argument": {"name": "x", "value": ""}}))
        }
        other => panic!("{other}"),
    }
}

/// A server with all clients of the matrix.
struct Matrix {
    web: Web,
    session: String,
}

impl Matrix {
    fn start(modules: &[String]) -> Self {
        let room = Room::new();
        let names = ["shop", "slow", "tight"].into_iter().chain(modules.iter().map(String::as_str));
        let calls: Vec<String> = names.map(|name| format!("{name}.*")).collect();
        let hub = HUB.replace("MODULES", &json!(calls).to_string());
        room.write("shop.star", SHOP).write("hub.star", &hub);
        room.write("slow/module.toml", SLOW_MANIFEST).write("slow/main.star", SLOW);
        let mut project = "[audit]\nfile = 'audit'\n[module.tight]\nrate = '1/h'\n".to_owned();
        room.write("tight.star", &ONE.replace("NAME", "tight"));
        for name in modules {
            room.write(&format!("{name}.star"), &ONE.replace("NAME", name));
            write!(project, "[module.{name}]\nrate = '2/h'\n").unwrap();
        }
        room.project(&project);
        let mut web = Web::start(room, &["--transport", "stdio,http", "--log-format", "json"]);
        let who = json!({"name": "t", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": who});
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        web.wire.send(hello.to_string().as_bytes());
        web.wire.answer(&json!(1));
        let session = Session::open(&web, "2025-11-25", json!({})).id;
        Self { web, session }
    }

    fn send(&mut self, client: &str, id: &str, (method, params): (&str, Value)) -> Value {
        let mut message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        if client.ends_with("modern") {
            message["params"]["_meta"] =
                crate::web::modern(method, json!({}))["params"]["_meta"].take();
        }
        if client.starts_with("stdio") {
            self.web.wire.send(message.to_string().as_bytes());
            return self.web.wire.answer(&json!(id));
        }
        let both = ("Accept", "application/json, text/event-stream");
        let params = &message["params"];
        let name = params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default();
        let name = name.to_owned();
        let headers = match client {
            "http session" => vec![
                both,
                ("Mcp-Session-Id", self.session.as_str()),
                ("MCP-Protocol-Version", "2025-11-25"),
            ],
            "http modern" => vec![
                both,
                ("MCP-Protocol-Version", MODERN),
                ("Mcp-Method", method),
                ("Mcp-Name", &name),
            ],
            _ => Vec::new(),
        };
        let mut replies = self.web.post(&headers, &message).events();
        replies.pop().unwrap()
    }

    /// Requests and failures of all, limit hits, and calls and errors of a tool.
    fn metrics(&self, case: &Case) -> [u64; 6] {
        let page = self.web.get("/metrics").body;
        let tool = format!("{{module=\"{}\",tool=\"{}\"}}", case.module, case.tool);
        let count = |name: String| {
            let line = page.lines().find_map(|line| line.strip_prefix(&name));
            line.map_or(0, |value| value.trim().parse().unwrap())
        };
        [
            count("larkspur_requests_total ".to_owned()),
            count("larkspur_requests_failed_total ".to_owned()),
            count("larkspur_limit_hits_total{limit=\"timeout\"}".to_owned()),
            count("larkspur_limit_hits_total{limit=\"rate\"}".to_owned()),
            count(format!("larkspur_calls_total{tool}")),
            count(format!("larkspur_call_errors_total{tool}")),
        ]
    }

    /// Ends the server; its audit log, and the lines on stderr.
    fn end(mut self) -> [Vec<Value>; 2] {
        self.web.signal("TERM");
        let (status, _) = self.web.wire.ended();
        assert!(status.success(), "{status}");
        let audit = std::fs::read_to_string(self.web.room.path().join("audit")).unwrap();
        let parse = |text: &str| {
            let lines = text.lines().filter(|line| line.starts_with('{'));
            lines.map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        [parse(&audit), parse(&self.web.wire.stderr())]
    }
}

fn id_of(client: &str, way: &str, case: &Case) -> String {
    format!("{client}, {way}, {}", case.tool)
}

/// What the audit log has of one request, without the script that a way leads through.
fn audited(audit: &[Value], id: &str) -> Vec<String> {
    let lines = audit.iter().filter(|line| line["request"] == id && line["tool"] != "through");
    let text = |line: &Value| {
        let words = ["verdict", "kind"].map(|name| line[name].as_str().unwrap_or_default());
        words.join(" ").trim().to_owned()
    };
    lines.map(text).collect()
}

/// Attributes of the spans of one request that no transport and no revision changes.
fn spans(stderr: &[Value], id: &str) -> Vec<String> {
    let ends = stderr.iter().filter(|line| line["fields"].get("outcome").is_some());
    let own = ends.filter(|line| line["span"]["jsonrpc.request.id"] == id);
    let text = |line: &Value| {
        let span = &line["span"];
        let kept = ["otel.name", "gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.prompt.name"];
        let kept = kept.map(|name| &span[name]);
        let end = [&span["error.type"], &line["fields"]["outcome"]];
        // The code of an unknown resource is another one in 2026-07-28.
        json!([kept, end]).to_string().replace("-32002", "-32602")
    };
    own.map(text).collect()
}

#[test]
fn every_way_counts_the_same_on_every_transport_and_in_every_revision() {
    let mut matrix = Matrix::start(&[]);
    matrix.send("stdio legacy", "first", request("name", "tight", "tight"));
    for client in CLIENTS {
        for way in WAYS {
            for case in &CASES {
                let id = id_of(client, way, case);
                let before = matrix.metrics(case);
                let reply = matrix.send(client, &id, request(way, case.module, case.tool));
                assert_eq!(reply["id"], json!(id), "{reply:#}");
                let after = matrix.metrics(case);
                let counts: Vec<u64> =
                    before.iter().zip(after).map(|(before, after)| after - before).collect();
                let around = u64::from(way.starts_with("ctx.call"));
                let runs = u64::from(case.runs && !["read", "prompt", "complete"].contains(&way));
                let [timeouts, rates] = case.limits;
                let expected = [1 + around, case.failed, timeouts, rates, runs, runs * case.failed];
                assert_eq!(counts, expected, "{id}: {reply:#}");
            }
        }
    }
    let [audit, stderr] = matrix.end();
    for way in WAYS {
        for case in &CASES {
            let first = spans(&stderr, &id_of(CLIENTS[0], way, case));
            assert_eq!(first.len(), 1, "{way} {}", case.tool);
            for client in CLIENTS {
                let id = id_of(client, way, case);
                assert_eq!(audited(&audit, &id), [case.audit], "{id}");
                assert_eq!(spans(&stderr, &id), first, "{id}");
            }
        }
    }
}

/// One request takes one of the two that a module's rate lets through.
#[test]
fn every_way_is_charged_once_on_every_transport_and_in_every_revision() {
    let pairs: Vec<(&str, &str)> =
        CLIENTS.iter().flat_map(|client| WAYS.map(|way| (*client, way))).collect();
    let modules: Vec<String> = (0..pairs.len()).map(|number| format!("m{number}")).collect();
    let mut matrix = Matrix::start(&modules);
    for ((client, way), module) in pairs.into_iter().zip(&modules) {
        matrix.send(client, "charged", request(way, module, module));
        let is_limited = ["second", "third"].map(|id| {
            let reply = matrix.send(client, id, request("name", module, module));
            let text = reply.to_string();
            assert!(text.contains("result") || text.contains("1001"), "{text}");
            text.contains("`rate` under")
        });
        assert_eq!(is_limited, [false, true], "{client}, {way}");
    }
}
