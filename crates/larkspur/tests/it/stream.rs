//! Calls that take a while: progress, cancelling, and the end of the conversation.

use crate::calls::{SLOW, SPIN};
use crate::fixture::{Opening, Server, ada, greeting};
use serde_json::json;
use std::time::{Duration, Instant};

/// Less than a call in flight may have.
const AT_ONCE: Duration = Duration::from_secs(2);

const STEPS: &str = r#"
def steps(ctx, turns: int = 0) -> str:
    ctx.progress(1, 3, "first")
    ctx.progress(2, 3)
    for i in range(turns):
        pass
    ctx.progress(3.5)
    return "done"

tool(steps)
"#;

#[test]
fn a_cancelled_call_ends_soon_and_is_not_answered() {
    let mut server = Server::start();
    server.module("spin", SPIN).module("greet", &greeting("hello")).up();
    let mut ends = Vec::new();
    for _ in 0..5 {
        let id = server.send_call("spin", json!({}));
        server.status_until("in flight", |status| status["in_flight"] == 1);
        server.call("hello", ada()).text("hello ada");
        server.notify("notifications/cancelled", json!({"requestId": id}));
        let begin = Instant::now();
        server.status_until("free", |status| status["in_flight"] == 0);
        ends.push(begin.elapsed());
        server.call("hello", ada()).text("hello ada");
    }
    // One of them may have met a busy machine.
    ends.sort();
    assert!(ends[2] < Duration::from_millis(250), "{ends:?}");
    assert_eq!(server.status()["stuck"], 0);
    let answers = server.wire().unasked();
    assert!(answers.is_empty(), "{answers:#?}");
}

#[test]
fn a_modern_call_is_cancelled_as_well() {
    let mut server = Server::start_as(Opening::Modern);
    server.module("spin", SPIN).up();
    let id = server.send_call("spin", json!({}));
    server.status_until("in flight", |status| status["in_flight"] == 1);
    server.notify("notifications/cancelled", json!({"requestId": id}));
    server.status_until("free", |status| status["in_flight"] == 0);
    server.up();
    let answers = server.wire().unasked();
    assert!(answers.is_empty(), "{answers:#?}");
}

/// The id of a cancelled call is free again.
#[test]
fn an_id_can_be_used_again_after_cancelling() {
    let mut server = Server::start();
    server.module("spin", SPIN).module("greet", &greeting("hello")).up();
    let id = server.send_call("spin", json!({}));
    server.status_until("in flight", |status| status["in_flight"] == 1);
    server.notify("notifications/cancelled", json!({"requestId": id}));
    server.status_until("free", |status| status["in_flight"] == 0);
    let params = json!({"name": "hello", "arguments": ada()});
    let again = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
    server.line(again.to_string().as_bytes()).answer(id).text("hello ada");
}

#[test]
fn the_end_of_input_is_the_end_at_once() {
    let check = |opening, prepare: fn(&mut Server)| {
        let mut server = Server::start_as(opening);
        server.module("greet", &greeting("hello"));
        prepare(&mut server);
        server.leave_within(AT_ONCE);
    };
    check(Opening::Bare, |server| {
        server.wire();
    });
    check(Opening::Legacy, |server| {
        server.wire();
    });
    check(Opening::Legacy, |server| {
        server.up();
    });
    check(Opening::Modern, |server| {
        server.up();
    });
    check(Opening::Bare, |server| {
        server.line(b"nonsense");
    });
    // Whether the word of it has quite left makes a difference inside, so more than once.
    for _ in 0..6 {
        check(Opening::Modern, |server| {
            server
                .send("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
            server.wire().notification("notifications/subscriptions/acknowledged");
        });
    }
}

#[test]
fn a_last_line_without_an_end_is_still_heard() {
    use std::io::Write;
    let mut server = Server::start_as(Opening::Bare);
    server.module("greet", &greeting("hello"));
    let mut stdin = server.wire().take_stdin();
    stdin.write_all(br#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#).unwrap();
    server.wire().give_stdin(stdin);
    server.leave_within(AT_ONCE);
    assert_eq!(server.answer(9).result(), json!({}));
}

#[test]
fn a_call_in_flight_is_answered_before_the_end() {
    let mut server = Server::start();
    server.module("slow", SLOW).up();
    let id = server.send_call("slow", json!({"turns": 300_000}));
    server.status_until("in flight", |status| status["in_flight"] == 1);
    server.leave_within(Duration::from_secs(6));
    server.answer(id).text("300000");
}

/// Words of progress that nobody can take any more must not hold up the answer.
#[test]
fn a_call_in_flight_that_tells_of_progress_is_answered_before_the_end() {
    let mut server = Server::start();
    server.module("steps", STEPS).up();
    let arguments = json!({"turns": 300_000});
    let call = json!({"name": "steps", "arguments": arguments, "_meta": {"progressToken": "half"}});
    let id = server.send("tools/call", call);
    server.wire().notification("notifications/progress");
    server.leave_within(Duration::from_secs(4));
    server.answer(id).text("done");
}
