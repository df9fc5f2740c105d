//! Starts commands, each under a supervisor of its own.
//!
//! A supervisor must be the parent that orphans fall to (`PR_SET_CHILD_SUBREAPER`), or it would not
//! know which of them are its own; in the server's process that could be told for one command at a
//! time only. So a process of this same program, the launcher, is started for the first command; it
//! has one thread and little memory, so that it can fork a supervisor within a fraction of a
//! millisecond. It ends when the server does, and so does every supervisor with all its processes.

use crate::folder::FolderHandle;
use crate::message;
use crate::report::{LENGTH, Report};
use crate::spec::CommandSpec;
use crate::supervisor::ARGUMENT;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::ffi::OsString;
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

pub struct Launcher {
    program: PathBuf,
    running: Mutex<Option<LauncherProcess>>,
}

struct LauncherProcess {
    child: Child,
    socket: UnixStream,
}

/// A command that runs, or is about to.
pub struct SupervisedCommand {
    pub stdin: PipeWriter,
    pub stdout: PipeReader,
    pub stderr: PipeReader,
    pub control: Control,
}

/// The line to a supervisor. When it is dropped, the command is killed with all it has started.
pub struct Control {
    socket: UnixStream,
    unsent: Vec<u8>,
    heard: Vec<u8>,
}

impl Launcher {
    /// This program is the launcher, too: its `main` begins with `is_launcher`.
    pub fn this_program() -> Self {
        Self::new(if cfg!(target_os = "linux") {
            // The one that runs, even when the file was replaced.
            "/proc/self/exe".into()
        } else {
            std::env::current_exe().unwrap_or_default()
        })
    }

    pub fn new(program: PathBuf) -> Self {
        Self { program, running: Mutex::default() }
    }

    pub fn start(
        &self,
        spec: &CommandSpec,
        folder: &FolderHandle,
    ) -> io::Result<SupervisedCommand> {
        let unsent = spec.to_bytes()?;
        let (socket, theirs) = UnixStream::pair()?;
        socket.set_nonblocking(true)?;
        let (stdin_end, stdin) = io::pipe()?;
        let (stdout, stdout_end) = io::pipe()?;
        let (stderr, stderr_end) = io::pipe()?;
        self.send(&[
            theirs.as_fd(),
            stdin_end.as_fd(),
            stdout_end.as_fd(),
            stderr_end.as_fd(),
            folder.as_fd(),
        ])?;
        Ok(SupervisedCommand {
            stdin,
            stdout,
            stderr,
            control: Control { socket, unsent, heard: Vec::new() },
        })
    }

    /// To the launcher that runs, or to a new one if that is gone.
    fn send(&self, descriptors: &[BorrowedFd<'_>; message::COUNT]) -> io::Result<()> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(launcher) = &*running {
            match message::send(&launcher.socket, descriptors) {
                Err(error) if is_gone(&error) => {}
                sent => return sent,
            }
        }
        let launcher = running.insert(LauncherProcess::start(&self.program)?);
        message::send(&launcher.socket, descriptors)
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::BrokenPipe | ErrorKind::ConnectionReset | ErrorKind::NotConnected
    )
}

impl LauncherProcess {
    #[expect(clippy::disallowed_methods, reason = "programs that scripts run are started here")]
    fn start(program: &PathBuf) -> io::Result<Self> {
        let (socket, theirs) = UnixStream::pair()?;
        // Without variables: commands can read those of the launcher.
        let child = Command::new(program)
            .arg(OsString::from(ARGUMENT))
            .env_clear()
            .stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self { child, socket })
    }
}

impl Drop for LauncherProcess {
    /// It keeps nothing: supervisors end with the lines to them.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Control {
    /// What to wait for before `exchange` has something to do.
    pub fn interest(&self) -> PollFlags {
        if self.unsent.is_empty() { PollFlags::IN } else { PollFlags::IN | PollFlags::OUT }
    }

    /// Sends what is left to send, and gives the next report if it is there. Does not wait.
    pub fn exchange(&mut self) -> io::Result<Option<Report>> {
        while !self.unsent.is_empty() {
            match self.socket.write(&self.unsent) {
                Ok(count) => drop(self.unsent.drain(..count)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(lost()),
            }
        }
        let mut bytes = [0; LENGTH];
        while self.heard.len() < LENGTH {
            match self.socket.read(&mut bytes[self.heard.len()..]) {
                Ok(0) => return Err(lost()),
                Ok(count) => {
                    let at = self.heard.len();
                    self.heard.extend_from_slice(&bytes[at..at + count]);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(lost()),
            }
        }
        bytes.copy_from_slice(&self.heard);
        self.heard.clear();
        Report::from_bytes(bytes).map(Some)
    }

    /// Lets the supervisor kill whatever runs, and waits until everything is gone. Is it?
    pub fn stop(self, patience: Duration) -> bool {
        let _ = self.socket.shutdown(Shutdown::Write);
        let until = Instant::now() + patience;
        let mut bytes = [0; LENGTH];
        loop {
            match (&self.socket).read(&mut bytes) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return false;
                    }
                    let mut ends = [PollFd::new(&self.socket, PollFlags::IN)];
                    let _ = poll(&mut ends, Some(&timespec(left)));
                }
                Err(_) => return true,
            }
        }
    }
}

impl AsFd for Control {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn lost() -> io::Error {
    io::Error::other("its supervisor is gone: another process has killed it, or it did not start")
}

pub(crate) fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(time.subsec_nanos()),
    }
}
