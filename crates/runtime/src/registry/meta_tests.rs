//! `call`, `call_readonly` and `batch` as callers write them, and what they read.

#![expect(clippy::disallowed_methods, reason = "tests own their folders")]
#![expect(clippy::needless_pass_by_value, reason = "json! reads better without an ampersand each")]

use crate::project::ProjectFile;
use crate::request::Call;
use crate::runtime::{Runtime, Settings};
use model::{Content, Output};
use serde_json::{Value, json};

const HUB: &str = r#"
def issues(n: int = 2) -> dict:
    rows = [{"number": i, "title": "Issue %d" % i, "user": {"login": "ada", "id": 7}, "body": "b" * 50} for i in range(n)]
    return {"results": rows, "total": n}

def short(result):
    return {"issues": [{"number": r["number"], "by": r["user"]["login"]} for r in result["results"]]}

def close(ctx, number: int) -> str:
    ctx.state.update("closed", lambda n: n + 1, default = 0)
    return "closed %d" % number

def closed(ctx) -> int:
    return ctx.state.get("closed", 0)

def echo(text: str, times: int = 1) -> str:
    return text * times

def broken() -> str:
    fail("it is broken")

def through(ctx, tool: str, args: dict) -> dict:
    outcome = attempt(ctx.call, tool, args)
    return {"value": outcome.value} if outcome.ok else {"error": outcome.error.message}

tool(issues, read_only = True, compact = short)
tool(issues, name = "selected", read_only = True, select = ["number", "author: user.login"])
tool(close)
tool(closed, read_only = True)
tool(echo, read_only = True)
tool(broken, read_only = True)
tool(through)
"#;

struct Hub {
    runtime: Runtime,
    _dir: tempfile::TempDir,
}

impl Hub {
    fn open(settings: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let modules = dir.path().join("modules");
        std::fs::create_dir(&modules).unwrap();
        std::fs::write(modules.join("hub.star"), HUB).unwrap();
        let file = dir.path().join("larkspur.toml");
        std::fs::write(&file, settings).unwrap();
        let settings = Settings {
            folders: vec![modules],
            project: ProjectFile::open(file).unwrap(),
            ..Settings::default()
        };
        let runtime = Runtime::open(settings);
        Self { runtime, _dir: dir }
    }

    async fn call(&self, name: &str, args: &Value) -> Output {
        let args = args.as_object().unwrap().clone();
        match self.runtime.call(Call::new(name, args)).await {
            Ok(output) => output,
            Err(error) => Output::error(error.to_string()),
        }
    }

    /// The texts of all blocks, and whether they are an error.
    async fn texts(&self, name: &str, args: &Value) -> (Vec<String>, bool) {
        let output = self.call(name, args).await;
        let texts = output.content.iter().map(|block| match block {
            Content::Text { text, .. } => text.clone(),
            other => panic!("no text: {other:?}"),
        });
        (texts.collect(), output.is_error)
    }

    async fn check(&self, name: &str, args: &Value, expected: &[&str]) {
        let (texts, _) = self.texts(name, args).await;
        assert_eq!(texts, expected, "{name} {args}");
    }

    async fn closed(&self) -> Value {
        self.call("hub.closed", &json!({})).await.into_json()
    }
}

fn task(id: &str, tool: &str, params: Value) -> Value {
    json!({"id": id, "module": "hub", "tool": tool, "params": params, "output": true})
}

#[tokio::test]
async fn read_only_tools_are_called_and_no_others() {
    let hub = Hub::open("");
    let read = json!({"module": "hub", "tool": "echo", "params": {"text": "x"}});
    hub.check("call_readonly", &read, &["x"]).await;
    let tasks =
        json!({"tasks": [task("a", "echo", json!({"text": "x"})), task("b", "closed", json!({}))]});
    hub.check("call_readonly", &tasks, &["a:\nx\n", "b:\n0\n"]).await;
    let no = "`hub.close` is not declared read-only; `call` and `batch` can call it";
    let write = json!({"module": "hub", "tool": "close", "params": {"number": 1}});
    hub.check("call_readonly", &write, &[no]).await;
    let mixed = json!({"tasks": [task("a", "echo", json!({"text": "x"})), task("b", "close", json!({"number": 1}))]});
    let refused = format!("nothing was called:\ntask `b`: {no}");
    hub.check("call_readonly", &mixed, &[&refused]).await;
    for args in [&write, &mixed] {
        let through = json!({"tool": "call_readonly", "args": args});
        let said = hub.call("hub.through", &through).await.into_json();
        assert!(said.to_string().contains("is not declared read-only"), "{said}");
    }
    assert_eq!(hub.closed().await, 0);
    let both = json!({"module": "hub", "tool": "echo", "tasks": []});
    let beside = "`module` stands beside `tasks`: name one tool, or give tasks that name theirs";
    hub.check("call_readonly", &both, &[beside]).await;
    hub.check("call_readonly", &json!({}), &["`module` is required; `tool` is required"]).await;
}

#[tokio::test]
async fn calls_are_taken_as_they_are_meant() {
    let hub = Hub::open("");
    for args in [
        json!({"tool": "hub.echo", "params": {"text": "x"}}),
        json!({"module": "hub", "tool": "hub.echo", "params": "{\"text\": \"x\"}"}),
        json!({"module": "hub", "tool_name": "echo", "arguments": {"text": "x"}}),
        json!({"name": "hub.echo", "args": "```json\n{\"text\": \"x\",}\n```"}),
        json!({"module": "hub", "tool": "echo", "input": {"text": "x", "times": null}}),
    ] {
        hub.check("call", &args, &["x"]).await;
    }
    let number = json!({"module": "hub", "tool": "echo", "params": {"text": 7}});
    hub.check("call", &number, &["(text)\n7"]).await;
    hub.check("hub.echo", &json!({"text": true, "times": null}), &["true"]).await;
}

#[tokio::test]
async fn each_task_is_a_block_with_a_status_only_if_it_is_not_ok() {
    let hub = Hub::open("");
    let tasks = json!({"tasks": [
        task("i", "selected", json!({})),
        {"id": "quiet", "module": "hub", "tool": "echo", "params": {"text": "q"}},
        task("bad", "broken", json!({})),
        task("next", "echo", json!({"text": "${bad}"})),
        {"id": "not", "module": "hub", "tool": "echo", "params": {"text": "n"}, "when": "${quiet} == \"x\""},
        {"id": "raw", "module": "hub", "tool": "issues", "params": {"n": 1}, "raw_output": true, "select": ["total"]},
        {"id": "each", "module": "hub", "tool": "echo", "foreach": ["a", []], "params": {"text": "${item}"},
         "on_error": "continue", "output": true},
    ]});
    let (texts, is_error) = hub.texts("batch", &tasks).await;
    assert!(!is_error);
    let [i, bad, next, not, raw, each] = texts.as_slice() else { panic!("{texts:#?}") };
    assert!(i.starts_with("i: (json; "), "{i}");
    assert!(i.ends_with("{\"number\":1,\"author\":\"ada\"}],\"total\":2}\n"), "{i}");
    assert_eq!(bad, "bad: error (failed): it is broken\n");
    assert_eq!(next, "next: skipped because `bad` failed\n");
    assert_eq!(not, "not: skipped because its `when` does not hold\n");
    assert!(raw.starts_with("raw: (") && raw.ends_with("{\"total\":1}\n"), "{raw}");
    let failed = "each[1]: error (rejected): `text` expected a string, got a list\n";
    assert_eq!(each, &format!("{failed}each:\n[2]: a,null\n"));
    let quiet =
        json!({"tasks": [{"id": "a", "module": "hub", "tool": "echo", "params": {"text": "x"}}]});
    let none = "done; no task has `output: true`, so no result is shown\n";
    hub.check("batch", &quiet, &[none]).await;
}

#[tokio::test]
async fn one_budget_holds_for_all_tasks() {
    let hub = Hub::open("[server]\nresult_tokens = 600\n");
    let all = |raw: bool| {
        let tasks = (0..10).map(|i| {
            let n = if i == 3 { 1 } else { 200 };
            let mut task = task(&format!("t{i}"), "issues", json!({"n": n}));
            task["raw_output"] = json!(raw);
            task
        });
        json!({"tasks": tasks.collect::<Vec<_>>()})
    };
    for raw in [true, false] {
        let (texts, _) = hub.texts("batch", &all(raw)).await;
        let tokens: usize = texts.iter().map(|text| compact::count_tokens(text)).sum();
        assert!(tokens <= 700, "{tokens} of {texts:#?}");
        assert_eq!(texts.len(), 10);
        for (i, text) in texts.iter().enumerate() {
            let is_cut = text.contains(" more with ");
            assert_eq!(is_cut, i != 3, "{text}");
        }
    }
    let long = json!({"tasks": [task("a", "echo", json!({"text": "word ", "times": 20000})), task("b", "closed", json!({}))]});
    let (texts, _) = hub.texts("batch", &long).await;
    assert!(compact::count_tokens(&texts[0]) <= 650, "{}", texts[0]);
    assert_eq!(texts[1], "b:\n0\n");
}

/// A model has seen `issues` and `by`, which are names of the compact form alone.
#[tokio::test]
async fn references_follow_the_names_of_the_compact_form() {
    let hub = Hub::open("");
    for (tool, text, expected) in [
        ("issues", "${i.results[1].user.login}", "ada"),
        ("issues", "${i.issues[1].by}", "ada"),
        ("issues", "${i.issues[9].by ?? \"-\"}", "-"),
        ("selected", "${i.results[1].author} ${i.total}", "ada 2"),
        ("selected", "${i.results[0].user.id}", "7"),
    ] {
        let first = json!({"id": "i", "module": "hub", "tool": tool});
        let tasks = json!({"tasks": [first, task("t", "echo", json!({"text": text}))]});
        hub.check("batch", &tasks, &[&format!("t:\n{expected}\n")]).await;
        let through = json!({"tool": "batch", "args": tasks});
        let said = hub.call("hub.through", &through).await.into_json();
        assert_eq!(said["value"]["results"]["t"], expected, "{said}");
    }
    let tasks = json!({"tasks": [
        {"id": "i", "module": "hub", "tool": "selected"},
        {"id": "t", "module": "hub", "tool": "echo", "foreach": "${i.results}",
         "params": {"text": "${item.number} by ${item.author}"}, "output": true},
        {"id": "u", "module": "hub", "tool": "selected", "foreach": [1, 2], "params": {"n": "${item}"}},
        task("v", "echo", json!({"text": "${u[1].results[1].author}"})),
    ]});
    let (texts, _) = hub.texts("batch", &tasks).await;
    assert!(texts[0].contains("1 by ada"), "{texts:?}");
    assert_eq!(texts[1], "v:\nada\n");
}
