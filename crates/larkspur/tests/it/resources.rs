//! Resources, read and subscribed to in both eras, and from the shell.

use crate::fixture::{Opening, Server, described, greeting};
use crate::room::Room;
use expect_test::{Expect, expect};
use serde_json::{Value, json};

const UPDATED: &str = "notifications/resources/updated";
const RESOURCES_CHANGED: &str = "notifications/resources/list_changed";
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
const ERAS: [Opening; 2] = [Opening::Legacy, Opening::Modern];

const LIBRARY: &str = r#"
Shelf = one_of("poems", "plays")

def today():
    """What is new."""
    return "nothing new"

def book(shelf: Shelf, number: int):
    return {"shelf": shelf, "number": number}

def page(path: str):
    return [{"text": path}, {"blob": "aGk=", "mimeType": "image/png", "uri": "lib://cover"}]

def gone():
    fail("the shelf is empty")

def touch(ctx, uri: str) -> str:
    ctx.resource_updated(uri)
    return "touched"

def starts(value, given):
    return [s + given.get("shelf", "") for s in ["1", "12", "2"] if s.startswith(value)]

resource("lib://today", today, title = "Today", mime = "text/markdown", annotations = {"priority": 0.5},
         icons = [{"src": "https://example.org/i.png"}])
resource("lib://{shelf}/{number}", book, complete = {"number": starts})
resource("lib://pages/{+path}", page)
resource("lib://gone", gone)
tool(touch)
"#;

fn library(opening: Opening) -> Server {
    let mut server = Server::start_as(opening);
    server.module("library", LIBRARY);
    server
}

#[track_caller]
fn read(server: &mut Server, uri: &str) -> Value {
    server.request("resources/read", json!({"uri": uri})).result()
}

/// What a client sees of an error, on one line.
#[track_caller]
pub(crate) fn refused(server: &mut Server, method: &str, params: Value, expected: &Expect) {
    let error = server.request(method, params).message["error"].clone();
    let data = error.get("data").map_or(String::new(), |d| format!(" {d}"));
    let message = error["message"].as_str().unwrap_or_default();
    expected.assert_eq(&format!("{} {message}{data}", error["code"]));
}

/// What a modern result carries besides, and a legacy one must not.
#[track_caller]
pub(crate) fn dressed(opening: Opening, result: &Value, cached: bool) {
    let modern = opening == Opening::Modern;
    let info = &result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"];
    assert_eq!(*info == "larkspur", modern, "{result:#}");
    assert_eq!(result["resultType"] == "complete", modern, "{result:#}");
    assert_eq!(result["ttlMs"].is_u64(), modern && cached, "{result:#}");
    assert_eq!(result["cacheScope"].is_string(), modern && cached, "{result:#}");
}

#[test]
fn resources_and_templates_are_listed() {
    for opening in ERAS {
        let mut server = library(opening);
        let listed = server.request("resources/list", json!({})).result();
        dressed(opening, &listed, true);
        expect![[
            r#"[{"uri":"lib://gone","name":"gone"},{"uri":"lib://today","name":"today","title":"Today","description":"What is new.","mimeType":"text/markdown","icons":[{"src":"https://example.org/i.png"}],"annotations":{"priority":0.5}}]"#
        ]]
        .assert_eq(&listed["resources"].to_string());
        let listed = server.request("resources/templates/list", json!({})).result();
        dressed(opening, &listed, true);
        expect![[
            r#"[{"uriTemplate":"lib://pages/{+path}","name":"page"},{"uriTemplate":"lib://{shelf}/{number}","name":"book"}]"#
        ]]
        .assert_eq(&listed["resourceTemplates"].to_string());
    }
}

#[test]
fn a_resource_is_read_by_its_uri() {
    for opening in ERAS {
        let mut server = library(opening);
        let check = |server: &mut Server, uri: &str, expected: &Expect| {
            let result = read(server, uri);
            dressed(opening, &result, true);
            expected.assert_eq(&result["contents"].to_string());
        };
        check(
            &mut server,
            "lib://today",
            &expect![[
                r#"[{"uri":"lib://today","mimeType":"text/markdown","text":"nothing new"}]"#
            ]],
        );
        check(
            &mut server,
            "lib://poems/7",
            &expect![[
                r#"[{"uri":"lib://poems/7","mimeType":"application/json","text":"{\"shelf\":\"poems\",\"number\":7}"}]"#
            ]],
        );
        check(
            &mut server,
            "lib://pages/a/b",
            &expect![[
                r#"[{"uri":"lib://pages/a/b","mimeType":"text/plain","text":"a/b"},{"uri":"lib://cover","mimeType":"image/png","blob":"aGk="}]"#
            ]],
        );
        // The template that says more is tried first.
        check(
            &mut server,
            "lib://pages/7",
            &expect![[
                r#"[{"uri":"lib://pages/7","mimeType":"text/plain","text":"7"},{"uri":"lib://cover","mimeType":"image/png","blob":"aGk="}]"#
            ]],
        );
    }
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let near = r#"there is no resource `lib://tody`; did you mean `lib://today`? {"uri":"lib://tody","available":["lib://today"]}"#;
    for (opening, code) in [(Opening::Legacy, -32002), (Opening::Modern, -32602)] {
        let mut server = library(opening);
        let error =
            server.request("resources/read", json!({"uri": "lib://tody"})).message["error"].clone();
        assert_eq!(
            format!("{} {} {}", error["code"], error["message"].as_str().unwrap(), error["data"]),
            format!("{code} {near}")
        );
        let mut check = |uri: &str, expected: &Expect| {
            refused(&mut server, "resources/read", json!({"uri": uri}), expected);
        };
        check(
            "lib://poem/x",
            &expect![[
                r#"-32602 lib://poem/x: `shelf` expected one of "poems", "plays", got the string "poem"; did you mean "poems"?; `number` expected an integer, got the string "x""#
            ]],
        );
        check("lib://gone", &expect!["-32603 the shelf is empty"]);
        server
            .request("resources/read", json!({}))
            .refused(-32602, "resources/read needs params with `uri`");
        server.request("resources/list", json!({"cursor": "x"})).refused(-32602, "no cursor of");
        server
            .request("resources/templates/list", json!({"cursor": 3}))
            .refused(-32602, "`cursor` of resources/templates/list must be a string");
    }
}

#[test]
fn nothing_is_served_where_there_is_nothing() {
    for opening in ERAS {
        let mut server = Server::start_as(opening);
        let listed = server.request("resources/list", json!({})).result();
        assert_eq!(listed["resources"], json!([]));
        let listed = server.request("resources/templates/list", json!({})).result();
        assert_eq!(listed["resourceTemplates"], json!([]));
        server.request("resources/read", json!({"uri": "a://b"})).refused(
            if opening == Opening::Legacy { -32002 } else { -32602 },
            "there is no resource `a://b`",
        );
    }
}

#[test]
fn variables_are_completed() {
    for opening in ERAS {
        let mut server = library(opening);
        let template = json!({"type": "ref/resource", "uri": "lib://{shelf}/{number}"});
        let mut complete = |argument: Value, context: Value| {
            let params = json!({"ref": template, "argument": argument, "context": context});
            let result = server.request("completion/complete", params).result();
            dressed(opening, &result, false);
            result["completion"].to_string()
        };
        expect![[r#"{"values":["poems","plays"],"total":2,"hasMore":false}"#]]
            .assert_eq(&complete(json!({"name": "shelf", "value": "P"}), json!({})));
        expect![[r#"{"values":["1poems","12poems"],"total":2,"hasMore":false}"#]].assert_eq(
            &complete(
                json!({"name": "number", "value": "1"}),
                json!({"arguments": {"shelf": "poems"}}),
            ),
        );
        refused(
            &mut server,
            "completion/complete",
            json!({"ref": template, "argument": {"name": "shel", "value": ""}}),
            &expect![[
                r#"-32602 lib://{shelf}/{number} has no argument `shel`; did you mean `shelf`? {"available":["shelf","number"]}"#
            ]],
        );
    }
}

#[test]
fn of_two_modules_with_one_uri_the_first_serves_it() {
    let one =
        |word: &str| format!("def {word}():\n    return '{word}'\nresource('a://b', {word})\n");
    let mut server = Server::start();
    server.module("first", &one("first")).module("second", &one("second"));
    assert_eq!(read(&mut server, "a://b")["contents"][0]["text"], "first");
    let notes = server.status()["notes"].clone();
    assert_eq!(
        notes,
        json!(["modules `first` and `second` both declare a://b; `first` serves it"])
    );
    server.remove("first.star");
    let told = server.wire().notification(RESOURCES_CHANGED);
    assert_eq!(told["method"], RESOURCES_CHANGED);
    assert_eq!(read(&mut server, "a://b")["contents"][0]["text"], "second");
}

/// A list is told of when it changes, and no other with it.
#[test]
fn each_list_is_told_of_by_itself() {
    let resource = |about: &str| {
        format!("def f():\n    \"\"\"{about}\"\"\"\n    return ''\nresource('a://b', f)\n")
    };
    for opening in ERAS {
        let mut server = Server::start_as(opening);
        server.module("greet", &greeting("hello")).module("docs", &resource("One.")).up();
        if opening == Opening::Modern {
            let all = json!({"toolsListChanged": true, "resourcesListChanged": true, "promptsListChanged": true});
            server.send("subscriptions/listen", json!({"notifications": all}));
            let acknowledged = server.wire().notification(ACKNOWLEDGED);
            assert_eq!(acknowledged["params"]["notifications"], all);
        }
        server.edit("docs", &resource("Two."));
        server.wire().notification(RESOURCES_CHANGED);
        server.not_told();
        server.edit("greet", &described("hello", "Greets.")).changed();
        assert_eq!(server.up().wire().notified(RESOURCES_CHANGED), None);
    }
}

#[track_caller]
fn touch(server: &mut Server, uri: &str) {
    server.call("touch", json!({"uri": uri})).text("touched");
}

#[test]
fn a_legacy_client_subscribes_and_unsubscribes() {
    for opening in [Opening::Legacy, Opening::Bare] {
        let mut server = library(opening);
        touch(&mut server, "lib://today");
        for uri in ["lib://today", "lib://poems/1"] {
            let subscribed = server.request("resources/subscribe", json!({"uri": uri}));
            assert_eq!(subscribed.result(), json!({}));
        }
        touch(&mut server, "lib://plays/1");
        touch(&mut server, "lib://poems/1");
        let told = server.wire().notification(UPDATED);
        assert_eq!(told["params"], json!({"uri": "lib://poems/1"}));
        let ended = server.request("resources/unsubscribe", json!({"uri": "lib://poems/1"}));
        assert_eq!(ended.result(), json!({}));
        touch(&mut server, "lib://poems/1");
        touch(&mut server, "lib://today");
        let told = server.wire().notification(UPDATED);
        assert_eq!(told["params"], json!({"uri": "lib://today"}));
        assert_eq!(server.up().wire().notified(UPDATED), None);
    }
}

#[test]
fn a_modern_client_listens_to_what_it_names() {
    let mut server = library(Opening::Modern);
    let wanted = json!({"resourceSubscriptions": ["lib://today"]});
    let id = server.send("subscriptions/listen", json!({"notifications": wanted}));
    let acknowledged = server.wire().notification(ACKNOWLEDGED);
    assert_eq!(acknowledged["params"]["notifications"], wanted);
    touch(&mut server, "lib://gone");
    touch(&mut server, "lib://today");
    let told = server.wire().notification(UPDATED);
    assert_eq!(told["params"]["uri"], "lib://today");
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], json!(id));
    assert_eq!(server.up().wire().notified(UPDATED), None);
    server.request("resources/subscribe", json!({"uri": "lib://today"})).refused(-32601, "");
}

#[test]
fn subscriptions_have_a_bound() {
    let mut server = library(Opening::Legacy);
    for i in 0..1024 {
        let uri = format!("lib://poems/{i}");
        server.request("resources/subscribe", json!({"uri": uri})).result();
    }
    refused(
        &mut server,
        "resources/subscribe",
        json!({"uri": "lib://today"}),
        &expect!["-32602 a client may subscribe to 1024 resources"],
    );
}

#[test]
fn the_road_has_a_deadline_and_can_be_left() {
    let mut server = Server::start();
    let slow = "def f(ctx):\n    ctx.progress(1, 2, 'half')\n    for i in range(400000000):\n        pass\n    return ''\nresource('a://b', f)\n";
    server.module("slow", slow).up();
    let params = json!({"uri": "a://b", "_meta": {"progressToken": "p"}});
    let id = server.send("resources/read", params);
    let word = server.wire().notification("notifications/progress");
    assert_eq!(word["params"]["message"], "half");
    server
        .notify("notifications/cancelled", json!({"requestId": id}))
        .status_until("free again", |status| status["in_flight"] == 0 && status["stopped"] == 1);
}

/// A module with a manifest: what `start` gave is there, other tools can be called, and a function
/// that is a resource is no hook.
#[test]
fn a_resource_is_part_of_its_module() {
    let main = r#"
def start(deps, config):
    return {"word": "started"}

def status(ctx, part: str):
    return "%s, %s" % (ctx.instance["word"], ctx.call("greet.hello", {"name": part}))

def missed(ctx):
    return ctx.call("greet.hello", {"nam": "x"})

resource("unit://{part}", status)
resource("unit://missed/it", missed)
"#;
    let mut server = Server::start();
    server
        .module("greet", &greeting("hello"))
        .file(
            "unit/module.toml",
            "name = \"unit\"\nversion = \"1.0.0\"\ndescription = \"A unit.\"\noptional_deps = [\"greet\"]\n",
        )
        .file("unit/main.star", main);
    let read = read(&mut server, "unit://ada");
    assert_eq!(read["contents"][0]["text"], "started, hello ada");
    refused(
        &mut server,
        "resources/read",
        json!({"uri": "unit://missed/it"}),
        &expect![
            "-32603 greet.hello was not called: `name` is required; `nam` is not a parameter; did you mean `name`?"
        ],
    );
}

#[test]
fn the_shell_reads_too() {
    let room = Room::new();
    room.write("library.star", LIBRARY);
    room.run(&["read", "lib://today"]).exits(0).says_only("nothing new");
    room.run(&["read", "lib://pages/x"])
        .exits(0)
        .says_only("x")
        .notes("lib://cover is image/png, 4 characters of base64; --format json shows them");
    let whole = room.run(&["read", "lib://pages/x", "--format", "json"]);
    assert_eq!(
        whole.exits(0).json(),
        json!({"contents": [
            {"uri": "lib://pages/x", "mimeType": "text/plain", "text": "x"},
            {"uri": "lib://cover", "mimeType": "image/png", "blob": "aGk="},
        ]})
    );
    room.run(&["read", "lib://tody"])
        .exits(2)
        .notes("error: there is no resource `lib://tody`; did you mean `lib://today`?");
    room.run(&["read", "lib://poems/x"]).exits(2).notes(
        "error: `number` expected an integer, got the string \"x\"\n  = help: lib://{shelf}/{number} with shelf: \"poems\"|\"plays\", number: int",
    );
    room.run(&["read", "lib://gone"])
        .exits(5)
        .notes("error: the shelf is empty\n   ┌ library.star:15:5");
    room.run(&["read"]).exits(2).notes("<URI>");
    room.run(&["read", "--help"]).exits(0).says("larkspur read notes://today");
}

#[test]
fn the_list_shows_them() {
    let room = Room::new();
    room.write("library.star", LIBRARY);
    room.run(&["list"])
        .exits(0)
        .says("  resource lib://today  What is new.\n  resource lib://{shelf}/{number}")
        .notes("1 tool, 4 resources in 1 module");
    let listed = room.run(&["list", "--format", "json"]).exits(0).json();
    let module = &listed["modules"][0];
    assert_eq!(
        module["resources"][1],
        json!({"uriTemplate": "lib://{shelf}/{number}", "name": "book", "description": "", "mimeType": null})
    );
    assert_eq!(module["prompts"], json!([]));
}

#[test]
fn a_mistake_is_shown_at_the_function() {
    let room = Room::new();
    room.write(
        "broken.star",
        "def book(shelf: str):\n    return shelf\n\nresource(\"lib://{shelve}\", book)\n",
    );
    room.run(&["check"]).exits(1).says(
        "error[E0500]: resource `book`: `lib://{shelve}` has `{shelve}`, which is not a parameter; did you mean `shelf`?\n  ┌ modules/broken.star:1:5\n1 │ def book(shelf: str):\n  │     ^^^^",
    );
}
