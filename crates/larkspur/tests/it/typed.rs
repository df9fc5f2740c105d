//! Secrets typed at a terminal: nothing of them is drawn, and the terminal is left as it was.

use crate::callers::vault;
use crate::folder::manifest;
use crate::room::Room;
use crate::wire::PATIENCE;
use model::{Cancel, Leash, SecretName, Secrets};
use outside::Outside;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

/// The binary at a terminal, and somebody who types.
struct Typist {
    child: Child,
    keyboard: File,
    parts: Receiver<Vec<u8>>,
    drawn: String,
    /// Held open, so that its state can be looked at to the end.
    terminal: File,
}

impl Typist {
    fn start(room: &Room, args: &[&str]) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let mut open = OpenOptions::new();
        let terminal = open.read(true).write(true).open(name.to_str().unwrap());
        let terminal = terminal.unwrap();
        let child = room
            .larkspur(args)
            .stdin(terminal.try_clone().unwrap())
            .stderr(terminal.try_clone().unwrap())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let keyboard = File::from(master);
        let mut screen = keyboard.try_clone().unwrap();
        let (told, parts) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 1024];
            while let Ok(count @ 1..) = screen.read(&mut bytes) {
                let _ = told.send(bytes[..count].to_vec());
            }
        });
        Self { child, keyboard, parts, drawn: String::new(), terminal }
    }

    /// Waits for a question that has not been answered yet.
    fn asked(&mut self, question: &str) -> &mut Self {
        let from = self.drawn.rfind(": ").map_or(0, |at| at + 2);
        let deadline = Instant::now() + PATIENCE;
        while !self.drawn[from..].contains(question) || self.echoes() {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "never asked `{question}`: {}", self.drawn);
            if let Ok(part) = self.parts.recv_timeout(left.min(std::time::Duration::from_millis(5)))
            {
                self.drawn.push_str(&String::from_utf8_lossy(&part));
            }
        }
        self
    }

    fn types(&mut self, keys: &str) -> &mut Self {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
        self
    }

    fn echoes(&self) -> bool {
        let modes = tcgetattr(&self.terminal).unwrap().local_modes;
        modes.contains(LocalModes::ECHO)
    }

    /// What was drawn, what was said, and how it ended; the terminal shows again what is typed.
    fn ends(mut self) -> (String, String, Option<i32>) {
        let mut said = String::new();
        let mut stdout = self.child.stdout.take().unwrap();
        stdout.read_to_string(&mut said).unwrap();
        let code = self.child.wait().unwrap().code();
        assert!(self.echoes(), "the terminal is left without an echo");
        // With the last who has the terminal open, whoever reads the screen comes to its end.
        drop(self.terminal);
        for part in &self.parts {
            self.drawn.push_str(&String::from_utf8_lossy(&part));
        }
        (self.drawn, said, code)
    }
}

fn room() -> Room {
    let room = Room::new();
    let secrets = "[secrets]\ntoken = { hosts = ['a.example.org'] }";
    room.write("hub/module.toml", &manifest("hub", secrets))
        .write("hub/main.star", "def ping() -> str:\n    return \"\"\ntool(ping)\n");
    room
}

const SET: [&str; 3] = ["secret", "set", "hub.token"];

#[test]
fn what_is_typed_is_not_drawn() {
    let room = room();
    let mut typist = Typist::start(&room, &SET);
    // With a slip of the finger, taken back.
    typist.asked("the value of hub.token: ").types("CANARYä\u{7f}X\u{7f}-1\r");
    let (drawn, said, code) = typist.ends();
    assert_eq!((said.as_str(), code), ("set hub.token\n", Some(0)));
    assert!(!drawn.contains("CANARY"), "{drawn}");
    assert_eq!(revealed(&room), "CANARY-1");
    let mut typist = Typist::start(&room, &["secret", "export", "all.json"]);
    typist.asked("the passphrase of this file: ").types("words\r");
    typist.asked("once more: ").types("words\r");
    let (drawn, _, code) = typist.ends();
    assert_eq!(code, Some(0), "{drawn}");
    assert!(!drawn.contains("words"), "{drawn}");
    let open = [("LARKSPUR_EXPORT_PASSPHRASE", "words")];
    room.run_told(&open, &["secret", "import", "--replace", "all.json"]).exits(0);
    assert_eq!(revealed(&room), "CANARY-1");
}

/// What a module would be given.
fn revealed(room: &Room) -> String {
    let wanted = SecretName { module: "hub", name: "token", user: "" };
    let leash = Leash { until: Instant::now() + PATIENCE, cancel: Cancel::default() };
    let secret = vault(room).reveal(&wanted, &Outside::default(), &leash);
    secret.unwrap().expose().to_owned()
}

#[test]
fn who_changes_his_mind_sets_nothing() {
    let room = room();
    for (keys, words) in [
        ("CANARY\u{3}", "nothing is set"),
        ("\r", "nothing was given"),
        ("\u{4}", "nothing was given"),
    ] {
        let mut typist = Typist::start(&room, &SET);
        typist.asked("the value of hub.token: ").types(keys);
        let (drawn, said, code) = typist.ends();
        assert_eq!((said.as_str(), code), ("", Some(1)));
        assert!(drawn.contains(words) && !drawn.contains("CANARY"), "{drawn}");
    }
    let mut typist = Typist::start(&room, &["secret", "export", "all.json"]);
    typist.asked("the passphrase of this file: ").types("words\r");
    typist.asked("once more: ").types("swords\r");
    let (drawn, _, code) = typist.ends();
    assert!(drawn.contains("these were not the same") && code == Some(1), "{drawn}");
    assert!(!room.path().join(".larkspur").exists());
    assert!(!room.path().join("all.json").exists());
}
