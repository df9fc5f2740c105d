//! Reads what nobody may see: from a terminal without an echo, or from standard input.

use crate::terminal::note;
use anyhow::{Context, bail};
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios};
use std::io::{IsTerminal, Read, Write, stdin};
use zeroize::Zeroizing;

/// No secret is longer.
const LONGEST: u64 = 64 << 10;

const INTERRUPT: u8 = 3;
const END: u8 = 4;
const BACKSPACE: [u8; 2] = [8, 127];
const CLEAR: u8 = 21;

/// Is somebody there to be asked?
pub(crate) fn is_asked() -> bool {
    stdin().is_terminal()
}

/// One line that somebody types, or all of standard input without the line break at its end.
pub(crate) fn read(question: &str) -> anyhow::Result<Zeroizing<String>> {
    let text = if is_asked() { ask(question)? } else { piped()? };
    if text.is_empty() {
        bail!("nothing was given, and nothing is set");
    }
    Ok(text)
}

/// Asked for twice, since nobody sees what he types.
pub(crate) fn ask_twice(question: &str) -> anyhow::Result<Zeroizing<String>> {
    let first = ask(question)?;
    if first.is_empty() {
        bail!("a passphrase is not empty");
    }
    if *first != *ask("once more")? {
        bail!("these were not the same");
    }
    Ok(first)
}

fn piped() -> anyhow::Result<Zeroizing<String>> {
    let mut text = Zeroizing::new(String::new());
    let read = stdin().take(LONGEST + 1).read_to_string(&mut text);
    read.context("standard input is no text")?;
    if text.len() as u64 > LONGEST {
        bail!("this is longer than {LONGEST} bytes");
    }
    let end = text.trim_end_matches('\n').trim_end_matches('\r').len();
    text.truncate(end);
    Ok(text)
}

/// A line from the terminal, key by key, so that ctrl-c does not leave it without an echo.
pub(crate) fn ask(question: &str) -> anyhow::Result<Zeroizing<String>> {
    let _ = write!(std::io::stderr(), "{question}: ");
    let quiet = Quiet::begin().context("the terminal cannot be kept from showing it")?;
    let line = line();
    drop(quiet);
    note("");
    let bytes = line?;
    let text = std::str::from_utf8(&bytes).context("this is no text")?;
    Ok(Zeroizing::new(text.to_owned()))
}

fn line() -> anyhow::Result<Zeroizing<Vec<u8>>> {
    let mut line = Zeroizing::new(Vec::with_capacity(1024));
    for byte in stdin().lock().bytes() {
        match byte? {
            b'\n' | b'\r' => return Ok(line),
            INTERRUPT => bail!("nothing is set"),
            END if line.is_empty() => return Ok(line),
            byte if BACKSPACE.contains(&byte) => erase(&mut line),
            CLEAR => line.clear(),
            byte => line.push(byte),
        }
        if line.len() as u64 > LONGEST {
            bail!("this is longer than {LONGEST} bytes");
        }
    }
    Ok(line)
}

/// The last character, which may have several bytes.
fn erase(line: &mut Vec<u8>) {
    while line.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {}
}

/// The terminal without an echo, until this goes.
struct Quiet(Termios);

impl Quiet {
    fn begin() -> rustix::io::Result<Self> {
        let before = rustix::termios::tcgetattr(stdin())?;
        let mut quiet = before.clone();
        let off = LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG;
        quiet.local_modes.remove(off);
        quiet.special_codes[SpecialCodeIndex::VMIN] = 1;
        quiet.special_codes[SpecialCodeIndex::VTIME] = 0;
        rustix::termios::tcsetattr(stdin(), OptionalActions::Now, &quiet)?;
        Ok(Self(before))
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        let _ = rustix::termios::tcsetattr(stdin(), OptionalActions::Now, &self.0);
    }
}
