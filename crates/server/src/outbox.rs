//! Answers on their way out. Whoever finds the output free writes what is ready, for others too:
//! a single answer takes no detour through another task, and pipelined ones share a system call.

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use serde::Deserialize;
use std::collections::HashSet;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;

/// Answers that the client has not taken yet, in bytes; beyond, no further line is read until it has.
const MOST_UNREAD: usize = 8 << 20;

pub(crate) struct Outbox<W> {
    output: tokio::sync::Mutex<W>,
    ready: Mutex<Vec<u8>>,
    taken: Notify,
    /// Requests that have no answer yet: an id in use is not taken twice.
    open: Mutex<HashSet<RequestId>>,
}

impl<W: AsyncWrite + Unpin> Outbox<W> {
    pub(crate) fn new(output: W) -> Self {
        Self {
            output: tokio::sync::Mutex::new(output),
            ready: Mutex::default(),
            taken: Notify::new(),
            open: Mutex::default(),
        }
    }

    /// Makes a line ready; `flush` sends it.
    pub(crate) fn push(&self, line: Vec<u8>) {
        let mut ready = lock(&self.ready);
        if ready.is_empty() {
            *ready = line;
        } else {
            ready.extend_from_slice(&line);
        }
        ready.push(b'\n');
    }

    pub(crate) fn answer(&self, message: &TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        if let Some(id) = id {
            lock(&self.open).remove(id);
        }
        self.push(serde_json::to_vec(message)?);
        Ok(())
    }

    /// Sends what is ready, unless somebody else is at it: then they send ours as well.
    pub(crate) async fn flush(self: std::sync::Arc<Self>) {
        while !lock(&self.ready).is_empty() {
            let Ok(mut output) = self.output.try_lock() else {
                return;
            };
            self.write(&mut output).await;
        }
    }

    /// Sends everything, and waits for it.
    pub(crate) async fn drain(&self) {
        let mut output = self.output.lock().await;
        self.write(&mut output).await;
    }

    async fn write(&self, output: &mut W) {
        let bytes = std::mem::take(&mut *lock(&self.ready));
        // Where nobody listens any more, the end of input will follow.
        let _ = output.write_all(&bytes).await;
        let _ = output.flush().await;
        self.taken.notify_waiters();
    }

    /// Waits while the client leaves too much unread.
    pub(crate) async fn has_room(&self) {
        loop {
            let taken = self.taken.notified();
            if lock(&self.ready).len() <= MOST_UNREAD {
                return;
            }
            taken.await;
        }
    }

    /// Is this the id of a request that still waits for its answer?
    pub(crate) fn owes(&self, id: &serde_json::Value) -> bool {
        RequestId::deserialize(id).is_ok_and(|id| lock(&self.open).contains(&id))
    }

    /// An id that still waits for its answer cannot be used again: two answers to one id help nobody.
    pub(crate) fn admit(
        &self,
        message: RxJsonRpcMessage<RoleServer>,
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        match &message {
            JsonRpcMessage::Request(request) => {
                if !lock(&self.open).insert(request.id.clone()) {
                    tracing::warn!(id = %request.id, "a request was ignored: its id is still in use");
                    return None;
                }
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    lock(&self.open).remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Some(message)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
