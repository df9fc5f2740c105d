//! What goes into a program and what comes out of it, until it ends or must.

use super::group::{Group, Pipes};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

/// How often a waiting call looks whether it is still wanted.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);
/// How long others who hold the pipes are heard after the program itself has ended.
const AFTERWORDS: Duration = Duration::from_millis(100);

pub(super) enum End {
    OfItself,
    OutOfTime,
    Cancelled,
    TooMuchSaid(&'static str),
    Broken(std::io::Error),
}

pub(super) struct Talk<'a> {
    stdin: Option<ChildStdin>,
    unsent: &'a [u8],
    stdout: Heard<ChildStdout>,
    stderr: Heard<ChildStderr>,
}

impl<'a> Talk<'a> {
    pub(super) fn new(pipes: Pipes, input: &'a [u8], most: usize) -> Self {
        Self {
            stdin: pipes.stdin,
            unsent: input,
            stdout: Heard::new("stdout", pipes.stdout, most),
            stderr: Heard::new("stderr", pipes.stderr, most),
        }
    }

    /// Of the program, of its time, or of the call that wants it.
    pub(super) fn until_the_end(
        &mut self,
        group: &Group,
        until: Instant,
        called_off: impl Fn() -> bool,
    ) -> End {
        match self.follow(group, until, &called_off) {
            Ok(end) | Err(end) => end,
        }
    }

    fn follow(
        &mut self,
        group: &Group,
        until: Instant,
        called_off: &dyn Fn() -> bool,
    ) -> Result<End, End> {
        self.never_block()
            .map_err(|error| End::Broken(error.into()))?;
        let mut ended: Option<Instant> = None;
        let mut patience = Duration::from_millis(1);
        loop {
            // Asked before the pipes are emptied: what it said before its end is in them.
            if ended.is_none() && group.has_ended() {
                ended = Some(Instant::now());
            }
            let moved = self.exchange()?;
            let is_over = |ended: Instant| self.is_silent() || ended.elapsed() > AFTERWORDS;
            if ended.is_some_and(is_over) {
                return Ok(End::OfItself);
            }
            if called_off() {
                return Ok(End::Cancelled);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(End::OutOfTime);
            }
            patience = if moved {
                Duration::from_millis(1)
            } else {
                LONGEST_PAUSE.min(patience * 2)
            };
            self.wait(patience.min(left));
        }
    }

    /// As text; what is no UTF-8 is replaced.
    pub(super) fn said(self) -> (String, String) {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (text(self.stdout.said), text(self.stderr.said))
    }

    fn is_silent(&self) -> bool {
        self.stdout.pipe.is_none() && self.stderr.pipe.is_none()
    }

    fn never_block(&self) -> rustix::io::Result<()> {
        self.ends()
            .try_for_each(|(pipe, _)| ioctl_fionbio(pipe, true))
    }

    /// The open ends, and what to wait for at each.
    fn ends(&self) -> impl Iterator<Item = (BorrowedFd<'_>, PollFlags)> {
        let stdin = self.stdin.as_ref().map(AsFd::as_fd);
        let stdout = self.stdout.pipe.as_ref().map(AsFd::as_fd);
        let stderr = self.stderr.pipe.as_ref().map(AsFd::as_fd);
        let stdin = stdin.map(|pipe| (pipe, PollFlags::OUT));
        let heard = [stdout, stderr].into_iter().flatten();
        stdin
            .into_iter()
            .chain(heard.map(|pipe| (pipe, PollFlags::IN)))
    }

    /// Writes and reads what can be without waiting; answers whether there was anything.
    fn exchange(&mut self) -> Result<bool, End> {
        let sent = self.send();
        let heard = [self.stdout.hear()?, self.stderr.hear()?];
        Ok(sent || heard.contains(&true))
    }

    fn send(&mut self) -> bool {
        let Some(stdin) = &mut self.stdin else {
            return false;
        };
        let before = self.unsent.len();
        while !self.unsent.is_empty() {
            match stdin.write(self.unsent) {
                Ok(count) => self.unsent = &self.unsent[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // It does not want to hear the rest.
                Err(_) => self.unsent = &[],
            }
        }
        if self.unsent.is_empty() {
            self.stdin = None;
        }
        self.unsent.len() < before
    }

    fn wait(&self, patience: Duration) {
        let ends = self.ends();
        let mut ends: Vec<PollFd<'_>> = ends
            .map(|(pipe, flags)| PollFd::from_borrowed_fd(pipe, flags))
            .collect();
        wait(&mut ends, patience);
    }
}

/// One of the two streams that come out.
struct Heard<P> {
    name: &'static str,
    /// Gone when nobody can say anything any more.
    pipe: Option<P>,
    said: Vec<u8>,
    /// More than so many bytes are too much.
    most: usize,
}

impl<P: Read> Heard<P> {
    fn new(name: &'static str, pipe: Option<P>, most: usize) -> Self {
        Self {
            name,
            pipe,
            said: Vec::new(),
            most,
        }
    }

    fn hear(&mut self) -> Result<bool, End> {
        let before = self.said.len();
        let mut bytes = [0; 16 << 10];
        while let Some(pipe) = &mut self.pipe {
            match pipe.read(&mut bytes) {
                Ok(0) => self.pipe = None,
                Ok(count) => self.said.extend_from_slice(&bytes[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(End::Broken(error)),
            }
            if self.said.len() > self.most {
                return Err(End::TooMuchSaid(self.name));
            }
        }
        Ok(self.said.len() > before)
    }
}

/// Nothing to wait for but time.
pub(super) fn pause(time: Duration) {
    wait(&mut [], time);
}

/// An error is no reason to stop looking; whoever waits looks again anyway.
fn wait(ends: &mut [PollFd<'_>], patience: Duration) {
    let time = Timespec {
        tv_sec: i64::try_from(patience.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(patience.subsec_nanos()),
    };
    let _ = poll(ends, Some(&time));
}
