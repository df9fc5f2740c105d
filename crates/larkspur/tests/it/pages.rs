//! Long lists come a page at a time, in each era and by each door.

use crate::fixture::{Opening, Server};
use crate::room::Room;
use crate::web::Web;
use serde_json::{Value, json};

/// Each list is longer than two pages.
const MANY: &str = r#"
def thing():
    """One of many."""
    return "here"

def things(id: str):
    """Many more."""
    return id

[tool(thing, name = "tool-%d" % i) for i in range(1000, 3300)]
[prompt(thing, name = "prompt-%d" % i) for i in range(1000, 3300)]
[resource("thing://%d" % i, thing) for i in range(1000, 3300)]
[resource("thing://%d/{id}" % i, things) for i in range(1000, 3300)]
"#;

/// Method, where its result has the items, and what they are called by.
const LISTS: [(&str, &str, &str); 4] = [
    ("tools/list", "tools", "name"),
    ("prompts/list", "prompts", "name"),
    ("resources/list", "resources", "uri"),
    ("resources/templates/list", "resourceTemplates", "uriTemplate"),
];

/// Asks for page after page: how long they are, and whether all names are there, once and in order.
#[track_caller]
fn walk(list: (&str, &str, &str), mut ask: impl FnMut(Value) -> Value) {
    let (method, items, name) = list;
    let (mut lengths, mut names, mut params) = (Vec::new(), Vec::new(), json!({}));
    loop {
        let result = ask(params);
        let page = result[items].as_array().unwrap();
        lengths.push(page.len());
        names.extend(page.iter().map(|item| item[name].as_str().unwrap().to_owned()));
        match result.get("nextCursor") {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => break,
        }
    }
    assert_eq!(lengths, [1000, 1000, 300], "{method}");
    assert!(names.is_sorted() && names[0].contains("1000"), "{method}");
    names.dedup();
    assert_eq!(names.len(), 2300, "{method}");
}

#[test]
fn by_pipes() {
    for opening in [Opening::Legacy, Opening::Modern] {
        let mut server = Server::start_as(opening);
        server.flags = vec!["--surface".into(), "flat".into()];
        server.module("many", MANY);
        for list in LISTS {
            walk(list, |params| server.request(list.0, params).result());
            for cursor in ["", "zz", "746f6f6c73"] {
                let asked = server.request(list.0, json!({"cursor": cursor}));
                asked.refused(-32602, "no cursor of");
            }
        }
    }
}

#[test]
fn by_network() {
    let room = Room::new();
    room.write("many.star", MANY);
    let web = Web::start(room, &["--surface", "flat"]);
    for list in LISTS {
        walk(list, |params| web.modern(list.0, params).json()["result"].clone());
        walk(list, |params| {
            let ask = json!({"jsonrpc": "2.0", "id": 1, "method": list.0, "params": params});
            web.plain(&ask).json()["result"].clone()
        });
    }
}
