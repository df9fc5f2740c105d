//! Resources: subscriptions, other lists of them, and the shell.

use crate::fixture::{Opening, Server, described, greeting};
use crate::room::Room;
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

resource("lib://today", today, title = "Today", mime = "text/markdown")
resource("lib://{shelf}/{number}", book)
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

#[test]
fn another_list_of_prompts_is_told_of() {
    let prompt =
        |about: &str| format!("def f():\n    \"\"\"{about}\"\"\"\n    return ''\nprompt(f)\n");
    let mut server = Server::start();
    server.module("docs", &prompt("One.")).up().edit("docs", &prompt("Two."));
    server.wire().notification("notifications/prompts/list_changed");
    assert_eq!(server.not_told().wire().notified(RESOURCES_CHANGED), None);
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
    server
        .request("resources/subscribe", json!({"uri": "lib://today"}))
        .refused(-32602, "a client may subscribe to 1024 resources");
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
