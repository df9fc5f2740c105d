//! Standard input and output, without a thread in between where they are pipes.

use std::io;
use std::pin::Pin;
use tokio::io::{AsyncRead, AsyncWrite};

pub(super) type Input = Pin<Box<dyn AsyncRead + Send>>;
pub(super) type Output = Pin<Box<dyn AsyncWrite + Send>>;

/// Opens both. Terminals and files, which cannot be waited for, are read and written by a thread.
pub(super) fn open() -> (Input, Output) {
    match open_pipes() {
        Ok(pipes) => pipes,
        Err(_) => (Box::pin(tokio::io::stdin()), Box::pin(tokio::io::stdout())),
    }
}

/// Opens the pipes a second time by their paths: made non-blocking, the originals would be so for every
/// process that shares them.
#[cfg(target_os = "linux")]
fn open_pipes() -> io::Result<(Input, Output)> {
    use rustix::fs::{Mode, OFlags, open};
    use tokio::net::unix::pipe::{Receiver, Sender};
    let flags = OFlags::NONBLOCK | OFlags::CLOEXEC;
    let input = open("/proc/self/fd/0", OFlags::RDONLY | flags, Mode::empty())?;
    let input = Receiver::from_owned_fd(input)?;
    let output = open("/proc/self/fd/1", OFlags::WRONLY | flags, Mode::empty())?;
    let output = Sender::from_owned_fd(output)?;
    Ok((Box::pin(input), Box::pin(output)))
}

#[cfg(not(target_os = "linux"))]
fn open_pipes() -> io::Result<(Input, Output)> {
    Err(io::ErrorKind::Unsupported.into())
}
