//! A diamond of modules whose base is edited under a steady load of calls.

use crate::fixture::{Server, body_of, list_of};
use crate::folder::{answering, manifest, needs};
use crate::wire::PATIENCE;
use serde_json::json;
use std::collections::VecDeque;
use std::time::Instant;

const EDITS: usize = 30;
/// Calls that are always under way.
const LOAD: usize = 16;
const NAMES: [&str; 4] = ["base", "left", "right", "top"];

/// The base says its version; each of the others keeps every version it was started with.
fn base(version: usize) -> String {
    format!(
        "def start(deps, config):\n    log.info(\"start {version}\")\n    return [{version}]\n{}",
        rest("base")
    )
}

fn upon(name: &str) -> String {
    format!(
        "def start(deps, config):\n    seen = []\n    for dep in deps.values():\n        seen += dep\n    \
         log.info(\"start %d\" % seen[0])\n    return seen\n{}",
        rest(name)
    )
}

/// A tool that is quick, and one that takes a while and looks again at its end.
fn rest(name: &str) -> String {
    format!(
        "def stop(instance):\n    log.info(\"stop %d\" % instance[0])\n\
         def {name}_slow(ctx):\n    before = list(ctx.instance)\n    for i in range(20000):\n        pass\n    \
         return before + ctx.instance + [x for dep in ctx.deps.values() for x in dep] + ctx.call(\"base_quick\")\n\
         tool({name}_slow)\n{}",
        answering(&format!("{name}_quick"), "ctx.instance")
    )
}

fn diamond() -> Server {
    let mut server = Server::start();
    server
        .folder_module("base", &manifest("base", ""), &base(0))
        .folder_module("left", &manifest("left", &needs("base")), &upon("left"))
        .folder_module("right", &manifest("right", &needs("base")), &upon("right"))
        .folder_module(
            "top",
            &manifest(
                "top",
                &format!("{}\n[permissions]\ncalls = ['base.base_quick']", needs("left right")),
            ),
            &upon("top"),
        )
        .up();
    server
}

#[test]
fn a_base_edited_under_load_restarts_all_once_fails_no_call_and_mixes_no_versions() {
    let mut server = diamond();
    let mut load = Load::default();
    for edit in 1..=EDITS {
        server.main("base", &base(edit));
        load.until_all_answer(&mut server, edit);
    }
    load.drain(&mut server);
    let status = server.status();
    assert_eq!(status["failed"], 0, "{status:#}");
    assert_eq!(status["stuck"], 0, "{status:#}");
    let log = server.log_to_the_end();
    for edit in 0..=EDITS {
        let of = |word: &str| -> Vec<(usize, &str)> {
            let suffix = format!(": {word} {edit}");
            let lines = log.iter().enumerate();
            lines.filter_map(|(at, line)| Some((at, line.strip_suffix(&suffix)?))).collect()
        };
        let names = |lines: &[(usize, &str)]| -> Vec<String> {
            lines.iter().map(|(_, name)| (*name).to_owned()).collect()
        };
        let (starts, stops) = (of("start"), of("stop"));
        assert_eq!(names(&starts), ["base", "left", "right", "top"], "edit {edit}");
        // Dependents first; which of the two in the middle is done with its calls first is open.
        let stopped = names(&stops);
        assert_eq!(stopped.len(), 4, "edit {edit}: {stopped:?}");
        assert_eq!((&*stopped[0], &*stopped[3]), ("top", "base"), "edit {edit}");
    }
    assert_eq!(log.len(), (EDITS + 1) * 8);
}

#[derive(Default)]
struct Load {
    waiting: VecDeque<(usize, i64)>,
    sent: usize,
    /// The newest version each tool has answered with.
    seen: [usize; 8],
}

impl Load {
    /// Keeps calling every tool until each has answered with this version.
    fn until_all_answer(&mut self, server: &mut Server, version: usize) {
        let begin = Instant::now();
        while self.seen.iter().any(|seen| *seen < version) {
            while self.waiting.len() < LOAD {
                let tool = self.sent % 8;
                let name = format!("{}_{}", NAMES[tool % 4], ["quick", "slow"][tool / 4]);
                self.waiting.push_back((tool, server.send_call(&name, json!({}))));
                self.sent += 1;
            }
            self.receive(server);
            assert!(begin.elapsed() < PATIENCE, "{version} was never served: {:?}", self.seen);
        }
    }

    fn drain(&mut self, server: &mut Server) {
        while !self.waiting.is_empty() {
            self.receive(server);
        }
    }

    /// One answer: all versions in it are the same.
    fn receive(&mut self, server: &mut Server) {
        let (tool, id) = self.waiting.pop_front().unwrap();
        let result = server.answer(id).result();
        assert_eq!(result["isError"], false, "{result:#}");
        let text = body_of(&result);
        let versions = list_of(text);
        let first = versions[0].clone();
        assert!(versions.iter().all(|version| *version == first), "mixed: {text}");
        let version = usize::try_from(first.as_u64().unwrap()).unwrap();
        self.seen[tool] = self.seen[tool].max(version);
    }
}
