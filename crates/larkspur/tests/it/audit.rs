//! What is written down of calls: all of them, by every way, and nothing that is nobody's business.

use crate::fixture::{Opening, Server};
use crate::issuer::{Issuer, claims};
use crate::room::Room;
use crate::web::Web;
use crate::wire::PATIENCE;
use model::{Args, Caller};
use runtime::{
    Asking, Batch, Call, ProjectFile, RequestError, RequestErrorKind, Runtime, Settings, Trail,
};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Instant;
use tokio_util::sync::CancellationToken;

const NOTES: &str = r#"
def add(ctx, text: str, token: str = "") -> str:
    return "noted " + text
def twice(ctx, text: str) -> str:
    ctx.call("notes.add", {"text": text})
    return ctx.call("notes.add", {"text": text})
def broken() -> str:
    error("quota", "used up")
def endless() -> str:
    for i in range(1000000):
        for j in range(1000000):
            pass
def drop_all() -> str:
    return "gone"
def page(topic: str):
    return "about " + topic
def fresh(ctx, topic: str):
    return ctx.call("notes.add", {"text": topic})
def greet(name: str):
    return "hello " + name
tool(add)
tool(twice)
tool(broken)
tool(endless, timeout = "100ms")
tool(drop_all)
resource("notes://{topic}", page)
resource("fresh://{topic}", fresh)
prompt(greet)
"#;

const ROLES: &str = "
[role.writer]
users = ['ada']
allow = ['notes.*']
deny = ['notes.drop_*']
[scope.'notes:write']
tools = ['notes.twice']
";

pub(crate) fn room(project: &str) -> Room {
    let room = Room::new();
    room.write("notes/module.toml", "name = 'notes'\nversion = '1.2.3'\ndescription = 'd'\n");
    room.write("notes/main.star", NOTES);
    room.project(project);
    room
}

pub(crate) fn open(room: &Room) -> Runtime {
    let project = ProjectFile::open(room.path().join("larkspur.toml")).unwrap();
    Runtime::open(Settings {
        folders: vec![room.modules().to_owned()],
        bounds: project.project().bounds,
        project,
        ..Settings::default()
    })
}

pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> T {
    let executor = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    executor.unwrap().block_on(work)
}

pub(crate) fn lines_of(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

/// What is written, without what no two runs have alike.
fn written(room: &Room) -> Vec<Value> {
    let mut lines = lines_of(&room.path().join(".larkspur/audit.jsonl"));
    for line in &mut lines {
        let line = line.as_object_mut().unwrap();
        for name in ["time", "pid", "duration_ms"] {
            line.remove(name);
        }
    }
    lines
}

pub(crate) fn as_ada(tool: &str, args: Value) -> Call {
    let Value::Object(args) = args else { panic!("{args} is no object") };
    Call { caller: Caller::named("ada"), ..Call::new(tool, args) }
}

/// A URI is given like arguments, and is written down as little as they are.
#[test]
fn what_a_resource_calls_is_told_by_its_name() {
    let room = room("[audit]\n");
    let runtime = open(&room);
    let read = runtime.read("fresh://canary-t0k", Asking::default());
    block_on(read).unwrap();
    runtime.close();
    let lines = written(&room);
    assert_eq!(lines[0]["via"], "notes.fresh");
    assert!(!format!("{lines:?}").contains("canary-t0k"), "{lines:?}");
}

#[test]
fn every_call_and_denial_is_a_line_by_every_way() {
    let room = room(&format!("[audit]\n{ROLES}"));
    let runtime = open(&room);
    block_on(async {
        let text = || json!({"text": "milk", "token": "canary-t0k"});
        let _ = runtime.call(as_ada("add", text())).await;
        let _ = runtime.call(as_ada("notes.twice", json!({"text": "a"}))).await;
        let _ = runtime.call(as_ada("broken", json!({}))).await;
        let _ = runtime.call(as_ada("add", json!({"text": 1, "more": 2}))).await;
        let _ = runtime.call(as_ada("endless", json!({}))).await;
        let _ = runtime.call(as_ada("drop_all", json!({}))).await;
        let _ = runtime.call(as_ada("nothing", json!({}))).await;
        let inner = json!({"module": "notes", "tool": "drop_all", "params": {}});
        let _ = runtime.call(as_ada("call", inner)).await;
        let inner = json!({"module": "notes", "tool": "add", "params": {"text": "x"}});
        let _ = runtime.call(as_ada("call", inner)).await;
        let batch = |tasks: Value| Batch {
            meta: runtime::Meta::Batch,
            tasks,
            watch: None,
            lines: None,
            caller: Caller::named("ada"),
            cancel: CancellationToken::new(),
            trail: Trail::default(),
        };
        let step = |id: &str, tool: &str, params: Value| json!({"id": id, "module": "notes", "tool": tool, "params": params});
        let one = step("a", "add", json!({"text": "x"}));
        let _ = runtime.batch(batch(json!([one]))).await;
        let bad = step("b", "drop_all", json!({}));
        let _ = runtime.batch(batch(json!([one, bad]))).await;
        let asking = || Asking { caller: Caller::named("ada"), ..Asking::default() };
        let _ = runtime.read("notes://tea", asking()).await;
        let _ = runtime.read("other://canary-t0k", asking()).await;
        let mut args = Args::new();
        args.insert("name".into(), json!("bo"));
        let _ = runtime.prompt("greet", args, asking()).await;
        let mut poor = as_ada("twice", json!({"text": "a"}));
        poor.caller = Caller::named("ada").with_token(Vec::new(), serde_json::Map::new());
        let _ = runtime.call(poor).await;
    });
    runtime.close();
    let told: Vec<String> = written(&room)
        .iter()
        .map(|line| {
            let text = |name: &str| line[name].as_str().unwrap_or("-").to_owned();
            let names = ["method", "module", "tool", "via", "verdict", "kind"].map(text);
            names.join(" ")
        })
        .collect();
    assert_eq!(
        told,
        [
            "tools/call notes add - ok -",
            "tools/call notes add notes.twice ok -",
            "tools/call notes add notes.twice ok -",
            "tools/call notes twice - ok -",
            "tools/call notes broken - error quota",
            "tools/call notes add - error rejected",
            "tools/call notes endless - stopped timeout",
            "tools/call notes drop_all - denied masked",
            "tools/call - nothing - denied unknown",
            "tools/call notes drop_all call denied masked",
            "tools/call notes add call ok -",
            "tools/call notes add batch ok -",
            "tools/call notes drop_all batch denied masked",
            "resources/read notes page - ok -",
            "resources/read - other:… - denied unknown",
            "prompts/get notes greet - ok -",
            "tools/call notes twice - denied scope",
        ]
    );
    let lines = written(&room);
    assert_eq!(
        lines[0],
        json!({"seq": 1, "caller": "ada", "door": "cli", "method": "tools/call", "module": "notes",
            "version": "1.2.3", "tool": "add", "verdict": "ok", "bytes": 10,
            "rule": "allowed: `notes.*` in `allow` of [role.writer]"})
    );
    assert_eq!(lines[7]["rule"], "denied: `notes.drop_*` in `deny` of [role.writer]");
    let seqs: Vec<u64> = lines.iter().map(|line| line["seq"].as_u64().unwrap()).collect();
    assert!(seqs.into_iter().eq(1..=17));
    let path = room.path().join(".larkspur/audit.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    assert!(!text.contains("milk") && !text.contains("canary"), "{text}");
    assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
}

/// Credentials in every string that reaches the log: arguments of calls, of batches and of calls from a
/// script, names of tools that do not exist, kinds of errors, ids of requests, URIs, prompt arguments.
#[test]
fn credentials_reach_the_log_by_no_way() {
    let room = room("[audit]\narguments = true\n");
    room.write("raise.star", "def oops(kind: str) -> str:\n    error(kind, kind)\ntool(oops)\n");
    let canary = format!("ghp_{}", "c4N4rY".repeat(6));
    let runtime = open(&room);
    block_on(async {
        for (tool, args) in [
            ("add", json!({"text": format!("use {canary} now")})),
            ("twice", json!({"text": canary})),
            ("raise.oops", json!({"kind": canary})),
            (canary.as_str(), json!({})),
            ("call", json!({"module": "notes", "tool": canary, "params": {"text": canary}})),
            ("call", json!({"module": "notes", "tool": "add", "params": {"text": canary}})),
            (
                "batch",
                json!({"tasks": [{"id": "a", "module": "notes", "tool": "add", "params": {"text": canary}}]}),
            ),
        ] {
            let mut call = as_ada(tool, args);
            call.trail.request = Some(canary.as_str().into());
            let _ = runtime.call(call).await;
        }
        let uri = format!("notes://{canary}");
        let _ = runtime.read(&uri, Asking::default()).await;
        let mut args = Args::new();
        args.insert("name".into(), json!(canary));
        let _ = runtime.prompt("greet", args, Asking::default()).await;
    });
    runtime.close();
    let lines = written(&room);
    assert_eq!(lines.len(), 11, "{lines:?}");
    assert_eq!(lines[0]["arguments"], json!({"text": "use *** now"}));
    let text = fs::read_to_string(room.path().join(".larkspur/audit.jsonl")).unwrap();
    assert!(!text.contains("c4N4rY"), "{text}");
}

#[test]
fn no_name_forges_a_line() {
    let room = room("[audit]\n");
    let runtime = open(&room);
    let evil = "x\r\n{\"seq\":9}\n\u{1b}[2J\u{9b}31m\u{2028}\u{202e}";
    block_on(async {
        let call =
            Call { caller: Caller::named(format!("eve{evil}")), ..Call::new(evil, Args::new()) };
        let _ = runtime.call(call).await;
    });
    runtime.close();
    let text = fs::read_to_string(room.path().join(".larkspur/audit.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 1);
    assert!(text.trim_end().bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{text:?}");
    let line: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(line["tool"], evil);
    let shown = room.run(&["audit"]);
    let printable = |c: char| !c.is_control() && c != '\u{202e}';
    assert!(shown.stdout.trim_end().chars().all(printable), "{:?}", shown.stdout);
}

/// By both doors of one server, with the client's own numbers.
#[test]
fn a_line_says_by_which_door_and_for_which_request() {
    let mut server = Server::start_in(room("[audit]\n"), Opening::Modern);
    let traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let call =
        json!({"name": "add", "arguments": {"text": "a"}, "_meta": {"traceparent": traceparent}});
    server.request("tools/call", call).result();
    let path = server.room.path().join(".larkspur/audit.jsonl");
    // It is there within a second, while the server goes on.
    let line = server.wait_until("written", || lines_of(&path).into_iter().next());
    assert_eq!((&line["door"], &line["request"]), (&json!("stdio"), &json!("1")));
    assert_eq!(line["trace"], "4bf92f3577b34da6a3ce929d0e0e4736");
    let web = Web::start(server.leave_room(), &[]);
    let call = json!({"jsonrpc": "2.0", "id": "r7", "method": "tools/call",
        "params": {"name": "add", "arguments": {"text": "a"}}});
    web.plain(&call).is(200);
    web.modern("tools/call", json!({"name": "add", "arguments": {"text": "a"}})).is(200);
    web.signal("TERM");
    let mut web = web;
    web.wire.ended();
    let lines = lines_of(&path);
    let doors: Vec<&Value> = lines.iter().map(|line| &line["door"]).collect();
    assert_eq!(doors, ["stdio", "http", "http"]);
    assert_eq!(lines[1]["request"], "r7");
}

#[test]
fn a_caller_who_leaves_is_written_down_as_well() {
    let room = room("[audit]\n");
    let runtime = open(&room);
    block_on(async {
        let call = runtime.call(as_ada("endless", json!({})));
        let _ = tokio::time::timeout(std::time::Duration::from_millis(1), call).await;
    });
    runtime.close();
    let lines = written(&room);
    assert_eq!((&lines[0]["verdict"], &lines[0]["kind"]), (&json!("stopped"), &json!("gone")));
}

#[test]
fn calls_are_refused_while_nothing_can_be_written_and_go_on_when_it_can() {
    let room = room("[audit]\nfile = 'log'\non_error = 'refuse'\n");
    let path = room.path().join("log");
    fs::create_dir(&path).unwrap();
    let runtime = open(&room);
    let call = || runtime.call(as_ada("add", json!({"text": "a"})));
    let until = |wanted: fn(&Result<model::Output, RequestError>) -> bool| {
        block_on(async {
            let deadline = Instant::now() + PATIENCE;
            while !wanted(&call().await) {
                assert!(Instant::now() < deadline, "it stays as it is");
                tokio::task::yield_now().await;
            }
        });
    };
    // Also the first of them.
    let refused = block_on(call()).unwrap_err();
    assert_eq!(refused.kind, RequestErrorKind::Unaudited);
    assert!(runtime.audit().is_refusing());
    assert!(runtime.metrics().contains("\nlarkspur_audit_failing 1\n"));
    fs::remove_dir(&path).unwrap();
    until(Result::is_ok);
    assert!(runtime.metrics().contains("\nlarkspur_audit_failing 0\n"));
    runtime.close();
    let lines = lines_of(&path);
    let is = |line: &Value, verdict: &str, kind: Value| {
        line["verdict"] == verdict && line["kind"] == kind
    };
    // What could not be written at first was kept: those who were turned away.
    assert!(is(&lines[0], "denied", json!("audit")), "{}", lines[0]);
    assert!(is(lines.last().unwrap(), "ok", Value::Null));
}

#[test]
fn calls_go_on_where_that_is_wanted() {
    let room = room("[audit]\nfile = 'modules'\n");
    let runtime = open(&room);
    for _ in 0..3 {
        let result = block_on(runtime.call(as_ada("add", json!({"text": "a"}))));
        assert!(result.is_ok());
    }
    runtime.close();
    assert!(runtime.metrics().contains("\nlarkspur_audit_lost_total 3\n"));
}

#[test]
fn what_comes_is_followed() {
    let room = room("[audit]\n");
    let mut follow = room.larkspur(&["audit", "--follow", "--tool", "notes.add"]);
    let mut follow = follow.stdout(std::process::Stdio::piped()).spawn().unwrap();
    room.run(&["call", "notes.drop_all"]).exits(0);
    room.run(&["call", "notes.add", "text=a"]).exits(0);
    let mut line = String::new();
    let mut stdout = std::io::BufReader::new(follow.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut stdout, &mut line).unwrap();
    follow.kill().unwrap();
    follow.wait().unwrap();
    assert!(line.contains("local  cli  notes.add"), "{line}");
}

/// A client's numbers are his own words: long ones are cut, and push nothing out.
#[test]
fn a_long_id_is_cut() {
    let room = room("[audit]\n");
    let path = room.path().join(".larkspur/audit.jsonl");
    let web = Web::start(room, &[]);
    let call = json!({"jsonrpc": "2.0", "id": "i".repeat(1 << 20), "method": "tools/call",
        "params": {"name": "twice", "arguments": {"text": "a"}}});
    web.plain(&call).is(200);
    let mut web = web;
    web.signal("TERM");
    web.wire.ended();
    let lines = lines_of(&path);
    assert!(lines[0]["request"].as_str().unwrap().len() <= 256);
}

/// A15, T20: whoever is turned away at the door is written down, and none of what he showed. Whom nobody
/// knows cannot push others out of the file.
#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn refused_logins_and_missing_scopes_are_lines() {
    let name = "https://login.example.org";
    let ada =
        json!({"key": "main", "claims": claims(name, json!({"sub": "ada", "scope": "other"}))});
    let issuer = Issuer::new(json!({"main": "RS256"}), json!({"ada": ada}));
    let room = room(&format!("{}{ROLES}[audit]\n", issuer.trusted(name)));
    let path = room.path().join(".larkspur/audit.jsonl");
    let web = Web::start(room, &[]);
    let call = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call",
        "params": {"name": "twice", "arguments": {"text": "a"}}});
    for _ in 0..100 {
        web.post(&[("Authorization", "Bearer canary-t0k")], &call).is(401);
    }
    let bearer = format!("Bearer {}", issuer.token("ada"));
    web.post(&[("Authorization", &bearer)], &call).is(403);
    let mut web = web;
    web.signal("TERM");
    web.wire.ended();
    let lines = lines_of(&path);
    let logins = lines.iter().filter(|line| line["kind"] == "login");
    let logins: Vec<&Value> = logins.collect();
    assert!((60..90).contains(&logins.len()), "{}", logins.len());
    assert_eq!((&logins[0]["verdict"], &logins[0]["method"]), (&json!("denied"), &json!("/mcp")));
    assert!(logins[0].get("caller").is_none());
    assert_eq!(logins[0]["rule"], "it is no token");
    let scope = lines.last().unwrap();
    assert_eq!((&scope["kind"], &scope["caller"]), (&json!("scope"), &json!("ada")));
    assert_eq!((&scope["issuer"], &scope["request"]), (&json!(name), &json!("5")));
    assert_eq!(scope["rule"], "the token lacks the scope notes:write");
    assert_eq!(
        (&scope["module"], &scope["version"], &scope["tool"]),
        (&json!("notes"), &json!("1.2.3"), &json!("twice"))
    );
    let text = fs::read_to_string(path).unwrap();
    assert!(!text.contains("canary") && !text.contains(issuer.token("ada")));
}
