//! Messages on their way out. A task that finds the output free writes what is ready, for others too: a
//! single response takes no detour through another task, and pipelined ones share a system call.

use crate::sink::MessageSink;
use bytes::Bytes;
use parking_lot::Mutex;
use std::sync::{Arc, Weak};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::runtime::Handle;
use tokio::sync::Notify;

/// Bytes that the client has not read yet; beyond, no further line is read until it has.
const MOST_UNREAD: usize = 8 << 20;

/// Beyond so many unread bytes, notifications that may be dropped are.
const MOST_UNREAD_NOTIFICATIONS: usize = 1 << 20;

pub(super) struct Outbox<W> {
    output: tokio::sync::Mutex<W>,
    ready: Mutex<Vec<u8>>,
    written: Notify,
    executor: Handle,
    this: Weak<Self>,
}

impl<W: AsyncWrite + Send + Unpin + 'static> Outbox<W> {
    /// Needs an executor around it.
    pub(super) fn new(output: W) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            output: tokio::sync::Mutex::new(output),
            ready: Mutex::default(),
            written: Notify::new(),
            executor: Handle::current(),
            this: Weak::clone(this),
        })
    }

    /// Makes a line ready; `flush` writes it.
    pub(super) fn push(&self, line: &[u8]) {
        let mut ready = self.ready.lock();
        ready.reserve(line.len() + 1);
        ready.extend_from_slice(line);
        ready.push(b'\n');
    }

    /// Writes what is ready, unless another task is writing: then that one writes this as well.
    pub(super) async fn flush(&self) {
        while !self.ready.lock().is_empty() {
            let Ok(mut output) = self.output.try_lock() else {
                return;
            };
            self.write(&mut output).await;
        }
    }

    /// Writes from a task of its own, for those who must not wait.
    pub(super) fn flush_in_background(&self) {
        if let Some(this) = self.this.upgrade() {
            self.executor.spawn(async move { this.flush().await });
        }
    }

    /// Writes everything, and waits for it.
    pub(super) async fn drain(&self) {
        let mut output = self.output.lock().await;
        self.write(&mut output).await;
    }

    async fn write(&self, output: &mut W) {
        let bytes = std::mem::take(&mut *self.ready.lock());
        // Where the client has closed its end, the end of input follows.
        let _ = output.write_all(&bytes).await;
        let _ = output.flush().await;
        self.written.notify_waiters();
    }

    /// Waits while the client leaves too much unread.
    pub(super) async fn has_room(&self) {
        loop {
            let written = self.written.notified();
            if self.ready.lock().len() <= MOST_UNREAD {
                return;
            }
            written.await;
        }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> MessageSink for Outbox<W> {
    fn send(&self, message: Bytes) {
        self.push(&message);
        self.flush_in_background();
    }

    fn send_or_drop(&self, message: Bytes) {
        if self.ready.lock().len() <= MOST_UNREAD_NOTIFICATIONS {
            self.send(message);
        }
    }
}
