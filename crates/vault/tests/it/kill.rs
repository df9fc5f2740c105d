//! A process that is killed at any moment of its writes and of a change of keys has kept all it said
//! it kept, and all of it opens.

use crate::{TOKEN, reveal, sources, with};
use model::Secret;
use std::env;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use store::{Place, Store};
use vault::{KeySources, NewKey, Vault};

const FOLDER: &str = "LARKSPUR_TEST_VAULT";
const WRITE: &str = "LARKSPUR_TEST_WRITE";
const KEY: &str = "LARKSPUR_TEST_KEY";
const DEADLINE: Duration = Duration::from_mins(1);

const SEED: u64 = 0x5eed_1a4b;
const KILLS: u32 = 200;
const SECRETS: u64 = 12;
/// So many writes, then another key.
const WRITES_A_KEY: u64 = 10;

#[test]
fn a_killed_process_has_kept_what_it_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    let mut random = Random(SEED);
    // The last write and the last key that were acknowledged.
    let (mut write, mut key) = (0, 0);
    let mut between = 0;
    for kill in 0..KILLS {
        let why = format!("seed {SEED:#x}, kill {kill}, write {write}, key {key}");
        let heard = killed(dir.path(), write, key, &mut random);
        write = heard.write.unwrap_or(write);
        key = heard.key.unwrap_or(key);
        let store = Store::at(dir.path().join("data"));
        assert_eq!(store.integrity().unwrap(), "ok", "{why}");
        let keys = store.vault_keys().unwrap().len();
        between += usize::from(keys == 2);
        let opening: Vec<u64> = (key..=key + 1)
            .filter(|key| store.vault_keys().unwrap().is_empty() || opens(dir.path(), *key))
            .collect();
        // In the middle of a change either key opens everything.
        let expected = if keys == 2 { 2 } else { 1 };
        assert!(opening.len() >= expected, "{why}: {opening:?} of {keys}");
        key = opening[0];
        write = check(dir.path(), key, write, &why);
    }
    assert!(write > u64::from(KILLS) / 4, "only {write} writes");
    assert!(between > 0, "no change of keys was ever broken off");
}

/// Every secret has the value of the last acknowledged write to it, or of one that had no chance to
/// say so. Answers with the last write there is.
fn check(dir: &Path, key: u64, acknowledged: u64, why: &str) -> u64 {
    let vault = by(dir, key);
    let mut last = acknowledged;
    for secret in 0..SECRETS {
        let due = (1..=acknowledged).rev().find(|write| write % SECRETS == secret);
        let Some(due) = due else { continue };
        let found: u64 = reveal(&vault, &name(secret), "")
            .unwrap_or_else(|error| panic!("{why}: {error}"))
            .parse()
            .unwrap();
        assert!(found == due || found == acknowledged + 1, "{why}: {found} for {due}");
        last = last.max(found);
    }
    // It may have been the first of its name.
    if let Ok(found) = reveal(&vault, &name((acknowledged + 1) % SECRETS), "") {
        last = last.max(found.parse().unwrap());
    }
    last
}

/// Does this key open everything?
fn opens(dir: &Path, key: u64) -> bool {
    let vault = by(dir, key);
    let kept = vault.list().unwrap();
    vault.check().is_ok() && kept.iter().all(|kept| reveal(&vault, &kept.name, "").is_ok())
}

fn by(dir: &Path, key: u64) -> Vault {
    let sources = KeySources { key: Some(hex(key)), ..sources(dir) };
    with(dir, sources)
}

fn hex(key: u64) -> Secret {
    Secret::new(format!("{:064x}", key + 1))
}

fn name(secret: u64) -> String {
    format!("n{secret}")
}

/// Writes and changes keys until it is killed, and prints what was done.
#[test]
#[ignore = "started and killed by the test above"]
fn writer() {
    let number = |name: &str| env::var(name).ok()?.parse::<u64>().ok();
    let (Some(write), Some(mut key)) = (number(WRITE), number(KEY)) else {
        return;
    };
    let dir = env::var_os(FOLDER).unwrap();
    let dir = Path::new(&dir);
    let mut vault = by(dir, key);
    let rotate = |vault: &mut Vault, key: &mut u64| {
        vault.rotate(&NewKey::Variable(hex(*key + 1))).unwrap();
        *key += 1;
        *vault = by(dir, *key);
        println!("key {key}");
    };
    if Store::at(dir.join("data")).vault_keys().unwrap().len() == 2 {
        rotate(&mut vault, &mut key);
    }
    for write in write + 1.. {
        let name = name(write % SECRETS);
        let place = Place { name: &name, ..TOKEN };
        vault.set(&place, &write.to_string()).unwrap();
        println!("write {write}");
        if write % WRITES_A_KEY == 0 {
            rotate(&mut vault, &mut key);
        }
    }
}

#[derive(Default)]
struct Heard {
    write: Option<u64>,
    key: Option<u64>,
}

impl Heard {
    fn take(&mut self, line: &str) {
        match line.split_once(' ') {
            Some(("write", number)) => self.write = number.parse().ok(),
            Some(("key", number)) => self.key = number.parse().ok(),
            _ => {}
        }
    }
}

/// What the writer said before it was killed.
fn killed(dir: &Path, write: u64, key: u64, random: &mut Random) -> Heard {
    let mut writer = Writer::start(dir, write, key);
    let mut heard = Heard::default();
    for _ in 0..random.below(24) {
        let line = writer.lines.recv_timeout(DEADLINE);
        heard.take(&line.unwrap());
    }
    let moment = Duration::from_micros(random.below(6000));
    let start = Instant::now();
    while start.elapsed() < moment {
        std::hint::spin_loop();
    }
    writer.child.kill().unwrap();
    writer.lines.iter().for_each(|line| heard.take(&line));
    heard
}

struct Writer {
    child: Child,
    lines: Receiver<String>,
}

impl Writer {
    fn start(dir: &Path, write: u64, key: u64) -> Self {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--ignored", "--exact", "kill::writer", "--nocapture"])
            .env(FOLDER, dir)
            .env(WRITE, write.to_string())
            .env(KEY, key.to_string())
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

/// The same numbers in every run (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}
