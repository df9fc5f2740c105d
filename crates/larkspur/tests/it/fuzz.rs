//! Ten thousand lines that no client would send.

use crate::fixture::{Server, ada, greeting};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::Write;

const LINES: u64 = 10_000;

#[test]
fn fuzzed_lines_neither_end_the_server_nor_get_two_answers() {
    let mut server = Server::start();
    server.module("greet", &greeting("hello")).up();
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    let lines: Vec<Vec<u8>> = (0..LINES).map(|i| line(i, &mut chance)).collect();
    write(&mut server, &lines);
    let answers = heard_out(&mut server);

    let mut asked: HashMap<String, usize> = HashMap::new();
    let mut strange = 0;
    for (own, line) in lines.iter().enumerate() {
        match read(line, own) {
            Read::Request(id) => *asked.entry(id).or_default() += 1,
            Read::Notification => {}
            Read::Strange(ids) => {
                strange += 1;
                for id in ids {
                    *asked.entry(id).or_default() += 1;
                }
            }
        }
    }
    for (id, answers) in &answers {
        let most = if id == "null" { strange } else { asked.get(id).copied().unwrap_or(0) };
        assert!(answers.len() <= most, "{} answers to {id}, asked {most} times", answers.len());
    }
    // The generator must not be so wild that nothing is understood.
    let results = answers.values().flatten();
    let good = results.filter(|answer| answer.get("result").is_some());
    assert!(good.count() > 500);
}

#[test]
fn fuzzed_notifications_get_no_answer_at_all() {
    let mut server = Server::start();
    server.module("greet", &greeting("hello")).up();
    let mut chance = Chance(0x2545_f491_4f6c_dd1d);
    let methods = [
        "notifications/cancelled",
        "notifications/initialized",
        "notifications/progress",
        "notifications/roots/list_changed",
        "notifications/none",
        "tools/call",
        "tools/list",
        "ping",
        "initialize",
        "",
        "subscriptions/listen",
    ];
    let lines: Vec<Vec<u8>> = (0..1_000)
        .map(|_| {
            let method = methods[chance.below(methods.len())];
            let params = value(&mut chance, 3);
            let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
            message.to_string().into_bytes()
        })
        .collect();
    write(&mut server, &lines);
    let answers = heard_out(&mut server);
    assert!(answers.is_empty(), "{answers:#?}");
}

/// Writes on a thread of its own: the server may want its answers read first.
fn write(server: &mut Server, lines: &[Vec<u8>]) {
    let mut stdin = server.wire().take_stdin();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for line in lines {
                stdin.write_all(line).unwrap();
                stdin.write_all(b"\n").unwrap();
            }
        });
        while !writer.is_finished() {
            let soon = std::time::Instant::now() + std::time::Duration::from_millis(20);
            server.wire().pump(soon);
        }
        writer.join().unwrap();
    });
    server.wire().give_stdin(stdin);
}

/// The server still answers; everything it has said before.
fn heard_out(server: &mut Server) -> HashMap<String, Vec<Value>> {
    let ask = json!({"jsonrpc": "2.0", "id": "at last", "method": "tools/call", "params": {"name": "hello", "arguments": ada()}});
    server.line(ask.to_string().as_bytes()).answer("at last").text("hello ada");
    server.status_until("idle", |status| status["in_flight"] == 0);
    let answers = server.wire().unasked();
    let stderr = server.wire().stderr();
    assert!(!stderr.contains("panicked"), "{stderr}");
    answers
}

/// What a line may be answered with.
enum Read {
    Request(String),
    Notification,
    /// No message: at most one answer, to nobody or to one of these.
    Strange(Vec<String>),
}

/// Whatever follows a key `id`.
fn ids_in(text: &str) -> Vec<String> {
    let values = text.split("\"id\":").skip(1);
    let ids = values.map(|rest| rest.split([',', '}']).next().unwrap_or_default());
    ids.map(|id| id.trim().to_owned()).collect()
}

fn read(line: &[u8], own: usize) -> Read {
    let line = line.trim_ascii();
    let Ok(Value::Object(message)) = serde_json::from_slice(line) else {
        // The server finds ids in texts that it cannot read as a whole.
        let mut ids = ids_in(&String::from_utf8_lossy(line));
        ids.push(own.to_string());
        return Read::Strange(ids);
    };
    let id = message.get("id").filter(|id| id.is_string() || id.is_i64()).map(ToString::to_string);
    let proper = message.get("jsonrpc") == Some(&json!("2.0"))
        && message.get("method").is_some_and(Value::is_string);
    // A key that stands twice makes a message strange, and here it cannot be seen.
    let twice = ["\"id\"", "\"method\"", "\"jsonrpc\"", "\"params\""]
        .iter()
        .any(|key| String::from_utf8_lossy(line).matches(key).count() > 1);
    match id {
        Some(id) if proper && !twice => Read::Request(id),
        None if proper && !twice && !message.contains_key("id") => Read::Notification,
        id => Read::Strange(id.into_iter().collect()),
    }
}

pub(crate) fn line(id: u64, chance: &mut Chance) -> Vec<u8> {
    let mut line = message(id, chance).to_string().into_bytes();
    match chance.below(12) {
        0 => line.truncate(chance.below(line.len())),
        1 => {
            let (from, to) = (chance.below(line.len()), chance.below(line.len()));
            line.swap(from, to);
        }
        2 => {
            let at = chance.below(line.len());
            line[at] = chance.byte();
        }
        3 => {
            let at = chance.below(line.len());
            line.insert(at, chance.byte());
        }
        4 => {
            let at = chance.below(line.len());
            let part = line[at..].to_vec();
            line.extend(part);
        }
        5 => {
            let text = String::from_utf8(line).unwrap();
            line = text.replacen('{', &format!("{{\"id\":{id},\"params\":[],"), 1).into_bytes();
        }
        6 => {
            let depth = 1 + chance.below(5_000);
            let nested = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"hello\",\"arguments\":{{\"name\":{nested}}}}}}}").into_bytes();
        }
        _ => {}
    }
    line.retain(|byte| *byte != b'\n');
    line
}

fn message(id: u64, chance: &mut Chance) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "progressToken": value(chance, 1),
    });
    let hello = json!({"name": "hello", "arguments": ada()});
    let odd = value(chance, 4);
    let (method, params) = match chance.below(14) {
        0 => ("tools/list", json!({})),
        1 => ("tools/list", json!({"_meta": meta})),
        2 => ("tools/call", hello),
        3 => ("tools/call", json!({"name": "hello", "arguments": odd})),
        4 => ("tools/call", json!({"name": "hello", "arguments": {"name": odd}})),
        5 => ("tools/call", odd),
        6 => ("tools/call", json!({"name": "hello", "arguments": ada(), "_meta": meta})),
        7 => ("ping", odd),
        8 => (
            "initialize",
            json!({"protocolVersion": "2025-06-18", "capabilities": odd, "clientInfo": {"name": "f", "version": "1"}}),
        ),
        9 => ("server/discover", json!({"_meta": meta})),
        10 => ("subscriptions/listen", json!({"notifications": odd, "_meta": meta})),
        11 => ("notifications/cancelled", json!({"requestId": id / 2, "reason": odd})),
        12 => ("notifications/initialized", odd),
        _ => ("no/such", odd),
    };
    let mut message = json!({"jsonrpc": "2.0", "method": method, "params": params});
    if !method.starts_with("notifications/") {
        message["id"] = if chance.below(20) == 0 { value(chance, 1) } else { json!(id) };
    }
    message
}

/// Any value at all, not too deep.
fn value(chance: &mut Chance, depth: usize) -> Value {
    let kinds = if depth == 0 { 8 } else { 10 };
    match chance.below(kinds) {
        0 => Value::Null,
        1 => json!(chance.below(2) == 0),
        2 => json!(i64::from_ne_bytes(chance.next().to_ne_bytes())),
        3 => serde_json::from_str("1e400").unwrap(),
        4 => serde_json::from_str(&"9".repeat(1 + chance.below(400))).unwrap(),
        5 => json!("\u{0}\u{fffd}äöü\u{1f601}\"\\"),
        6 => json!("x".repeat(chance.below(2_000))),
        7 => json!(-0.5),
        8 => (0..chance.below(4)).map(|_| value(chance, depth - 1)).collect(),
        _ => {
            let keys = ["name", "arguments", "_meta", "id", "method", "requestId"];
            let mut object = json!({});
            for _ in 0..chance.below(4) {
                object[keys[chance.below(keys.len())]] = value(chance, depth - 1);
            }
            object
        }
    }
}

/// xorshift: the same lines in every run.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() >> 1).unwrap() % bound.max(1)
    }

    fn byte(&mut self) -> u8 {
        self.next().to_ne_bytes()[0]
    }
}
