//! What scripts log reaches clients that ask for it, on the stream of the request and in its order.

use crate::room::Room;
use crate::session::Session;
use crate::web::Web;
use serde_json::{Value, json};

const CHATTER: &str = "def chatter() -> str:\n    for i in range(500):\n        log.info(\"line %d\" % i)\n    \
                       return \"done\"\ntool(chatter)\n";

#[test]
fn many_lines_come_in_their_order() {
    let room = Room::new();
    room.write("talk.star", CHATTER);
    let web = Web::start(room, &[]);
    let session = Session::open(&web, "2025-11-25", json!({}));
    let level = json!({"jsonrpc": "2.0", "id": 2, "method": "logging/setLevel", "params": {"level": "info"}});
    session.post(&level).is(200);
    let call =
        json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "chatter"}});
    let events = session.post(&call).events();
    let (answer, lines) = events.split_last().unwrap();
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{events:#?}");
    let lines: Vec<&Value> = lines.iter().map(|line| &line["params"]["data"]).collect();
    let expected: Vec<Value> = (0..500).map(|i| json!(format!("line {i}"))).collect();
    assert_eq!(lines, expected.iter().collect::<Vec<_>>());
}
