//! Attacks by class: what a caller sends through harmless modules is stopped by a limit; what a module
//! builds itself may need a process of its own, and still gets its caller an answer.
#![cfg(target_os = "linux")]

use crate::fixture::{Server, ada, greeting};
use serde_json::{Value, json};
use std::fmt::Write;

/// Passes what it is given through library calls, comprehensions, dicts, sets and formatting.
const HARMLESS: &str = r#"
def count(v: dict[str, int]) -> int:
    return len(v)

def tally(xs: list) -> int:
    counts = {}
    for x in xs:
        counts[x] = counts.get(x, 0) + 1
    return len(counts)

def unique(xs: list) -> int:
    return len(set(xs)) + len({x: 1 for x in xs})

def decode(text: str, form: str) -> str:
    forms = {"json": json.decode, "yaml": yaml.decode, "toml": toml.decode, "csv": csv.decode, "int": int}
    return type(forms[form](text))

def words(text: str) -> int:
    return len({word: 1 for word in text.split(" ")}) + len({line: 1 for line in text.splitlines()})

def show(v = None) -> int:
    return len("%s {} ".format(v) % v + f"{v}" + str([v, v]))

def copies(v = None) -> int:
    return len(str([v for _ in range(1000)]))

def link(xs: list) -> int:
    node = None
    for x in xs:
        node = (x, node)
    return len({node: 1})

def wrong(v = None) -> str:
    return v

def wrong_copies(v = None) -> str:
    return [v for _ in range(1000)]

def first(text: str) -> str:
    return text[0]

def wrong_argument(v = None) -> str:
    return first({str(i): v for i in range(1000)})

def merge(xs: list) -> int:
    all = {}
    for x in xs:
        all = all | {str(x): x}
    return len(all)

def pairs(xs: list) -> int:
    return len([(a, b) for a in xs for b in xs])

def letters(text: str) -> int:
    return len([text[i] for i in range(len(text))])

def page(html: str) -> int:
    return len(text.html_to_markdown(html))

def many(text: str, n: int) -> list[str]:
    return [text for _ in range(n)]

[tool(f, timeout = "30s") for f in (count, tally, unique, decode, words, show, copies, link, wrong, wrong_copies, wrong_argument, merge, pairs, page, many)]
tool(letters, timeout = "2s")
"#;

const HASH: &str = "more than 64 keys or items share one hash";
const DIGITS: &str = "digits";
const DEPTH: &str = "recursion limit";
const CHAIN: &str = "nested deeper than 500";
const TEXT: &str = "longer than 67108864 bytes";
const HEAP: &str = "(limit `heap`)";
const TIME: &str = "(limit `timeout`)";
const TYPE: &str = "does not match the type annotation `str`";
const RESULT: &str = "(limit `result`)";

/// Class, tool, arguments, and the limit that stops it; nothing where it is simply done.
fn caller_attacks() -> Vec<(&'static str, &'static str, Value, &'static str)> {
    let keys = || (0..20_000).map(|i| format!("AAAA{i:04x}"));
    let document: Value = keys().map(|key| (key, json!(1))).collect();
    let text = |separator: &str| keys().collect::<Vec<_>>().join(separator);
    let shifted: Vec<i64> = (0..20_000).map(|i| i << 32).collect();
    let long = "9".repeat(1_000_000);
    let digits: Value = serde_json::from_str(&long).unwrap();
    let brackets = "[".repeat(100_000);
    let ones = vec![1; 200_000];
    let decode = |text: &str, form: &str| json!({"text": text, "form": form});
    vec![
        ("hashes", "count", json!({"v": document}), HASH),
        ("hashes", "tally", json!({"xs": keys().collect::<Vec<_>>()}), HASH),
        ("hashes", "tally", json!({"xs": shifted}), HASH),
        ("hashes", "unique", json!({"xs": shifted}), HASH),
        ("hashes", "decode", decode(&document.to_string(), "json"), HASH),
        ("hashes", "decode", decode(&document.to_string(), "yaml"), HASH),
        ("hashes", "decode", decode(&text("\n"), "csv"), HASH),
        ("hashes", "words", json!({"text": text(" ")}), HASH),
        ("hashes", "words", json!({"text": text("\n")}), HASH),
        ("digits", "show", json!({"v": digits}), DIGITS),
        ("digits", "show", json!({"v": {"a": [digits]}}), DIGITS),
        ("digits", "decode", decode(&long, "json"), DIGITS),
        ("digits", "decode", decode(&long, "yaml"), DIGITS),
        ("digits", "decode", decode(&long, "int"), DIGITS),
        ("digits", "decode", decode(&format!("a = {long}"), "toml"), "too large an integer"),
        ("depth", "decode", decode(&brackets, "json"), DEPTH),
        ("depth", "decode", decode(&brackets, "yaml"), DEPTH),
        ("depth", "decode", decode(&format!("a = {brackets}"), "toml"), "recurse"),
        ("depth", "link", json!({"xs": ones}), CHAIN),
        ("memory", "show", json!({"v": ones}), ""),
        ("memory", "copies", json!({"v": ones[..50_000]}), TEXT),
        ("memory", "copies", json!({"v": "x".repeat(1_000_000)}), TEXT),
        ("memory", "wrong", json!({"v": ones}), TYPE),
        ("memory", "wrong_copies", json!({"v": ones}), TYPE),
        ("memory", "wrong_argument", json!({"v": ones}), TYPE),
        ("memory", "merge", json!({"xs": (0..100_000).collect::<Vec<_>>()}), HEAP),
        ("memory", "pairs", json!({"xs": ones}), HEAP),
        ("memory", "many", json!({"text": "x".repeat(100_000), "n": 1000}), RESULT),
        ("time", "letters", json!({"text": "é".repeat(400_000)}), TIME),
        ("time", "page", json!({"html": "<ul><li>".repeat(50_000)}), ""),
        ("time", "page", json!({"html": "&amp".repeat(100_000)}), ""),
    ]
}

#[test]
fn callers_are_stopped_by_limits() {
    let mut server = Server::start();
    server.module("harmless", HARMLESS).module("greet", &greeting("hello")).up();
    let mut wrong = String::new();
    for (class, tool, arguments, limit) in caller_attacks() {
        let answer = server.call(&format!("harmless.{tool}"), arguments).message;
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        let is_stopped = result["isError"] == json!(true) && text.contains(limit);
        let is_done = limit.is_empty() && result["isError"] == json!(false);
        if !(is_done || !limit.is_empty() && is_stopped) {
            let answer: String = answer.to_string().chars().take(300).collect();
            writeln!(wrong, "{class} {tool}: expected `{limit}`: {answer}").unwrap();
        }
        server.call("hello", ada()).text("hello ada");
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(server.status()["stuck"], 0, "a thread was left behind");
    let peak = server.peak_memory();
    assert!(peak < 1_000_000, "{peak} kB at the most");
}

/// Steps of the engine that never look at the clock, on values that a module has built itself: only a
/// process of its own could end them.
const NEEDS_ISOLATION: [(&str, &str); 4] = [
    ("hashing", "{}.get(twice(()))"),
    ("hashing", "[1].index(twice(()))"),
    ("comparing", "[twice(())].index(twice(()))"),
    ("removing", "[twice(())].remove(twice(()))"),
];

#[test]
fn callers_of_modules_that_need_isolation_are_answered() {
    for (class, expression) in NEEDS_ISOLATION {
        let mut server = Server::start();
        let source = format!(
            "def twice(x):\n    for i in range(40):\n        x = (x, x)\n    return x\n\n\
             def endless():\n    return {expression}\n\ntool(endless, timeout = '1s')\n"
        );
        server.module("hostile", &source).module("greet", &greeting("hello")).up();
        let answer = server.call("hostile.endless", json!({})).message;
        let is_error = answer["result"]["isError"] == json!(true);
        assert!(is_error, "{class} {expression}: {answer:#}");
        server.call("hello", ada()).text("hello ada");
    }
}
