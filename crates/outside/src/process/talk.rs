//! What goes into a program and what comes out of it, until it ends or must.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use sandbox::{Control, ExceededLimit, Report, SupervisedCommand};
use std::io::{ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// How often a waiting call looks whether it is still wanted.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);
/// How long others who hold the pipes are heard after the program itself has ended.
const AFTERWORDS: Duration = Duration::from_millis(100);
/// How long a call waits until everything that was killed is gone; a fork storm takes a moment.
const KILLING: Duration = Duration::from_secs(1);

pub(super) enum End {
    OfItself(ExitStatus),
    OutOfTime,
    Cancelled,
    TooMuchSaid(&'static str),
    Exceeded(ExceededLimit),
    Broken(std::io::Error),
}

pub(super) struct Talk<'a> {
    control: Control,
    stdin: Option<PipeWriter>,
    unsent: &'a [u8],
    stdout: Heard,
    stderr: Heard,
}

impl<'a> Talk<'a> {
    pub(super) fn new(command: SupervisedCommand, input: &'a [u8], most: usize) -> Self {
        Self {
            control: command.control,
            stdin: Some(command.stdin),
            unsent: input,
            stdout: Heard::new("stdout", command.stdout, most),
            stderr: Heard::new("stderr", command.stderr, most),
        }
    }

    /// Of the program, of its time, or of the call that wants it.
    pub(super) fn until_the_end(&mut self, until: Instant, called_off: impl Fn() -> bool) -> End {
        match self.follow(until, &called_off) {
            Ok(end) | Err(end) => end,
        }
    }

    fn follow(&mut self, until: Instant, called_off: &dyn Fn() -> bool) -> Result<End, End> {
        self.never_block().map_err(|error| End::Broken(error.into()))?;
        let mut ended: Option<(Instant, ExitStatus)> = None;
        loop {
            // Asked before the pipes are emptied: what it said before its end is in them.
            if ended.is_none() {
                ended = self.ended()?.map(|status| (Instant::now(), status));
            }
            self.exchange()?;
            if let Some((at, status)) = ended
                && (self.is_silent() || at.elapsed() > AFTERWORDS)
            {
                return Ok(End::OfItself(status));
            }
            if called_off() {
                return Ok(End::Cancelled);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(End::OutOfTime);
            }
            self.wait(LONGEST_PAUSE.min(left), ended.is_none());
        }
    }

    /// How the program itself has ended, if it has.
    fn ended(&mut self) -> Result<Option<ExitStatus>, End> {
        match self.control.exchange() {
            Ok(None) => Ok(None),
            Ok(Some(Report::Ended(status))) => Ok(Some(status)),
            Ok(Some(Report::Exceeded(limit))) => Err(End::Exceeded(limit)),
            Ok(Some(Report::Failed(error))) | Err(error) => Err(End::Broken(error)),
        }
    }

    /// Kills what is left, and gives what was said as text; what is no UTF-8 is replaced.
    pub(super) fn finish(self) -> (String, String) {
        self.control.stop(KILLING);
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (text(self.stdout.said), text(self.stderr.said))
    }

    fn is_silent(&self) -> bool {
        self.stdout.pipe.is_none() && self.stderr.pipe.is_none()
    }

    fn never_block(&self) -> rustix::io::Result<()> {
        self.ends().try_for_each(|(pipe, _)| ioctl_fionbio(pipe, true))
    }

    /// The open ends, and what to wait for at each.
    fn ends(&self) -> impl Iterator<Item = (BorrowedFd<'_>, PollFlags)> {
        let stdin = self.stdin.as_ref().map(AsFd::as_fd);
        let stdout = self.stdout.pipe.as_ref().map(AsFd::as_fd);
        let stderr = self.stderr.pipe.as_ref().map(AsFd::as_fd);
        let stdin = stdin.map(|pipe| (pipe, PollFlags::OUT));
        let heard = [stdout, stderr].into_iter().flatten();
        stdin.into_iter().chain(heard.map(|pipe| (pipe, PollFlags::IN)))
    }

    /// Writes and reads what can be without waiting.
    fn exchange(&mut self) -> Result<(), End> {
        self.send();
        self.stdout.hear()?;
        self.stderr.hear()
    }

    fn send(&mut self) {
        let Some(stdin) = &mut self.stdin else {
            return;
        };
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
    }

    fn wait(&self, patience: Duration, for_its_end: bool) {
        let control = for_its_end.then(|| (self.control.as_fd(), self.control.interest()));
        let ends = self.ends().chain(control);
        let mut ends: Vec<PollFd<'_>> =
            ends.map(|(pipe, flags)| PollFd::from_borrowed_fd(pipe, flags)).collect();
        let time = Timespec {
            tv_sec: i64::try_from(patience.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(patience.subsec_nanos()),
        };
        // An error is no reason to stop looking.
        let _ = poll(&mut ends, Some(&time));
    }
}

/// One of the two streams that come out.
struct Heard {
    name: &'static str,
    /// Gone when nobody can say anything any more.
    pipe: Option<PipeReader>,
    said: Vec<u8>,
    /// More than so many bytes are too much.
    most: usize,
}

impl Heard {
    fn new(name: &'static str, pipe: PipeReader, most: usize) -> Self {
        Self { name, pipe: Some(pipe), said: Vec::new(), most }
    }

    fn hear(&mut self) -> Result<(), End> {
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
        Ok(())
    }
}
