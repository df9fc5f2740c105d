//! A terminal for the binary's standard error.

use crate::room::Room;
use crate::wire::PATIENCE;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

/// A command that runs before somebody's eyes.
pub(crate) struct Screen {
    child: Child,
    parts: Receiver<Vec<u8>>,
    drawn: Vec<u8>,
}

/// What was drawn on the terminal, what was said on standard output, and how it ended.
pub(crate) struct Seen {
    pub(crate) drawn: String,
    pub(crate) said: String,
    pub(crate) code: Option<i32>,
}

impl Screen {
    pub(crate) fn start(room: &Room, args: &[&str]) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let mut terminal = OpenOptions::new();
        let terminal = terminal.read(true).write(true).open(name.to_str().unwrap());
        let mut command = room.larkspur(args);
        command
            .env("TERM", "xterm-256color")
            .env_remove("NO_COLOR")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(terminal.unwrap());
        let child = command.spawn().unwrap();
        // The command holds the terminal open as well.
        drop(command);
        let (told, parts) = channel();
        std::thread::spawn(move || read(File::from(master), &told));
        Self { child, parts, drawn: Vec::new() }
    }

    /// Waits until this has been drawn.
    pub(crate) fn until(&mut self, text: &str) -> &mut Self {
        let deadline = Instant::now() + PATIENCE;
        while !plain(&String::from_utf8_lossy(&self.drawn)).contains(text) {
            let left = deadline.saturating_duration_since(Instant::now());
            let part = self.parts.recv_timeout(left);
            let part = part.unwrap_or_else(|_| panic!("`{text}` was never drawn"));
            self.drawn.extend(part);
        }
        self
    }

    /// Waits until both have been drawn; what is between them.
    pub(crate) fn until_between(&mut self, before: &str, after: &str) -> String {
        self.until(before).until(after);
        let drawn = plain(&String::from_utf8_lossy(&self.drawn));
        let (_, rest) = drawn.split_once(before).unwrap();
        rest.split_once(after).unwrap().0.to_owned()
    }

    /// As Ctrl-C does.
    pub(crate) fn interrupt(&mut self) -> &mut Self {
        self.signal(Signal::INT)
    }

    /// As a terminal does that is closed.
    pub(crate) fn hang_up(&mut self) -> &mut Self {
        self.signal(Signal::HUP)
    }

    fn signal(&mut self, signal: Signal) -> &mut Self {
        let id = Pid::from_child(&self.child);
        kill_process(id, signal).unwrap();
        self
    }

    pub(crate) fn end(mut self) -> Seen {
        let output = self.child.wait_with_output().unwrap();
        self.drawn.extend(self.parts.iter().flatten());
        Seen {
            drawn: String::from_utf8(self.drawn).unwrap(),
            said: String::from_utf8(output.stdout).unwrap(),
            code: output.status.code(),
        }
    }
}

/// A terminal that nobody holds any more ends with an error.
fn read(mut master: File, told: &Sender<Vec<u8>>) {
    let mut part = [0; 4096];
    while let Ok(count @ 1..) = master.read(&mut part) {
        if told.send(part[..count].to_vec()).is_err() {
            return;
        }
    }
}

/// Without what moves the cursor and colours the text.
pub(crate) fn plain(drawn: &str) -> String {
    let mut parts = drawn.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let end = part.find(|c: char| c.is_ascii_alphabetic());
        text + end.map_or("", |end| &part[end + 1..])
    })
}
