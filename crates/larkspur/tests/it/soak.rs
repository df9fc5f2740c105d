//! Many reloads under a steady load of calls.
// Tests that read /proc are left out elsewhere, and with them the only users of some helpers.
#![cfg_attr(not(target_os = "linux"), allow(dead_code, unused_imports))]

use crate::fixture::Server;
use serde_json::json;
use std::collections::VecDeque;

/// Files saved together reload together: every round is one reload of all of them.
const FILES: usize = 4;
const ROUNDS: usize = 1_000;
const WARM: usize = 40;
/// Calls that are always under way: one a tool, since two of one tool may overtake each other.
const LOAD: usize = FILES;

fn versioned(file: usize, round: usize) -> String {
    format!("def tool{file}(x: int) -> str:\n    return \"v{round} \" + str(x)\ntool(tool{file})\n")
}

#[test]
#[cfg(target_os = "linux")]
fn a_thousand_reloads_under_load_fail_no_call_and_keep_no_memory() {
    let mut server = Server::start();
    for file in 0..FILES {
        server.module(&format!("m{file}"), &versioned(file, 0));
    }
    server.up();
    let mut load = Load::default();
    let mut warm = 0;
    for round in 1..=WARM + ROUNDS {
        for file in 0..FILES {
            server.edit(&format!("m{file}"), &versioned(file, round));
        }
        load.until_all_answer(&mut server, round);
        if round == WARM {
            warm = server.rss();
        }
    }
    let end = server.rss();
    assert!(
        end <= warm + warm / 10 + 2048,
        "{warm} kB after {WARM} rounds, {end} kB after {ROUNDS} more"
    );
    server.not_told();
    let status = server.status();
    assert_eq!(status["failed"], 0, "{status:#}");
    assert_eq!(status["stuck"], 0, "{status:#}");
}

#[derive(Default)]
struct Load {
    waiting: VecDeque<(usize, i64)>,
    sent: usize,
    /// The last version each file has answered with.
    seen: [usize; FILES],
}

impl Load {
    /// Keeps calling all tools until each answers with this version. None goes back to an older one.
    fn until_all_answer(&mut self, server: &mut Server, round: usize) {
        let begin = std::time::Instant::now();
        while self.seen.iter().any(|seen| *seen < round) {
            while self.waiting.len() < LOAD {
                let file = self.sent % FILES;
                let id = server.send_call(&format!("tool{file}"), json!({"x": self.sent}));
                self.waiting.push_back((file, id));
                self.sent += 1;
            }
            let (file, id) = self.waiting.pop_front().unwrap();
            let result = server.answer(id).result();
            assert_eq!(result["isError"], false, "{result:#}");
            let text = result["content"][0]["text"].as_str().unwrap();
            let version = text.split(' ').next().unwrap();
            let version: usize = version.trim_start_matches('v').parse().unwrap();
            assert!(version >= self.seen[file], "{text} after v{}", self.seen[file]);
            self.seen[file] = version;
            assert!(
                begin.elapsed() < crate::wire::PATIENCE,
                "round {round} was never served: {:?}",
                self.seen
            );
        }
    }
}
