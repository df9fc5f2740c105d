//! Results of a `foreach` in a batch: each is shaped as its tool's result, from a client, a script and a shell.

use crate::batch_text::read_batch;
use crate::fixture::{Opening, Server};
use crate::room::Room;
use expect_test::{Expect, expect};
use serde_json::{Value, json};

const HUB: &str = r##"
def _issues(repo, count = 3):
    return [{
        "number": n,
        "title": "%s %d" % (repo, n),
        "user": {"login": "ada", "id": 1},
        "url": "https://example.org/%s/issues/%d" % (repo, n),
        "body": "long " * 40,
    } for n in range(count)]

def list_issues(repo: str) -> list[dict]:
    return _issues(repo)

def search_issues(repo: str) -> dict:
    return {"total": 3, "items": _issues(repo), "links": {"next": None}}

def get_issue(repo: str):
    if repo == "gone":
        fail("there is no such issue")
    if repo == "none":
        return None
    return _issues(repo)[0]

def _numbers(issues):
    return {"numbers": [issue["number"] for issue in issues]}

def _text(issues):
    return "\n".join(["# issues"] + ["- %s, \"open\"" % issue["title"] for issue in issues])

def _one(issue):
    if issue == None:
        return {"title": "nothing"}
    return {"title": issue["title"]}

def numbers(repo: str) -> list[dict]:
    return _issues(repo)

def told(repo: str) -> list[dict]:
    return _issues(repo)

def short(repo: str):
    return get_issue(repo)

def _slow(issue):
    if issue["title"] == "slow 0":
        for n in range(1000000000):
            pass
    return {"title": issue["title"]}

def slow(repo: str) -> dict:
    return _issues(repo)[0]

def echo(value: str) -> str:
    return value

def nested(ctx, tasks: list) -> dict:
    return ctx.call("batch", {"tasks": tasks})

FIELDS = ["number", "author: user.login"]
tool(list_issues, select = FIELDS)
tool(search_issues, select = FIELDS)
tool(get_issue, select = FIELDS)
tool(numbers, compact = _numbers)
tool(told, compact = _text)
tool(short, compact = _one)
tool(slow, compact = _slow, timeout = "300ms")
tool(echo)
tool(nested)
"##;

fn room() -> Room {
    let room = Room::new();
    room.write("hub.star", HUB);
    room
}

fn server() -> Server {
    Server::start_in(room(), Opening::Modern)
}

/// One task for each of the repositories, with further fields.
fn each(tool: &str, repos: Value, more: Value) -> Value {
    let mut task = json!({
        "id": "t", "module": "hub", "tool": tool, "foreach": repos, "params": {"repo": "${item}"},
        "output": true,
    });
    let more = more.as_object().unwrap().clone();
    task.as_object_mut().unwrap().extend(more);
    task
}

fn run(server: &mut Server, tasks: &Value) -> Value {
    let params = json!({"name": "batch", "arguments": {"tasks": tasks}});
    read_batch(&server.request("tools/call", params).result())
}

/// The text of the one task, and its note.
fn said(answer: &Value) -> String {
    let text = &answer["results"]["t"];
    let text = text.as_str().unwrap_or_else(|| panic!("{answer:#}"));
    match answer["tasks"]["t"]["note"].as_str() {
        Some(note) => format!("{text}\n{note}"),
        None => text.to_owned(),
    }
}

/// What a task answers with to a client, a script and a shell, which is the same.
#[track_caller]
fn check(task: Value, expected: Expect) {
    let mut server = server();
    let tasks = json!([task]);
    let outer = run(&mut server, &tasks);
    expected.assert_eq(&said(&outer));
    let nested = server.call("nested", json!({"tasks": tasks})).result();
    assert_eq!(said(&nested["structuredContent"]), said(&outer), "{nested:#}");
    let shell = room().run_with(&["batch", "-", "--format", "json"], &tasks.to_string());
    assert_eq!(said(&shell.exits(0).json()), said(&outer));
}

#[test]
fn each_result_has_its_tools_fields() {
    let repos = json!(["web", "api"]);
    check(
        each("list_issues", repos.clone(), json!({})),
        expect![[r#"
            [[{"number":0,"author":"ada"},{"number":1,"author":"ada"},{"number":2,"author":"ada"}],[{"number":0,"author":"ada"},{"number":1,"author":"ada"},{"number":2,"author":"ada"}]]
            (json; 4 of 6 fields left out, all with raw_output: true)"#]],
    );
    check(
        each("search_issues", repos.clone(), json!({})),
        expect![[r#"
            [{"total":3,"items":[{"number":0,"author":"ada"},{"number":1,"author":"ada"},{"number":2,"author":"ada"}]},{"total":3,"items":[{"number":0,"author":"ada"},{"number":1,"author":"ada"},{"number":2,"author":"ada"}]}]
            (json; 5 of 8 fields left out, all with raw_output: true)"#]],
    );
    check(
        each("get_issue", json!(["web", "api", "app", "doc"]), json!({})),
        expect![[r"
            [4]{number,author}:
              0,ada
              0,ada
              0,ada
              0,ada
            (toon; 4 of 6 fields left out, all with raw_output: true)"]],
    );
}

#[test]
fn each_result_has_the_callers_fields() {
    let repos = json!(["web", "api"]);
    check(
        each("list_issues", repos.clone(), json!({"select": ["title", "[:1]"]})),
        expect![[r#"
            [[{"title":"web 0"}],[{"title":"api 0"}]]
            (json; 4 of 5 fields left out, all with raw_output: true; items 1 to 1 of up to 3 in each result, up to 2 more with select "[1:]")"#]],
    );
    check(
        each("told", repos, json!({"select": ["title"], "output": "toon"})),
        expect![[r"
            [2]:
              - [3]:
                - title: web 0
                - title: web 1
                - title: web 2
              - [3]:
                - title: api 0
                - title: api 1
                - title: api 2
            (toon; 4 of 5 fields left out, all with raw_output: true)"]],
    );
}

#[test]
fn authors_function_runs_on_each_result() {
    let repos = json!(["web", "api"]);
    check(
        each("numbers", repos.clone(), json!({})),
        expect![[r#"
        [{"numbers":[0,1,2]},{"numbers":[0,1,2]}]
        (json; shortened by the tool, all with raw_output: true)"#]],
    );
    check(
        each("told", repos, json!({})),
        expect![[r##"
            ["# issues\n- web 0, \"open\"\n- web 1, \"open\"\n- web 2, \"open\"","# issues\n- api 0, \"open\"\n- api 1, \"open\"\n- api 2, \"open\""]
            (json; shortened by the tool, all with raw_output: true)"##]],
    );
}

#[test]
fn failed_items_are_null_and_skipped_ones_are_left_out() {
    let mut server = server();
    let repos = json!(["web", "gone", "skipped", "none"]);
    for (tool, expected) in [
        ("get_issue", json!([{"number": 0, "author": "ada"}, null, null])),
        ("short", json!([{"title": "web 0"}, null, {"title": "nothing"}])),
    ] {
        let more = json!({"on_error": "continue", "when": "${item} != \"skipped\""});
        let answer = run(&mut server, &json!([each(tool, repos.clone(), more)]));
        let text = answer["results"]["t"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), expected, "{answer:#}");
        assert_eq!(answer["errors"]["t[1]"]["message"], "there is no such issue");
    }
    // The author's function never saw the item that failed.
    assert_eq!(server.status()["modules"][0]["last_error"]["of"], "hub.short");
}

#[test]
fn empty_list_is_an_empty_result() {
    check(each("told", json!([]), json!({})), expect!["[]"]);
}

#[test]
fn long_lists_are_rejected() {
    let mut server = server();
    let many: Vec<usize> = (0..1000).collect();
    let answer = run(&mut server, &json!([each("told", json!(many), json!({}))]));
    assert_eq!(
        answer,
        "nothing was called:\ntask `t`: `foreach` may have 100 items, and this has 1000"
    );
    let most: Vec<String> = (0..100).map(|n| format!("r{n}")).collect();
    let answer = run(&mut server, &json!([each("numbers", json!(most), json!({}))]));
    let text = said(&answer);
    assert_eq!(text.matches("[0,1,2]").count(), 100, "{text}");
}

#[test]
fn references_and_raw_output_have_whole_results() {
    let repos = json!(["web", "api"]);
    let raw = json!({"raw_output": true});
    let tasks = json!([
        each("told", repos, raw),
        {"id": "url", "module": "hub", "tool": "echo", "params": {"value": "${t[1][2].url}"}, "output": true},
    ]);
    let answer = run(&mut server(), &tasks);
    assert_eq!(answer["results"]["url"], "https://example.org/api/issues/2");
    let whole: Value = serde_json::from_str(answer["results"]["t"].as_str().unwrap()).unwrap();
    assert_eq!(whole[0][1]["user"]["id"], 1, "{answer:#}");
    assert_eq!(answer["tasks"]["t"].get("note"), None);
}

#[test]
fn results_over_the_budget_are_cut_and_counted() {
    let room = room();
    room.project("[server]\nresult_tokens = 100\n");
    let mut server = Server::start_in(room, Opening::Modern);
    let repos: Vec<String> = (0..50).map(|n| format!("r{n}")).collect();
    let task = each("list_issues", json!(repos), json!({}));
    let answer = run(&mut server, &json!([task]));
    expect![[r#"
        [[{"number":0,"author":"ada"},{"number":1,"author":"ada"},{"number":2,"author":"ada"}],[{"number":0,"author":"ada"},{"number":1,"author":"ada"},{"number":2,"author":"ada"}]]
        (json; 4 of 6 fields left out, all with raw_output: true; results 1 to 2 of 50, 48 more with a shorter `foreach`)"#]].assert_eq(&said(&answer));
}

/// All runs of an author's function share one deadline: after a slow one, results stay as they are.
#[test]
fn slow_authors_function_holds_up_one_deadline() {
    let tasks = json!([each("slow", json!(["web", "slow", "api"]), json!({}))]);
    let mut server = server();
    let outer = run(&mut server, &tasks);
    let nested = server.call("nested", json!({"tasks": tasks})).result();
    for answer in [&outer, &nested["structuredContent"]] {
        let text = answer["results"]["t"].as_str().unwrap_or_default();
        let results: Value = serde_json::from_str(text).unwrap_or_default();
        assert_eq!(results[0], json!({"title": "web 0"}), "{answer:#}");
        assert_eq!(results[1]["title"], "slow 0", "{answer:#}");
        assert_eq!(results[2]["number"], 0, "{answer:#}");
    }
    let status = server.status();
    let last_error = &status["modules"][0]["last_error"]["of"];
    assert_eq!(last_error, "compact of hub.slow", "{status:#}");
}
