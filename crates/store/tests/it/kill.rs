//! A writer that is killed at any moment has kept all it said it kept.

use std::env;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::json;
use store::Store;

use crate::{assert_sound, value};

/// Where the writer finds its folder.
const FOLDER: &str = "LARKSPUR_TEST_STORE";
const DEADLINE: Duration = Duration::from_mins(1);

#[test]
fn a_killed_writer_has_kept_what_it_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("data");
    let mut acknowledged = 0;
    for _ in 0..20 {
        acknowledged = killed_writer(&folder).max(acknowledged);
        let kept = count(&Store::at(&folder));
        // The last write may have been kept without a chance to say so.
        let expected = acknowledged..=acknowledged + 1;
        assert!(expected.contains(&kept), "{kept} not in {expected:?}");
        acknowledged = kept;
    }
    assert!(acknowledged > 0);
    assert_sound(&folder);
}

/// Counts on until it is killed, and prints each number that was kept.
#[test]
#[ignore = "started and killed by the test above"]
fn writer() {
    let Some(folder) = env::var_os(FOLDER) else {
        return;
    };
    let store = Store::at(folder);
    for number in count(&store) + 1.. {
        assert!(store.put("m", "count", &json!(number), None).unwrap());
        println!("{number}");
    }
}

/// The last number that the writer printed, or 0.
fn killed_writer(folder: &Path) -> u64 {
    let mut writer = Writer::start(folder);
    let mut last = 0;
    for _ in 0..random(20) {
        let line = writer.lines.recv_timeout(DEADLINE);
        last = line.unwrap().parse().unwrap_or(last);
    }
    let moment = Duration::from_micros(random(5000));
    let start = Instant::now();
    while start.elapsed() < moment {
        std::hint::spin_loop();
    }
    writer.child.kill().unwrap();
    let rest = writer.lines.iter().filter_map(|line| line.parse().ok());
    rest.last().unwrap_or(last)
}

/// The counter that is kept, or 0.
fn count(store: &Store) -> u64 {
    value(store, "count").map_or(0, |count| count.as_u64().unwrap())
}

/// The test above in a process of its own, gone at the end.
struct Writer {
    child: Child,
    lines: Receiver<String>,
}

impl Writer {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--ignored", "--exact", "kill::writer", "--nocapture"])
            .env(FOLDER, folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = send.send(line);
            }
        });
        Self { child, lines }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A number below the bound.
fn random(bound: u64) -> u64 {
    RandomState::new().hash_one(Instant::now()) % bound
}
