//! How often one caller may call, and one module be called: on every road, and told in the words of each.

use crate::calls::SPIN;
use crate::fixture::{Opening, Server, saying};
use crate::room::Room;
use crate::session::{Session, initialize};
use crate::web::Web;
use model::{Args, Caller, Output};
use runtime::{
    Asking, Batch, BatchAnswer, Call, Meta, Overload, ProjectFile, RequestError, RequestErrorKind,
    Runtime, Settings, Stats, Trail,
};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

const HUB: &str = r#"
def ping() -> str:
    return "pong"
def relay(ctx) -> str:
    return ctx.call("hub.ping", {})
def page(topic: str):
    return "about " + topic
def greet(name: str = "ada"):
    return "hello " + name
def later(ctx, wait: str) -> str:
    if ctx.state.get("asked"):
        return "now"
    ctx.state.set("asked", True)
    error("later", "not yet", retry_after = wait)
tool(ping, read_only = True)
tool(relay)
tool(later, idempotent = True)
resource("hub://{topic}", page)
prompt(greet)
"#;

pub(crate) fn open(limits: &str) -> (Room, Runtime) {
    let room = Room::new();
    room.write("hub.star", HUB).write("other.star", &saying("sing", "la"));
    room.project(limits);
    let runtime = reopened(&room);
    (room, runtime)
}

pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> T {
    let executor = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    executor.unwrap().block_on(work)
}

pub(crate) fn by(who: &str, tool: &str, args: Value) -> Call {
    let Value::Object(args) = args else { panic!("{args} is no object") };
    Call { caller: Caller::named(who.to_owned()), ..Call::new(tool, args) }
}

fn call(runtime: &Runtime, who: &str, tool: &str, args: Value) -> Result<Output, RequestError> {
    block_on(runtime.call(by(who, tool, args)))
}

fn asking(who: &str) -> Asking {
    Asking { caller: Caller::named(who.to_owned()), ..Asking::default() }
}

fn batch(runtime: &Runtime, who: &str, tasks: Value) -> Value {
    let batch = Batch {
        meta: Meta::Batch,
        tasks,
        watch: None,
        lines: None,
        caller: Caller::named(who.to_owned()),
        cancel: CancellationToken::new(),
        trail: Trail::default(),
    };
    block_on(runtime.batch(batch))
        .map_or_else(|refused| panic!("{refused}"), BatchAnswer::into_json)
}

fn step(id: &str, tool: &str) -> Value {
    json!({"id": id, "module": "hub", "tool": tool, "params": {}})
}

/// The sentence of a call that was turned away, without how long that is.
fn refusal(runtime: &Runtime, way: &str) -> String {
    let whole = match way {
        "flat" => call(runtime, "ada", "ping", json!({})).unwrap_err().to_string(),
        "call" => {
            let inner = json!({"module": "hub", "tool": "ping", "params": {}});
            call(runtime, "ada", "call", inner).unwrap_err().to_string()
        }
        "batch" => {
            let answer = batch(runtime, "ada", json!([step("a", "ping")]));
            let code = answer["errors"]["a"]["code"].as_str().unwrap();
            assert!(code.ends_with("rate"), "{answer}");
            let message = &answer["errors"]["a"]["message"];
            message.as_str().unwrap().to_owned()
        }
        "read" => {
            let read = block_on(runtime.read("hub://tea", asking("ada")));
            read.unwrap_err().to_string()
        }
        "prompt" => {
            let got = block_on(runtime.prompt("greet", Args::new(), asking("ada")));
            got.unwrap_err().to_string()
        }
        other => panic!("{other}"),
    };
    let (sentence, time) = whole.split_once("; try again in ").unwrap();
    assert!(time.ends_with(" s"), "{whole}");
    sentence.to_owned()
}

/// Every limit, on every road by which something is called.
#[test]
fn a_limit_holds_on_every_road() {
    for (limits, sentence) in [
        ("[limits]\ncaller_rate = '1/h'\n", "one caller may make 1/h calls (limit `caller_rate`)"),
        ("[limits]\nmodule_rate = '1/h'\n", "module `hub` may be called 1/h (limit `module_rate`)"),
        (
            "[module.hub]\nrate = '1/h'\n",
            "module `hub` may be called 1/h (`rate` under [module.hub])",
        ),
    ] {
        for way in ["flat", "call", "batch", "read", "prompt"] {
            let (_room, runtime) = open(limits);
            call(&runtime, "ada", "ping", json!({})).unwrap();
            assert_eq!(refusal(&runtime, way), sentence, "{way}");
        }
        // What a script calls counts like what its caller does.
        let (_room, runtime) = open(limits);
        let error = call(&runtime, "ada", "relay", json!({})).unwrap_err();
        assert!(error.to_string().contains(sentence), "{error}");
        let hits = runtime.metrics();
        let limit = ["caller_rate", "module_rate", "rate"];
        let limit = limit.iter().find(|name| limits.contains(&format!("{name} ="))).unwrap();
        let line = format!("limit_hits_total{{limit=\"{limit}\"}} 1");
        assert!(hits.contains(&line), "{line}\n{hits}");
    }
}

#[test]
fn a_batch_costs_as_many_as_it_has_tasks() {
    let (_room, runtime) = open("[limits]\ncaller_rate = '3/h'\n");
    let steps = ["a", "b", "c", "d"].map(|id| step(id, "ping"));
    let answer = batch(&runtime, "ada", json!(steps));
    let ended = |id: &str| answer["errors"][id]["code"].as_str() == Some("caller_rate");
    let limited = ["a", "b", "c", "d"].into_iter().filter(|id| ended(id)).count();
    assert_eq!(limited, 1, "{answer:#}");
}

#[test]
fn callers_have_turns_of_their_own_and_share_those_of_a_module() {
    let (_room, runtime) = open("[limits]\ncaller_rate = '2/h'\nmodule_rate = '3/h'\n");
    let limit = |who: &str, tool: &str| match call(&runtime, who, tool, json!({})) {
        Ok(_) => "",
        Err(error) => match error.kind {
            RequestErrorKind::Limited(limited) => limited.limit,
            _ => panic!("{error}"),
        },
    };
    assert_eq!(limit("ada", "ping"), "");
    assert_eq!(limit("ada", "ping"), "");
    assert_eq!(limit("ada", "ping"), "caller_rate");
    assert_eq!(limit("bo", "ping"), "");
    assert_eq!(limit("bo", "ping"), "module_rate");
    assert_eq!(limit("cy", "sing"), "");
    // One who calls himself like whoever runs the server is not him.
    for _ in 0..3 {
        let _ = call(&runtime, "local", "sing", json!({}));
    }
    let local = Call::new("sing", Args::new());
    let ended = block_on(runtime.call(local)).map_err(|error| error.to_string());
    assert!(!ended.is_err_and(|why| why.contains("caller_rate")));
    // Whoever asks for what is not there is counted as well.
    for _ in 0..2 {
        let unknown = call(&runtime, "di", "nothing", json!({})).unwrap_err();
        assert_eq!(unknown.code(), "unknown");
    }
    assert_eq!(limit("di", "sing"), "caller_rate");
}

fn web(limits: &str) -> Web {
    let room = Room::new();
    room.write("hub.star", HUB);
    room.project(limits);
    Web::start(room, &[])
}

#[test]
fn over_http_it_is_429_in_every_era() {
    let web = web("[limits]\ncaller_rate = '2/h'\n[audit]\n");
    // It counts as well.
    let session = Session::open(&web, "2025-11-25", json!({}));
    let ping = json!({"name": "ping", "arguments": {}});
    web.modern("tools/call", ping.clone()).is(200);
    let message = |method: &str, params: &Value| json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    let read = json!({"uri": "hub://tea"});
    let inner =
        json!({"name": "call", "arguments": {"module": "hub", "tool": "ping", "params": {}}});
    for reply in [
        web.modern("tools/call", ping.clone()),
        web.modern("tools/call", inner.clone()),
        web.modern("resources/read", read.clone()),
        web.plain(&message("tools/call", &ping)),
        web.plain(&message("prompts/get", &json!({"name": "greet"}))),
    ] {
        let wait: u64 = reply.is(429).header("retry-after").unwrap().parse().unwrap();
        assert!((1700..=1800).contains(&wait), "{wait}");
        let body: Value = serde_json::from_str(&reply.body).unwrap();
        assert_eq!(body["error"]["code"], 1001, "{body}");
        assert_eq!(body["error"]["data"]["limit"], "caller_rate");
        assert_eq!(body["error"]["data"]["retryAfter"], wait);
        assert!(body["id"].is_number());
    }
    // A session's call is no other, and another session is not to be had.
    let both = ("Accept", "application/json, text/event-stream");
    session.post(&message("tools/call", &ping)).is(429);
    initialize(&web, "2025-11-25", json!({})).is(429);
    // Nor is it in anybody's way who only looks.
    session.post(&message("tools/list", &json!({}))).is(200);
    // A batch is answered, and says it of its tasks.
    let tasks = json!({"name": "batch", "arguments": {"tasks": [step("a", "ping")]}});
    let reply = web.modern("tools/call", tasks);
    assert!(reply.is(200).body.contains("caller_rate"), "{}", reply.body);
    // Headers that say something else than the body are told first.
    let twisted = web.post(
        &[
            both,
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "other"),
        ],
        &crate::web::modern("tools/call", ping),
    );
    twisted.is(400);
}

#[test]
fn on_stdio_it_is_said_in_the_answer() {
    let room = Room::new();
    room.write("hub.star", HUB).project("[limits]\ncaller_rate = '1/h'\n");
    let mut server = Server::start_in(room, Opening::Legacy);
    server.call("ping", json!({})).text("pong");
    server
        .call("ping", json!({}))
        .fails("one caller may make 1/h calls (limit `caller_rate`); try again in ")
        .request("resources/read", json!({"uri": "hub://tea"}))
        .refused(1001, "(limit `caller_rate`)");
}

#[test]
fn a_rate_that_is_set_anew_holds_at_once() {
    let room = Room::new();
    room.write("hub.star", HUB).project("[module.hub]\nrate = '1/h'\n");
    let mut server = Server::start_in(room, Opening::Legacy);
    server.call("ping", json!({})).text("pong");
    server.call("ping", json!({})).fails("(`rate` under [module.hub])");
    // A file that is loaded again does not give turns back.
    server.edit("hub", &HUB.replace("pong", "PONG"));
    server.status_until("reloaded", |status| status["reloads"] == 1);
    server.call("ping", json!({})).fails("(`rate` under [module.hub])");
    server.project("[module.hub]\nrate = '1000/s'\n");
    server.until("ping", json!({}), "PONG");
}

/// A task that is to be tried again is tried when that is worth it, and not at all if that is too late.
#[test]
fn a_batch_comes_back_when_it_was_told_to() {
    let (_room, runtime) = open("[module.hub]\nrate = '5/s'\n");
    let again = |id: &str, tool: &str, params: Value| {
        let retry = json!({"max": 5, "on": [429]});
        json!({"id": id, "module": "hub", "tool": tool, "params": params, "retry": retry,
            "raw_output": true})
    };
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    let steps = names.map(|id| again(id, "ping", json!({})));
    let answer = batch(&runtime, "ada", json!(steps));
    for id in names {
        assert_eq!(answer["tasks"][id]["status"], "ok", "{answer:#}");
    }
    let (_room, runtime) = open("");
    let soon = again("a", "later", json!({"wait": "1ms"}));
    let answer = batch(&runtime, "ada", json!([soon]));
    assert_eq!(answer["results"]["a"], "now", "{answer:#}");
    let (_room, runtime) = open("");
    let late = again("a", "later", json!({"wait": "60m"}));
    let answer = batch(&runtime, "ada", json!([late]));
    assert_eq!(answer["errors"]["a"]["code"], "later", "{answer:#}");
}

#[test]
fn reads_are_limited_as_such() {
    let (_room, runtime) = open("[limits]\ncaller_rate = '1/h'\n");
    let read = || block_on(runtime.read("hub://tea", asking("ada")));
    read().unwrap();
    assert_eq!(read().unwrap_err().code(), "caller_rate");
}

/// So many calls that do not end of themselves, begun; those that are turned away have ended.
fn spin(
    runtime: &Runtime,
    who: fn(usize) -> String,
    count: usize,
) -> JoinSet<Result<Output, RequestError>> {
    let mut calls = JoinSet::new();
    for number in 0..count {
        let runtime = runtime.clone();
        calls.spawn(async move { runtime.call(by(&who(number), "spin", json!({}))).await });
    }
    calls
}

/// Waits until so many run, and so many wait.
async fn settled(runtime: &Runtime, running: u64, waiting: u64) {
    let deadline = std::time::Instant::now() + crate::wire::PATIENCE;
    let waiting = format!("\nlarkspur_calls_waiting {waiting}\n");
    while Stats::get(&runtime.stats().in_flight) != running || !runtime.metrics().contains(&waiting)
    {
        assert!(std::time::Instant::now() < deadline, "{}", runtime.metrics());
        tokio::task::yield_now().await;
    }
}

#[test]
fn one_caller_keeps_nobody_else_waiting() {
    let (room, _) = open("[limits]\ncaller_calls = 4\nqueue = 200\n");
    room.write("spin.star", SPIN);
    let runtime = reopened(&room);
    block_on(async {
        let mut calls = spin(&runtime, |_| "ada".to_owned(), 104);
        settled(&runtime, 4, 100).await;
        let answer = runtime.call(by("bo", "ping", json!({}))).await;
        assert_eq!(answer.unwrap().plain_text(), "pong");
        assert!(calls.try_join_next().is_none());
        // Nor do those who wait stay when nobody waits for them.
        calls.shutdown().await;
        settled(&runtime, 0, 0).await;
        let answer = runtime.call(by("ada", "ping", json!({}))).await;
        assert_eq!(answer.unwrap().plain_text(), "pong");
    });
}

#[test]
fn whoever_waits_too_long_a_line_is_turned_away_by_name() {
    for (limit, whose) in [("caller_calls", "caller"), ("module_calls", "module")] {
        let (room, _) = open(&format!("[limits]\n{limit} = 1\nqueue = 2\n"));
        room.write("spin.star", SPIN);
        let runtime = reopened(&room);
        block_on(async {
            let who: fn(usize) -> String = match whose {
                "caller" => |_| "ada".to_owned(),
                _ => |number| format!("c{number}"),
            };
            let mut calls = spin(&runtime, who, 4);
            let ended = calls.join_next().await.unwrap().unwrap();
            let full = Overload::QueueFull { waiting: 2, limit };
            let error = ended.unwrap_err();
            assert_eq!(error.kind, RequestErrorKind::Busy(full));
            assert_eq!(
                error.to_string(),
                format!(
                    "too many calls of this {whose} are waiting (2); try again in a moment (limit `{limit}`)"
                )
            );
            settled(&runtime, 1, 2).await;
            let answer = runtime.call(by("bo", "ping", json!({}))).await;
            assert_eq!(answer.unwrap().plain_text(), "pong");
            let line = format!("limit_hits_total{{limit=\"{limit}\"}} 1");
            assert!(runtime.metrics().contains(&line), "{}", runtime.metrics());
            calls.shutdown().await;
        });
    }
}

pub(crate) fn reopened(room: &Room) -> Runtime {
    let project = ProjectFile::open(room.path().join("larkspur.toml")).unwrap();
    Runtime::open(Settings {
        folders: vec![room.modules().to_owned()],
        bounds: project.project().bounds,
        project,
        ..Settings::default()
    })
}

/// What the method does not read makes nothing free, and neither does a header in an era that has none.
#[test]
fn no_member_more_dodges_a_rate() {
    let web = web("[limits]\nmodule_rate = '1/h'\n");
    let message = |method: &str, params: &Value| json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    web.plain(&message("tools/call", &json!({"name": "ping"}))).is(200);
    let of = json!({"type": "ref/resource", "uri": "hub://{topic}"});
    for (method, params) in [
        ("tools/call", json!({"name": "ping", "uri": 5})),
        ("tools/call", json!({"name": "ping", "arguments": null})),
        ("resources/read", json!({"uri": "hub://tea", "name": 5})),
        ("resources/read", json!({"uri": "hub://tea", "arguments": []})),
        ("prompts/get", json!({"name": "greet", "uri": 5})),
        ("completion/complete", json!({"ref": of, "argument": {"name": "topic", "value": ""}})),
    ] {
        let message = message(method, &params);
        web.plain(&message).is(429);
        web.post(&[("Mcp-Name", "other"), ("Mcp-Method", "tools/list")], &message).is(429);
    }
    let encoded = [
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", crate::web::MODERN),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "=?base64?cGluZw==?="),
    ];
    let ping = crate::web::modern("tools/call", json!({"name": "ping", "uri": 5}));
    web.post(&encoded, &ping).is(429);
}
