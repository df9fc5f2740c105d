//! A legacy client that resumes a stream gets every event once, in order.

use crate::room::Room;
use crate::session::{Event, Events, Session};
use crate::web::Web;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const ORDER: &str = r#"
def order(ctx) -> str:
    ctx.progress(1, 3, "one")
    ctx.progress(2, 3, "two")
    ctx.log.info("halfway")
    who = ctx.elicit("Who is it for?", {"name": "string"})["content"]["name"]
    ctx.log.info("for " + who)
    ctx.progress(3, 3, "three")
    return "done for " + who

tool(order)
"#;

const REVISIONS: [&str; 2] = ["2025-06-18", "2025-11-25"];
const CALL: i64 = 7;

fn web() -> Web {
    let room = Room::new();
    room.write("shop.star", ORDER);
    Web::start(room, &[])
}

fn call() -> Value {
    let params = json!({"name": "order", "arguments": {}, "_meta": {"progressToken": "p"}});
    json!({"jsonrpc": "2.0", "id": CALL, "method": "tools/call", "params": params})
}

/// When a client drops its connection.
#[derive(Clone, Copy)]
enum Drops {
    Never,
    After(usize),
    AfterEach,
}

/// All events of one call, which is answered when it asks.
fn events(web: &Web, revision: &'static str, drops: Drops) -> Vec<Event> {
    let session = Session::open(web, revision, json!({"elicitation": {"form": {}}}));
    let level = json!({"jsonrpc": "2.0", "id": 2, "method": "logging/setLevel", "params": {"level": "info"}});
    session.post(&level).is(200);
    let mut stream = session.stream(&call());
    let mut events: Vec<Event> = Vec::new();
    loop {
        let event = stream.next();
        let event = event.unwrap_or_else(|| panic!("no response after {events:#?}"));
        let message: Value = serde_json::from_str(&event.data).unwrap_or_default();
        events.push(event);
        if message["method"] == "elicitation/create" {
            let content = json!({"action": "accept", "content": {"name": "ada"}});
            session
                .post(&json!({"jsonrpc": "2.0", "id": message["id"], "result": content}))
                .is(202);
        }
        if message["id"] == CALL && message.get("method").is_none() {
            return events;
        }
        let is_dropped = match drops {
            Drops::Never => false,
            Drops::After(count) => count == events.len(),
            Drops::AfterEach => true,
        };
        if is_dropped {
            let last = events.last().unwrap().id.as_deref();
            let last = last.unwrap_or_else(|| panic!("no id: {events:#?}"));
            drop(stream);
            stream = session.listen(Some(last));
        }
    }
}

/// What a client acts on. The id of our request is ours to choose.
fn messages(events: &[Event]) -> Vec<Value> {
    let messages = events.iter().filter(|event| !event.data.is_empty());
    messages
        .map(|event| {
            let mut message = event.json();
            if message.get("method").is_some() {
                message.as_object_mut().unwrap().remove("id");
            }
            message
        })
        .collect()
}

#[test]
fn a_resumed_stream_brings_each_event_once() {
    let web = web();
    for revision in REVISIONS {
        let whole = events(&web, revision, Drops::Never);
        let expected = messages(&whole);
        let methods: Vec<&str> = expected
            .iter()
            .map(|message| message["method"].as_str().unwrap_or("response"))
            .collect();
        let (progress, line) = ("notifications/progress", "notifications/message");
        assert_eq!(
            methods,
            [progress, progress, line, "elicitation/create", line, progress, "response"],
            "{revision}"
        );
        for count in 1..whole.len() {
            let resumed = events(&web, revision, Drops::After(count));
            assert_eq!(messages(&resumed), expected, "{revision}, after {count}");
            assert_unique_ids(&resumed);
        }
        let resumed = events(&web, revision, Drops::AfterEach);
        assert_eq!(messages(&resumed), expected, "{revision}, after each");
        assert_unique_ids(&resumed);
    }
}

/// Every event has an id that no other event of the session has.
#[track_caller]
fn assert_unique_ids(events: &[Event]) {
    let ids: BTreeSet<&str> = events
        .iter()
        .map(|event| event.id.as_deref().unwrap_or_else(|| panic!("no id: {event:?}")))
        .collect();
    assert_eq!(ids.len(), events.len(), "{events:#?}");
}

/// A module changes, and the stream tells of it.
fn change(web: &Web, stream: &mut Events, number: u32) -> Event {
    let source = format!("def more{number}(): return 1\ntool(more{number})");
    web.room.write(&format!("more{number}.star"), &source);
    let event = stream.message();
    assert_eq!(event.json()["method"], "notifications/tools/list_changed");
    event
}

#[test]
fn a_stream_without_a_last_event_replays_nothing() {
    let web = web();
    for (revision, from) in REVISIONS.into_iter().zip([0, 10]) {
        let session = Session::open(&web, revision, json!({}));
        let mut stream = session.listen(None);
        let mut seen = vec![change(&web, &mut stream, from)];
        seen.push(change(&web, &mut stream, from + 1));
        drop(stream);
        let mut fresh = session.listen(None);
        seen.push(change(&web, &mut fresh, from + 2));
        let steps = session.stream(&call()).message();
        seen.push(steps);
        assert_unique_ids(&seen);
        drop(fresh);
        // After the first one come the others of its stream, and only those.
        let last = seen[0].id.clone().unwrap();
        let mut resumed = session.listen(Some(&last));
        assert_eq!(resumed.message(), seen[1], "{revision}");
    }
}

/// Clients of older revisions parse the data of every event as JSON.
#[test]
fn only_streams_of_2025_11_25_are_primed() {
    let web = web();
    for (module, revision, is_primed) in
        [("one", "2025-03-26", false), ("two", "2025-06-18", false), ("three", "2025-11-25", true)]
    {
        let events = events(&web, revision, Drops::Never);
        let first = events[0].data.is_empty() && events[0].id.is_some();
        let count = events.iter().filter(|event| event.data.is_empty()).count();
        assert_eq!((first, count), (is_primed, usize::from(is_primed)), "{events:#?}");
        let session = Session::open(&web, revision, json!({}));
        let mut stream = session.listen(None);
        web.room
            .write(&format!("{module}.star"), &format!("def {module}(): return 1\ntool({module})"));
        let first = stream.next().unwrap();
        assert!(is_primed || !first.data.is_empty(), "{revision}: {first:?}");
    }
}
