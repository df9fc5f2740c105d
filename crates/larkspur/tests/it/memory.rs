//! Memory of the whole server under many large calls, measured from outside.

use crate::fixture::{Opening, Server, body_of};
use crate::room::Room;
use serde_json::json;

/// Text of about 200 MB in pieces, each in one step.
const LARGE: &str = "
def large(pieces: int) -> int:
    pile = []
    for i in range(pieces):
        pile.append('a' * 10000 + str(i))
    return len(pile)

def small() -> str:
    return 'small'

tool(large)
tool(small)
";

const MIB: u64 = 1024;

fn server(limits: &str) -> Server {
    let room = Room::new();
    room.project(&format!("[limits]\n{limits}\n"));
    room.write("large.star", LARGE);
    Server::start_in(room, Opening::Legacy)
}

/// Fifty calls would take about ten gigabytes. Beyond the bound one of them goes on at a time: it
/// may take its `heap` (256 MiB) more, and others what they allocate before the next look.
#[test]
fn fifty_large_calls_stay_near_the_bound() {
    let mut server = server("memory = '600MiB'\ntimeout = '6s'");
    server.up();
    let calls: Vec<i64> =
        (0..50).map(|_| server.send_call("large", json!({"pieces": 10000}))).collect();
    let mut ended = (0, 0);
    for id in calls {
        let message = server.answer(id).message;
        let text = body_of(&message["result"]);
        if text == "10000" {
            ended.0 += 1;
        } else {
            // One whose turn comes late has no time left.
            let limits = ["(limit `memory`)", "(limit `timeout`)"];
            assert!(limits.iter().any(|limit| text.contains(limit)), "{message}");
            ended.1 += 1;
        }
    }
    let peak = server.peak_memory();
    assert!(ended.0 > 0, "{ended:?} succeeded and were rejected");
    assert!(peak < (600 + 256 + 600) * MIB, "{peak} kB at most");
    server.call("small", json!({})).text("small");
    server.call("large", json!({"pieces": 10000})).text("10000");
}

/// A bound below what the server needs by itself lets one call at a time run.
#[test]
fn one_call_runs_whatever_the_bound() {
    let mut server = server("memory = '1MiB'");
    for _ in 0..3 {
        server.call("large", json!({"pieces": 1000})).text("1000");
    }
    let calls: Vec<i64> =
        (0..8).map(|_| server.send_call("large", json!({"pieces": 1000}))).collect();
    for id in calls {
        server.answer(id).text("1000");
    }
    server.warned("(limit `memory`)");
}
