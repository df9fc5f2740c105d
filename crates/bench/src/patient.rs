//! Standard output of a server, read by somebody who gives up one day: a hung server fails its bench.

use std::io::{self, Read};
use std::process::ChildStdout;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

pub(super) struct Patient(pub(super) ChildStdout);

const PATIENCE: Timespec = Timespec { tv_sec: 30, tv_nsec: 0 };

impl Read for Patient {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let ready = poll(&mut [PollFd::new(&self.0, PollFlags::IN)], Some(&PATIENCE))?;
        if ready == 0 {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.0.read(buffer)
    }
}
