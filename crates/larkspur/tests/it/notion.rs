//! The Notion module against a mock of its service: a chained batch, compact results, pages that come in
//! parts, and what the service refuses.

use crate::documents::workspace;
use crate::fixture::{Opening, Server};
use crate::room::Room;
use crate::upstream::{Asked, Web, answer, ok};
use serde_json::{Value, json};

fn rich(text: &str) -> Value {
    json!([{"type": "text", "plain_text": text, "annotations": {}, "href": null}])
}

fn block(id: &str, kind: &str, text: &str) -> Value {
    json!({"object": "block", "id": id, "type": kind, "has_children": false, kind: {"rich_text": rich(text)}})
}

fn page(id: &str, title: &str) -> Value {
    json!({"object": "page", "id": id, "properties": {"Name": {"type": "title", "title": rich(title)}}})
}

fn list(results: Value, next: Option<&str>) -> String {
    ok(&json!({"object": "list", "results": results, "next_cursor": next, "has_more": next.is_some()}).to_string())
}

/// As much of Notion as the tests ask for.
fn notion(asked: &Asked) -> String {
    if asked.header("authorization") != Some("Bearer secret") {
        let why =
            json!({"object": "error", "code": "unauthorized", "message": "API token is invalid."});
        return answer(401, "content-type: application/json\r\n", &why.to_string());
    }
    assert_eq!(asked.header("notion-version"), Some("2022-06-28"));
    let mut code = block("b5", "code", "function example() {}");
    code["code"]["language"] = json!("code");
    let mut nested = block("b3", "bulleted_list_item", "リスト項目1");
    nested["has_children"] = json!(true);
    let (path, query) = asked.path.split_once('?').unwrap_or((&asked.path, ""));
    match (path, query.contains("start_cursor=more")) {
        ("/v1/search", _) => {
            let body: Value = serde_json::from_str(&asked.body).unwrap();
            assert_eq!(body["query"], "設計");
            let database = json!({"object": "database", "id": "ghi789", "title": rich("DB設計")});
            list(
                json!([page("abc123", "設計ドキュメント"), page("def456", "API仕様"), database]),
                None,
            )
        }
        ("/v1/blocks/abc123/children", false) => list(
            json!([
                block("b1", "heading_1", "タイトル"),
                block("b2", "paragraph", "これは本文です。")
            ]),
            Some("more"),
        ),
        ("/v1/blocks/abc123/children", true) => {
            list(json!([nested, block("b4", "bulleted_list_item", "リスト項目2"), code]), None)
        }
        ("/v1/blocks/b3/children", _) => list(json!([block("b6", "to_do", "inner")]), None),
        _ => answer(
            404,
            "",
            r#"{"object": "error", "code": "object_not_found", "message": "Could not find block."}"#,
        ),
    }
}

/// Our modules, told that Notion is there, and its token if there is one.
fn room(web: &Web, token: Option<&str>) -> Room {
    let room = Room::new();
    room.copy(&workspace().join("modules"));
    room.project(&format!("[module.notion.config]\nbase_url = '{}'\n", web.url("")));
    if let Some(token) = token {
        room.run_with(&["secret", "set", "notion.token"], token).exits(0);
    }
    room
}

fn server() -> Server {
    let web = Web::answering(|asked| Some(notion(asked)));
    Server::start_in(room(&web, Some("secret")), Opening::Modern)
}

/// The text of a result without its first line, the note.
fn below_note(result: &Value) -> &str {
    let text = result["content"][0]["text"].as_str().unwrap();
    text.split_once('\n').unwrap().1
}

const PAGES: &str = "results[3]{id,title,type}:
  abc123,設計ドキュメント,page
  def456,API仕様,page
  ghi789,DB設計,database";

const DOCUMENT: &str = "# タイトル

これは本文です。

- リスト項目1
  - [ ] inner
- リスト項目2

```code
function example() {}
```";

/// Compact results, byte for byte.
#[test]
fn answers_are_what_a_model_needs() {
    let mut server = server();
    let call =
        |tool: &str, params: Value| json!({"module": "notion", "tool": tool, "params": params});
    let found = server.call("call", call("search", json!({"query": "設計"}))).result();
    assert_eq!(below_note(&found), PAGES, "{found:#}");
    let read = server
        .call("call", call("get_page_content", json!({"page_id": "abc123", "fetch_all": true})))
        .result();
    assert_eq!(below_note(&read), DOCUMENT, "{read:#}");
    let mut whole = call("search", json!({"query": "設計"}));
    whole["output"] = json!("json");
    let whole = server.call("call", whole).result();
    let whole: Value = serde_json::from_str(whole["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(whole["results"][0]["properties"]["Name"]["type"], "title");
}

/// Its two lines, as they stand there.
#[test]
fn chained_batch_reads_the_first_hit() {
    let tasks = r#"{"id":"search","module":"notion","tool":"search","params":{"query":"設計"}}
{"id":"page","module":"notion","tool":"get_page_content","params":{"page_id":"${search.results[0].id}","fetch_all":true},"after":["search"],"output":true}"#;
    let result = server().call("batch", json!({"tasks": tasks})).result();
    let answer = crate::batch_text::read_batch(&result);
    assert_eq!(answer["results"], json!({"page": DOCUMENT}), "{answer:#}");
}

#[test]
fn a_page_comes_in_parts() {
    let mut server = server();
    let first = json!({"page_id": "abc123", "page_size": 2, "fetch_all": false});
    let first = server.call("get_page_content", first).result();
    assert_eq!(
        below_note(&first),
        "# タイトル\n\nこれは本文です。\n\n(there is more: fetch_all = true, or start_cursor = \"more\")"
    );
}

#[test]
fn what_the_service_refuses_is_told() {
    let web = Web::answering(|asked| Some(notion(asked)));
    let said = |room: Room, tool: &str, args: Value| {
        let mut server = Server::start_in(room, Opening::Modern);
        let result = server.call(tool, args).result();
        assert_eq!(result["isError"], true, "{result:#}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    };
    let query = json!({"query": "設計"});
    let none = said(room(&web, None), "notion.search", query.clone());
    assert_eq!(
        none,
        "the secret `token` of module `notion` is not set; `larkspur secret set notion.token` sets it"
    );
    let wrong = said(room(&web, Some("wrong")), "notion.search", query);
    assert_eq!(
        wrong,
        "Notion answered 401 about the search for `設計`: API token is invalid. The token is wrong or was \
         revoked: take the one at notion.so/my-integrations, and set it with `larkspur secret set notion.token`"
    );
    let lost = said(room(&web, Some("secret")), "get_page_content", json!({"page_id": "nowhere"}));
    assert_eq!(
        lost,
        "Notion answered 404 about page `nowhere`: Could not find block. Check the id, and share it with the \
         integration in Notion, under Connections in its menu"
    );
}
