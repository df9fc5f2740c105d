//! `get_module_schema`: what modules offer, as text and as JSON, and tools found by plain words.

use crate::client::{Client, DOORS};
use crate::documents::workspace;
use crate::fixture::{Opening, Server};
use crate::folder::manifest;
use crate::room::Room;
use expect_test::{Expect, expect};
use serde_json::{Value, json};

const HUB: &str = r#"
State = one_of("open", "closed", "all")

def list_issues(repo: str, state: State = "open", limit: int = 30) -> list[dict]:
    """List issues, newest first. One a line.

    Args:
        repo: As owner/name.
    """
    return []

def close(number: int, reason: str | None = None):
    """Close an issue."""
    return "closed"

def readme(owner: str):
    """The first file to read."""
    return owner

def triage(repo: str, limit: int = 5):
    """Sort what is new."""
    return repo

tool(list_issues, read_only = True, examples = [{"repo": "acme/web"}])
tool(close, name = "close_issue")
resource("hub://{owner}/readme", readme, mime = "text/markdown")
prompt(triage)
"#;

const DIARY: &str = r#"
def search(query: str):
    """日記を検索する。古い順。"""
    return []

def written(params):
    return {"content": []}

def describe_extension():
    return Extension(name = "diary", version = "1.0.0", description = "日記", tools = [
        Tool(name = "write_entry", description = "Write what happened", handler = written,
             parameters = [ToolParameter(name = "text", param_type = "string", required = True)]),
    ])

tool(search)
"#;

fn room() -> Room {
    let room = Room::new();
    let more = "api_version = '2022-11-28'\nkeywords = ['tickets']\n";
    room.write("hub/module.toml", &manifest("hub", more))
        .write("hub/main.star", HUB)
        .write("diary.star", DIARY);
    room
}

#[track_caller]
fn check(args: Value, expected: Expect) {
    let mut server = Server::start_in(room(), Opening::Legacy);
    let result = server.call("get_module_schema", args).result();
    let content = result["content"].as_array().unwrap();
    let first = content[0]["text"].as_str().unwrap();
    let mut shown = first.to_owned();
    for block in &content[1..] {
        shown = [&shown, block["text"].as_str().unwrap()].join("\n");
    }
    if result["isError"] == true {
        shown += "\nerror";
    }
    assert_eq!(result.get("structuredContent"), None);
    expected.assert_eq(&shown);
}

#[test]
fn modules_are_described_as_text_and_as_json() {
    check(
        json!({}),
        expect![[r"
        Modules with their number of tools (4 in all). `query` finds tools by plain words, `modules` lists those of a module.
        diary (2): 日記
        hub (2): a test's"]],
    );
    check(
        json!({"modules": "hub,diary"}),
        expect![[r#"
        hub (2 tools): a test's
        list_issues(repo: str, state: "open"|"closed"|"all" = "open", limit: int = 30) -> list[dict]  List issues, newest first
        close_issue(number: int, reason?: str)  Close an issue
        diary (2 tools): 日記
        write_entry(text: str)  Write what happened
        search(query: str)  日記を検索する"#]],
    );
    check(
        json!({"modules": ["diary"], "detail": "names"}),
        expect![[r"
            diary (2 tools): 日記
            write_entry, search"]],
    );
    check(
        json!({"modules": ["diary"], "format": "json"}),
        expect![[
            r#"[{"module":"diary","description":"日記","tools":["write_entry(text: str)  Write what happened","search(query: str)  日記を検索する"]}]"#
        ]],
    );
    check(
        json!({"modules": ["hub"], "detail": "full"}),
        expect![[
            r#"[{"module":"hub","description":"a test's","api_version":"2022-11-28","tools":[{"name":"list_issues","description":"List issues, newest first. One a line.","inputSchema":{"type":"object","properties":{"repo":{"type":"string","description":"As owner/name."},"state":{"type":"string","enum":["open","closed","all"],"default":"open"},"limit":{"type":"integer","default":30}},"required":["repo"],"additionalProperties":false},"outputSchema":{"type":"array","items":{"type":"object"}},"annotations":{"readOnlyHint":true},"examples":[{"repo":"acme/web"}]},{"name":"close_issue","description":"Close an issue.","inputSchema":{"type":"object","properties":{"number":{"type":"integer"},"reason":{"type":["string","null"],"default":null}},"required":["number"],"additionalProperties":false}}],"resources":[{"uriTemplate":"hub://{owner}/readme","name":"readme","description":"The first file to read.","mimeType":"text/markdown"}],"prompts":[{"name":"triage","description":"Sort what is new.","arguments":[{"name":"repo","required":true},{"name":"limit","required":false}]}]}]"#
        ]],
    );
}

#[test]
fn what_is_not_there_is_said_and_what_is_there_comes() {
    check(
        json!({"modules": ["hubb", "diary"], "detail": "names"}),
        expect![[r"
            there is no module `hubb`; did you mean `hub`?
            diary (2 tools): 日記
            write_entry, search"]],
    );
    check(
        json!({"modules": ["hubb", "x"]}),
        expect![[r"
            there is no module `hubb`; did you mean `hub`?
            there is no module `x`; `get_module_schema` lists the modules
            modules: diary, hub
            error"]],
    );
    check(
        json!({"modules": [[]]}),
        expect![[r"
            get_module_schema was not called: `modules[0]` expected a string, got a list
            error"]],
    );
    check(
        json!({"detail": "ful"}),
        expect![[r#"
            get_module_schema was not called: `detail` expected one of "names", "signatures", "full", got the string "ful"; did you mean "full"?
            error"#]],
    );
    check(
        json!({"modles": ["hub"]}),
        expect![[r"
            get_module_schema was not called: `modles` is not a parameter; did you mean `modules`?
            error"]],
    );
}

#[test]
fn tools_are_found_by_plain_words() {
    check(
        json!({"query": "tickets", "detail": "names"}),
        expect!["hub.list_issues, hub.close_issue"],
    );
    check(
        json!({"query": "日記の検索"}),
        expect![[r"
            diary.search(query: str)  日記を検索する
            diary.write_entry(text: str)  Write what happened"]],
    );
    check(
        json!({"query": "happened", "modules": ["hub"]}),
        expect![[r"
            No tool matches the query.
            hub: list_issues, close_issue
            Leave `modules` out to search all modules."]],
    );
    check(
        json!({"query": "acme"}),
        expect![[
            r#"hub.list_issues(repo: str, state: "open"|"closed"|"all" = "open", limit: int = 30) -> list[dict]  List issues, newest first"#
        ]],
    );
}

#[test]
fn every_door_says_the_same() {
    let mut answers = Vec::new();
    for door in DOORS {
        let mut client = Client::start(room(), door, json!({}));
        let params = json!({"name": "get_module_schema", "arguments": {"query": "issue"}});
        let (answer, _) = client.talk("tools/call", params, |_| json!({}));
        answers.push(answer["result"]["content"].clone());
    }
    let ran = room().run(&["call", "get_module_schema", "query=issue"]);
    let text = ran.exits(0).stdout.trim_end().to_owned();
    assert_eq!(answers, vec![json!([{"type": "text", "text": text}]); 4]);
}

/// A saved file is live behind the same list.
#[test]
fn what_is_found_is_what_is_served() {
    let mut server = Server::start_in(room(), Opening::Legacy);
    server.flags = vec!["--surface".into(), "modules".into()];
    let found = json!({"query": "reopen an issue again", "detail": "names"});
    let before = "hub.close_issue, hub.list_issues";
    server.call("get_module_schema", found.clone()).text(before);
    let more = "\ndef reopen(number: int):\n    \"\"\"Reopen an issue.\"\"\"\n    return 1\n\ntool(reopen)\n";
    server.file("hub/main.star", &format!("{HUB}{more}"));
    let after = "hub.reopen, hub.close_issue, hub.list_issues";
    server.until("get_module_schema", found, after).not_told();
}

/// Requests of users who do not know what the tools are called.
#[test]
fn plain_requests_find_shipped_tools_among_the_first_three() {
    let room = Room::new();
    let folder = workspace().join("modules");
    let folder = folder.to_str().unwrap();
    for (query, tool) in [
        ("what changed in the repo last week", "github.list_commits("),
        ("who am I", "jira.get_myself("),
        ("close a ticket", "jira.transition_issue("),
    ] {
        let query = format!("query={query}");
        let ran = room.run(&["call", "-e", folder, "get_module_schema", &query]);
        let found = &ran.exits(0).stdout;
        let mut first = found.lines().take(3);
        assert!(first.any(|line| line.starts_with(tool)), "{query}: {found}");
    }
}
