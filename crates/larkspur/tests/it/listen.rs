//! `subscriptions/listen`: the modern way to hear of another list.

use crate::fixture::{LIST_CHANGED, Opening, Server, described, greeting};
use serde_json::{Value, json};

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

fn subscription(message: &Value) -> &Value {
    &message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"]
}

fn listen(server: &mut Server, wanted: Value) -> i64 {
    server.send("subscriptions/listen", json!({"notifications": wanted}))
}

#[test]
fn a_listener_is_acknowledged_and_then_told_under_its_id() {
    let mut server = Server::start_as(Opening::Modern);
    server.module("greet", &greeting("hello"));
    let first = listen(&mut server, json!({"toolsListChanged": true}));
    let second = listen(&mut server, json!({"toolsListChanged": true}));
    let acknowledged: Vec<Value> =
        (0..2).map(|_| server.wire().notification(ACKNOWLEDGED)).collect();
    assert_eq!(ids(&acknowledged), [json!(first), json!(second)]);
    assert_eq!(acknowledged[0]["params"]["notifications"], json!({"toolsListChanged": true}));
    server.not_told();
    server.edit("greet", &described("hello", "Greets."));
    let told: Vec<Value> = (0..2).map(|_| server.wire().notification(LIST_CHANGED)).collect();
    assert_eq!(ids(&told), [json!(first), json!(second)]);
    server.not_told();
}

fn ids(messages: &[Value]) -> Vec<Value> {
    let mut ids: Vec<Value> =
        messages.iter().map(|message| subscription(message).clone()).collect();
    ids.sort_by_key(Value::to_string);
    ids
}

#[test]
fn what_was_not_asked_for_is_not_told() {
    let mut server = Server::start_as(Opening::Modern);
    server.module("greet", &greeting("hello"));
    let other = listen(&mut server, json!({"promptsListChanged": true}));
    let acknowledged = server.wire().notification(ACKNOWLEDGED);
    assert_eq!(subscription(&acknowledged), &json!(other));
    let wanted = listen(&mut server, json!({"toolsListChanged": true}));
    server.wire().notification(ACKNOWLEDGED);
    server.edit("greet", &described("hello", "Greets."));
    let told = server.wire().notification(LIST_CHANGED);
    assert_eq!(subscription(&told), &json!(wanted));
    server.not_told();
}

#[test]
fn a_cancelled_listener_hears_no_more() {
    let mut server = Server::start_as(Opening::Modern);
    server.module("greet", &greeting("hello"));
    let first = listen(&mut server, json!({"toolsListChanged": true}));
    let second = listen(&mut server, json!({"toolsListChanged": true}));
    for _ in 0..2 {
        server.wire().notification(ACKNOWLEDGED);
    }
    server.notify("notifications/cancelled", json!({"requestId": first}));
    server.up().edit("greet", &described("hello", "Greets."));
    let told = server.wire().notification(LIST_CHANGED);
    assert_eq!(subscription(&told), &json!(second));
    server.not_told();
}

/// A modern client that does not listen hears nothing, and a bare one neither.
#[test]
fn nobody_is_told_who_did_not_ask() {
    for opening in [Opening::Modern, Opening::Bare] {
        let mut server = Server::start_as(opening);
        server.module("greet", &greeting("hello")).up();
        server
            .edit("greet", &described("good day", "Greets."))
            .until("hello", json!({"name": "ada"}), "good day ada")
            .not_told();
    }
}
