//! `larkspur dev`: the board while somebody writes.

use crate::fixture::greeting;
use crate::room::Room;
use crate::wire::{PATIENCE, keep};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

struct Dev {
    child: Child,
    said: Arc<Mutex<String>>,
    /// What was read before this has been dealt with.
    from: usize,
}

impl Dev {
    fn start(room: &Room) -> Self {
        let mut child = room
            .larkspur(&["dev"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let said = Arc::new(Mutex::new(String::new()));
        drop(keep(child.stdout.take().unwrap(), Arc::clone(&said)));
        Self {
            child,
            said,
            from: 0,
        }
    }

    /// Waits for this to be said after what was waited for before.
    #[track_caller]
    fn says(&mut self, part: &str) -> &mut Self {
        let (_quiet, nothing) = std::sync::mpsc::channel::<()>();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let said = self.said.lock().unwrap()[self.from..].to_owned();
            if let Some(at) = said.find(part) {
                self.from += at + part.len();
                return self;
            }
            assert!(
                Instant::now() < deadline,
                "`{part}` was never said, but:\n{said}"
            );
            let _ = nothing.recv_timeout(Duration::from_millis(5));
        }
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const TEST: &str = "load(\"greet\", \"hello\")\n\
                    def test_hello():\n    testing.eq(hello(\"ada\"), \"hello ada\")\n";

#[test]
fn the_board_shows_what_happens_as_it_happens() {
    let room = Room::new();
    room.write("greet.star", &greeting("hello"))
        .write("greet_test.star", TEST);
    let mut dev = Dev::start(&room);
    dev.says("watching modules")
        .says("● greet  1 tool  loaded in")
        .says("tests: 1 passed");
    room.write(
        "greet.star",
        "def hello(name: str) -> str:\n    return oops\ntool(hello)\n",
    );
    dev.says("✗ modules/greet.star  new version refused, the last good one is still served")
        .says("2 │     return oops")
        .says("^^^^")
        .says("tests: 1 failed");
    room.write("greet.star", &greeting("good day"));
    dev.says("● greet  reloaded, 1 tool")
        .says("✗ test_hello")
        .says("tests: 1 failed");
    room.write(
        "greet_test.star",
        &TEST.replace("hello ada", "good day ada"),
    );
    dev.says("greet_test.star  saved").says("tests: 1 passed");
    room.remove("greet_test.star").remove("greet.star");
    dev.says("○ greet  removed");
}

#[test]
fn an_empty_folder_says_what_to_do() {
    let room = Room::without("modules");
    let mut dev = Dev::start(&room);
    dev.says("no modules yet; `larkspur new hello` writes one");
    room.run(&["new", "hello"]).exits(0);
    dev.says("● hello  loaded, 1 tool").says("tests: 3 passed");
}
