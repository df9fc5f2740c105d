//! A terminal for the binary's standard error.

use crate::room::Room;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::process::Stdio;

/// Runs to the end; what was drawn on the terminal, and what was said on standard output.
pub(crate) fn run(room: &Room, args: &[&str]) -> (String, String) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let terminal = OpenOptions::new()
        .read(true)
        .write(true)
        .open(name.to_str().unwrap())
        .unwrap();
    let mut command = room.larkspur(args);
    command
        .env("TERM", "xterm-256color")
        .env_remove("NO_COLOR")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(terminal);
    let child = command.spawn().unwrap();
    // The command holds the terminal open as well.
    drop(command);
    let reader = std::thread::spawn(move || drawn(File::from(master)));
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    (reader.join().unwrap(), said)
}

/// A terminal that nobody holds any more ends with an error.
fn drawn(mut master: File) -> String {
    let (mut drawn, mut part) = (Vec::new(), [0; 4096]);
    while let Ok(count @ 1..) = master.read(&mut part) {
        drawn.extend_from_slice(&part[..count]);
    }
    String::from_utf8(drawn).unwrap()
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
