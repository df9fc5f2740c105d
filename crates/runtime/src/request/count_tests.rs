//! However a tool is called, it is counted, charged and audited the same; reads and prompts are requests
//! like any other.

#![expect(clippy::disallowed_methods, reason = "tests own their folders")]

use super::{Asking, Call, RequestError};
use crate::project::ProjectFile;
use crate::runtime::{Runtime, Settings};
use crate::stats::Stats;
use model::{Args, Output};
use serde_json::{Value, json};
use std::time::Duration;

const SHOP: &str = r#"
def fine():
    return "ok"

def fails():
    fail("no")

def raises():
    error("config-error", "set it", missing = ["a"])

def slow():
    for a in range(10000):
        for b in range(10000):
            pass

def item(name: str):
    return {"fine": fine, "fails": fails, "raises": raises, "slow": slow}[name]()

tool(fine)
tool(fails)
tool(raises)
tool(slow, timeout = "50ms")
resource("shop://{name}", item)
prompt(fine)
prompt(fails)
prompt(raises)
prompt(slow)
"#;

const HUB: &str = r#"
permissions(calls = ["shop.*"])

def through(ctx, tool: str, args: dict = {}):
    attempt(ctx.call, tool, args)

tool(through)
"#;

struct Bench {
    dir: tempfile::TempDir,
    runtime: Runtime,
    executor: tokio::runtime::Runtime,
}

/// Counts of requests, without those of the script that makes them.
#[derive(Debug, PartialEq, Eq)]
struct Counts {
    calls: u64,
    failed: u64,
    stopped: u64,
    /// Calls and errors of the tool.
    meter: Option<[u64; 2]>,
    /// Verdict and kind of the audit line.
    audit: (String, Value),
}

impl Bench {
    fn new(settings: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let modules = dir.path().join("modules");
        std::fs::create_dir(&modules).unwrap();
        std::fs::write(modules.join("shop.star"), SHOP).unwrap();
        std::fs::write(modules.join("hub.star"), HUB).unwrap();
        let project = dir.path().join("larkspur.toml");
        let text = format!("[audit]\nfile = 'log'\n[limits]\ntimeout = '500ms'\n{settings}");
        std::fs::write(&project, text).unwrap();
        let runtime = Runtime::open(Settings {
            folders: vec![modules],
            project: ProjectFile::open(project).unwrap(),
            ..Settings::default()
        });
        let executor = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        Self { dir, runtime, executor }
    }

    fn call(&self, name: &str, args: Value) -> Result<Output, RequestError> {
        let Value::Object(args) = args else {
            panic!("{args} is no object");
        };
        let call = self.runtime.call(Call::new(name, args));
        self.executor.block_on(call)
    }

    /// Requests the tool, the resource or the prompt of this name.
    fn request(&self, way: &str, tool: &str) {
        let args = json!({"module": "shop", "tool": tool});
        let task = json!({"tasks": [{"id": "t", "module": "shop", "tool": tool}]});
        let _ = match way {
            "name" => self.call(tool, json!({})),
            "call" => self.call(way, args),
            "batch" => self.call(way, task),
            "ctx.call" => self.call("through", json!({"tool": format!("shop.{tool}")})),
            "ctx.call of call" => self.call("through", json!({"tool": "call", "args": args})),
            "ctx.call of batch" => self.call("through", json!({"tool": "batch", "args": task})),
            "read" => {
                let uri = format!("shop://{tool}");
                let read = self.runtime.read(&uri, Asking::default());
                self.executor.block_on(read).map(|_| Output::default())
            }
            "prompt" => {
                let got = self.runtime.prompt(tool, Args::new(), Asking::default());
                self.executor.block_on(got).map(|_| Output::default())
            }
            other => panic!("{other}"),
        };
    }

    fn counts(self, way: &str, tool: &str) -> Counts {
        let stats = self.runtime.stats();
        let around = u64::from(way.starts_with("ctx.call"));
        let meters = stats.meters.all();
        let meter = meters.iter().find(|(_, name, _)| name.as_str() == tool);
        let counts = Counts {
            calls: Stats::get(&stats.calls) - around,
            failed: Stats::get(&stats.failed),
            stopped: Stats::get(&stats.stopped),
            meter: meter.map(|(_, _, meter)| [&meter.calls, &meter.errors].map(Stats::get)),
            audit: (String::new(), Value::Null),
        };
        self.runtime.close();
        let log = std::fs::read_to_string(self.dir.path().join("log")).unwrap();
        let lines = log.lines().map(|line| line.parse::<Value>().unwrap());
        let lines: Vec<Value> = lines.filter(|line| line["module"] == "shop").collect();
        let [line] = lines.as_slice() else {
            panic!("{way} {tool}: {log}");
        };
        Counts {
            audit: (line["verdict"].as_str().unwrap().to_owned(), line["kind"].clone()),
            ..counts
        }
    }
}

const CALLS: [&str; 6] =
    ["name", "call", "batch", "ctx.call", "ctx.call of call", "ctx.call of batch"];

#[test]
fn every_way_counts_the_same() {
    for (tool, failed, stopped, verdict, kind) in [
        ("fine", 0, 0, "ok", Value::Null),
        ("fails", 1, 0, "error", json!("failed")),
        ("raises", 1, 0, "error", json!("config-error")),
        ("slow", 1, 1, "stopped", json!("timeout")),
    ] {
        for way in CALLS.into_iter().chain(["read", "prompt"]) {
            let bench = Bench::new("");
            bench.request(way, tool);
            let expected = Counts {
                calls: 1,
                failed,
                stopped,
                meter: CALLS.contains(&way).then_some([1, failed]),
                audit: (verdict.to_owned(), kind.clone()),
            };
            assert_eq!(bench.counts(way, tool), expected, "{way} {tool}");
        }
    }
}

#[test]
fn every_way_is_charged_once() {
    for way in CALLS.into_iter().chain(["read", "prompt"]) {
        let bench = Bench::new("[module.shop]\nrate = '2/h'\n");
        bench.request(way, "fine");
        assert_eq!(bench.call("fine", json!({})).map(|_| ()), Ok(()), "{way}");
        let error = bench.call("fine", json!({})).unwrap_err();
        assert_eq!((error.code(), error.is_transient()), ("rate", true), "{way}");
    }
}

#[test]
fn a_dropped_request_is_counted_as_cancelled() {
    for way in ["call", "read", "prompt"] {
        let bench = Bench::new("");
        let runtime = &bench.runtime;
        bench.executor.block_on(async {
            let soon = Duration::from_millis(5);
            let is_over = match way {
                "call" => {
                    let call = runtime.call(Call::new("slow", Args::new()));
                    tokio::time::timeout(soon, call).await.is_ok()
                }
                "read" => {
                    let read = runtime.read("shop://slow", Asking::default());
                    tokio::time::timeout(soon, read).await.is_ok()
                }
                _ => {
                    let prompt = runtime.prompt("slow", Args::new(), Asking::default());
                    tokio::time::timeout(soon, prompt).await.is_ok()
                }
            };
            assert!(!is_over, "{way}");
        });
        let expected = Counts {
            calls: 1,
            failed: 1,
            stopped: 1,
            meter: (way == "call").then_some([1, 1]),
            audit: ("stopped".to_owned(), json!("gone")),
        };
        assert_eq!(bench.counts(way, "slow"), expected, "{way}");
    }
}
