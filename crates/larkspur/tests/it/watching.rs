//! `larkspur test --watch`: files change, and what is said and how it ends follows from that.

use crate::room::Room;
use crate::wire::{PATIENCE, keep};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const SHOP: &str = "name = 'shop'\nversion = '1.0.0'\ndescription = 'A shop'\n[permissions]\nfiles = ['data/**']\nfiles_write = ['data/**']\n";
const ZOO: &str = "name = 'zoo'\nversion = '1.0.0'\ndescription = 'A zoo'\n";
const STOCK: &str = "def stock():\n    return 3\n";
const TESTS: &str = "\
load('main.star', 'stock')

def test_stock(t):
    files.write('data/log.txt', str(time.now()))
    testing.eq(stock(), 3)

def test_notes(t):
    testing.eq(files.read('data/notes.txt'), 'three')
";

fn room() -> Room {
    let room = Room::new();
    room.write("shop/module.toml", SHOP)
        .write("shop/main.star", STOCK)
        .write("shop/main_test.star", TESTS)
        .write("shop/data/notes.txt", "three")
        .write("zoo/module.toml", ZOO)
        .write("zoo/zoo_test.star", "def test_zoo():\n    pass\n");
    room
}

/// What is written to one stream, and how much of it has been dealt with.
#[derive(Default)]
struct Said {
    text: Arc<Mutex<String>>,
    from: usize,
}

impl Said {
    /// Waits for this to be said after what was waited for before.
    #[track_caller]
    fn until(&mut self, part: &str) {
        let (_quiet, nothing) = std::sync::mpsc::channel::<()>();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let said = self.text.lock().unwrap()[self.from..].to_owned();
            if let Some(at) = said.find(part) {
                self.from += at + part.len();
                return;
            }
            assert!(Instant::now() < deadline, "no `{part}`, but:\n{said}");
            let _ = nothing.recv_timeout(Duration::from_millis(5));
        }
    }
}

struct Watching {
    child: Child,
    out: Said,
    err: Said,
}

impl Watching {
    fn start(room: &Room, flags: &[&str]) -> Self {
        let mut child = room
            .larkspur(&[&["test", "--watch"], flags].concat())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (out, err) = (Said::default(), Said::default());
        drop(keep(child.stdout.take().unwrap(), Arc::clone(&out.text)));
        drop(keep(child.stderr.take().unwrap(), Arc::clone(&err.text)));
        Self { child, out, err }
    }

    #[track_caller]
    fn says(&mut self, part: &str) -> &mut Self {
        self.out.until(part);
        self
    }

    /// A run is over, and the next change is waited for.
    #[track_caller]
    fn waits(&mut self) -> &mut Self {
        self.err.until("waiting for changes");
        self
    }

    #[track_caller]
    fn ends(&mut self, signal: &str, code: i32) {
        let pid = self.child.id().to_string();
        let killed = Command::new("kill").args([signal, &pid]).status().unwrap();
        assert!(killed.success());
        assert_eq!(self.child.wait().unwrap().code(), Some(code));
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn every_change_runs_what_it_reaches() {
    let room = room();
    let mut watching = Watching::start(&room, &[]);
    watching.says("Total: 3 | Passed: 3 | Failed: 0\n").waits();
    room.write("shop/main.star", "def stock():\n    return 4\n");
    watching
        .says("changed: modules/shop/main.star; running 1 test file\n")
        .says("✗ test_stock")
        .says("Total: 2 | Passed: 1 | Failed: 1\n")
        .waits();
    room.write("shop/main.star", STOCK);
    watching.says("Total: 2 | Passed: 2 | Failed: 0\n").waits();
    room.write("shop/data/notes.txt", "four");
    watching
        .says("changed: modules/shop/data/notes.txt; running 1 test file\n")
        .says("Total: 2 | Passed: 1 | Failed: 1\n")
        .waits();
    room.write("zoo/zoo_test.star", "def test_other():\n    pass\n");
    watching
        .says("changed: modules/zoo/zoo_test.star; running 1 test file\n")
        .says("✓ test_other")
        .says("Total: 1 | Passed: 1 | Failed: 0\n")
        .waits();
    room.project("");
    watching
        .says("changed: larkspur.toml; running all tests\n")
        .says("Total: 3 | Passed: 2 | Failed: 1\n")
        .waits();
    let said = watching.out.text.lock().unwrap().clone();
    assert!(!said.contains("log.txt"), "a run woke itself:\n{said}");
    assert!(!said.contains('\u{1b}'), "something was cleared:\n{said}");
}

#[test]
fn it_ends_with_the_code_of_the_last_run() {
    let room = room();
    for signal in ["-TERM", "-INT"] {
        let mut watching = Watching::start(&room, &[]);
        watching.waits().ends(signal, 0);
    }
    let mut watching = Watching::start(&room, &[]);
    watching.waits();
    room.write("shop/data/notes.txt", "four");
    watching.says("Failed: 1\n").waits().ends("-TERM", 1);
}

#[test]
fn with_coverage_everything_runs_again() {
    let room = room();
    let mut watching = Watching::start(&room, &["--coverage"]);
    watching.says("all files").waits();
    room.write("shop/main.star", &format!("{STOCK}\ndef f():\n    pass\n"));
    watching.says("running all tests").says("shop/main.star    1/2  50.0  5").says("Total: 3");
}

#[test]
fn as_json_stdout_has_documents_alone() {
    let room = room();
    let mut watching = Watching::start(&room, &["--format", "json"]);
    watching.says("\n}\n").waits();
    room.write("shop/main.star", &format!("{STOCK}\n"));
    watching.err.until("changed: modules/shop/main.star");
    watching.says("\n}\n").waits();
    let said = watching.out.text.lock().unwrap().clone();
    let documents = serde_json::Deserializer::from_str(&said).into_iter::<serde_json::Value>();
    let totals: Vec<_> = documents.map(|one| one.unwrap()["total"].clone()).collect();
    assert_eq!(totals, [3, 2]);
}

#[test]
fn reports_of_one_run_are_no_reports_of_many() {
    let watched = room().run(&["test", "--watch", "--format", "junit"]);
    watched.exits(2).notes("--watch tells of many runs");
}
