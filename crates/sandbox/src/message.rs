//! One byte with file descriptors over a socket.

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// Descriptors in one message: a control socket, three pipes, a folder.
pub(crate) const COUNT: usize = 5;

/// Does not wait: a receiver that is this far behind is stuck.
pub(crate) fn send(socket: &UnixStream, descriptors: &[BorrowedFd<'_>; COUNT]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(COUNT))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(descriptors));
    let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
    sendmsg(socket, &[IoSlice::new(b"c")], &mut ancillary, flags)?;
    Ok(())
}

/// `None` when the other side is gone.
pub(crate) fn receive(socket: &UnixStream) -> io::Result<Option<[OwnedFd; COUNT]>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(COUNT))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let mut bytes = [IoSliceMut::new(&mut byte)];
    let received = loop {
        match recvmsg(socket, &mut bytes, &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Err(rustix::io::Errno::INTR) => {}
            received => break received?,
        }
    };
    if received.bytes == 0 {
        return Ok(None);
    }
    let rights = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(rights) => Some(rights),
        _ => None,
    });
    let descriptors: Vec<OwnedFd> = rights.flatten().collect();
    if received.flags.contains(ReturnFlags::CTRUNC) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let descriptors = descriptors.try_into();
    descriptors.map(Some).map_err(|_| io::ErrorKind::InvalidData.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::fd::AsFd;

    #[test]
    fn descriptors_arrive_in_order_and_are_not_inherited() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let (mut reader, writer) = io::pipe().unwrap();
        let fds = [writer.as_fd(), theirs.as_fd(), theirs.as_fd(), theirs.as_fd(), theirs.as_fd()];
        send(&ours, &fds).unwrap();
        send(&ours, &fds).unwrap();
        for _ in 0..2 {
            let [first, ..] = receive(&theirs).unwrap().unwrap();
            let flags = rustix::io::fcntl_getfd(&first).unwrap();
            assert!(flags.contains(rustix::io::FdFlags::CLOEXEC));
            std::io::PipeWriter::from(first).write_all(b"a").unwrap();
        }
        drop(writer);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "aa");
        drop(ours);
        assert!(receive(&theirs).unwrap().is_none());
    }
}
