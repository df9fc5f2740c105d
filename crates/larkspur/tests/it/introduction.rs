//! What clients are told about the server and its tools: instructions, titles, annotations, `_meta`.

use crate::fixture::{Opening, Server, greeting};
use serde_json::{Value, json};

const HUB: &str = r#"
def list_issues() -> str:
    """List issues."""
    return "none"

def close_issue():
    """Close an issue."""
    return "closed"

tool(list_issues, read_only = True, always = True, icons = [{"src": "https://example.org/i.png"}])
tool(close_issue, title = "Close it", destructive = False, idempotent = True,
     questions = ["Is it done?"])
"#;

const HUB_MANIFEST: &str = "name = 'hub'\nversion = '1.0.0'\ndescription = 'Issues of the hub. And more.'\n\
                            keywords = ['tickets', 'bugs']\n[permissions]\nhttp = ['api.example.org']\n";

fn server(opening: Opening, settings: &str) -> Server {
    let mut server = Server::start_as(opening);
    server
        .file("hub/module.toml", HUB_MANIFEST)
        .file("hub/main.star", HUB)
        .module("greet", &greeting("hello"));
    server.room.project(&format!("[server]\n{settings}\n"));
    server
}

fn initialized(settings: &str) -> Value {
    let who = json!({"name": "it", "version": "1"});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who});
    let mut server = server(Opening::Bare, settings);
    server.request("initialize", params).result()
}

fn discovered(settings: &str) -> Value {
    let mut server = server(Opening::Modern, settings);
    server.request("server/discover", json!({})).result()
}

#[test]
fn instructions_name_the_modules_and_say_how_to_call_their_tools() {
    let own = "surface = 'modules'\nname = 'shop'\ninstructions = 'Ask before you close an issue.'";
    let expected = "Ask before you close an issue.\n\n\
                    Modules:\n- greet\n- hub: Issues of the hub\n\
                    Find tools with get_module_schema";
    for result in [initialized(own), discovered(own)] {
        let text = result["instructions"].as_str().unwrap();
        assert!(text.starts_with(expected), "{text}");
    }
    let text = initialized("surface = 'flat'")["instructions"].clone();
    let expected =
        "Modules:\n- greet\n- hub: Issues of the hub\nAll tools of these modules are listed.";
    assert!(text.as_str().unwrap().starts_with(expected), "{text}");
}

#[test]
fn the_server_has_a_title_with_the_name_of_the_project() {
    let info = &initialized("name = 'shop'")["serverInfo"];
    assert_eq!((&info["name"], &info["title"]), (&json!("larkspur"), &json!("shop (Larkspur)")));
    let info = &discovered("name = 'shop'")["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(info["title"], "shop (Larkspur)");
    let mut server = server(Opening::Bare, "");
    let folder = server.room.path().file_name().unwrap().to_str().unwrap();
    let folder = folder.to_owned();
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {},
                        "clientInfo": {"name": "it", "version": "1"}});
    let info = server.request("initialize", params).result();
    assert_eq!(info["serverInfo"]["title"], format!("{folder} (Larkspur)"));
}

/// What a list says beside names, descriptions and schemas, by name.
fn additions(opening: Opening, settings: &str) -> Value {
    let mut server = server(opening, settings);
    let listed = server.request("tools/list", json!({})).result();
    let tools = listed["tools"].as_array().unwrap().iter();
    let tools = tools.map(|tool| {
        let said = ["title", "annotations", "icons", "_meta"];
        let said = said.map(|key| (key.to_owned(), tool[key].clone()));
        let said = said.into_iter().filter(|(_, value)| !value.is_null());
        (tool["name"].as_str().unwrap().to_owned(), Value::Object(said.collect()))
    });
    Value::Object(tools.collect())
}

fn annotations(read_only: bool, destructive: bool, open_world: bool) -> Value {
    json!({"readOnlyHint": read_only, "destructiveHint": destructive, "openWorldHint": open_world})
}

#[test]
fn every_listed_tool_has_a_title_annotations_and_words_for_searches() {
    let hint = "hub tickets bugs Issues of the hub";
    let mut close = annotations(false, false, true);
    close["idempotentHint"] = json!(true);
    let expected = json!({
        "hello": {
            "title": "Hello (greet)",
            "annotations": annotations(false, true, false),
            "_meta": {"anthropic/searchHint": "greet"},
        },
        "hub_close_issue": {
            "title": "Close it",
            "annotations": close,
            "_meta": {"anthropic/searchHint": format!("{hint} Is it done?")},
        },
        "hub_list_issues": {
            "title": "List issues (hub)",
            "annotations": annotations(true, false, true),
            "icons": [{"src": "https://example.org/i.png"}],
            "_meta": {"anthropic/searchHint": hint, "anthropic/alwaysLoad": true},
        },
    });
    for opening in [Opening::Modern, Opening::Legacy] {
        assert_eq!(additions(opening, "surface = 'flat'"), expected);
    }
}

#[test]
fn meta_tools_are_loaded_at_once_and_say_what_they_may_do() {
    let meta = json!({"anthropic/alwaysLoad": true});
    let listed = additions(Opening::Modern, "surface = 'modules'");
    for (name, title, annotations) in [
        ("get_module_schema", "Find tools", annotations(true, false, false)),
        ("call", "Call a tool", annotations(false, true, true)),
        ("batch", "Call several tools", annotations(false, true, true)),
    ] {
        let expected = json!({"title": title, "annotations": annotations, "_meta": meta});
        assert_eq!(listed[name], expected, "{name}");
    }
}

#[test]
fn a_raised_result_limit_is_told_to_clients() {
    let key = "anthropic/maxResultSizeChars";
    for (settings, expected) in [
        ("surface = 'modules'", json!(null)),
        ("surface = 'modules'\nresult_tokens = 30_000", json!(180_000)),
        ("surface = 'modules'\nresult_tokens = 1_000_000", json!(500_000)),
    ] {
        let listed = additions(Opening::Modern, settings);
        assert_eq!(listed["call"]["_meta"][key], expected, "{settings}");
    }
}

/// Clients that keep a list hear of what it says beside declarations, too.
#[test]
fn other_words_for_searches_are_another_list() {
    let mut server = server(Opening::Legacy, "surface = 'flat'");
    server.up().file("hub/module.toml", &HUB_MANIFEST.replace("bugs", "reports")).changed();
}
