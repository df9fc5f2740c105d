//! Answers on their way out. Whoever finds the output free writes what is ready, for others too:
//! a single answer takes no detour through another task, and pipelined ones share a system call.

use crate::written::{self, Written};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolResult, ClientNotification, ClientRequest, GetExtensions, JsonRpcMessage, RequestId,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use serde::Deserialize;
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;

/// Answers that the client has not taken yet, in bytes; beyond, no further line is read until it has.
const MOST_UNREAD: usize = 8 << 20;

/// What is known of a request that has no answer yet.
struct Owed {
    /// Will one come without a further word from the client?
    comes: bool,
    /// Where it may come written.
    written: Option<Written>,
}

pub(crate) struct Outbox<W> {
    output: tokio::sync::Mutex<W>,
    ready: Mutex<Vec<u8>>,
    taken: Notify,
    /// Requests that have no answer yet: an id in use is not taken twice.
    open: Mutex<HashMap<RequestId, Owed>>,
    answered: Notify,
}

impl<W: AsyncWrite + Unpin> Outbox<W> {
    pub(crate) fn new(output: W) -> Self {
        Self {
            output: tokio::sync::Mutex::new(output),
            ready: Mutex::default(),
            taken: Notify::new(),
            open: Mutex::default(),
            answered: Notify::new(),
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
        let written = id.and_then(|id| lock(&self.open).get(id)?.written.as_ref()?.take());
        let line = match (id, written) {
            (Some(id), Some(result)) => written::answer(id, &result)?,
            _ => serde_json::to_vec(message)?,
        };
        match id {
            Some(id) => {
                self.push_answer(id, line);
            }
            None => self.push(line),
        }
        Ok(())
    }

    /// An answer past the service, for a request whose task is stuck.
    pub(crate) fn late(self: &Arc<Self>, id: &RequestId, result: &CallToolResult)
    where
        W: Send + 'static,
    {
        let answer = serde_json::json!({"jsonrpc": "2.0", "id": id, "result": result});
        if self.push_answer(id, answer.to_string().into_bytes()) {
            tokio::spawn(Arc::clone(self).flush());
        }
    }

    /// Makes an answer ready, unless its id was answered already or its request was taken back.
    fn push_answer(&self, id: &RequestId, line: Vec<u8>) -> bool {
        let mut open = lock(&self.open);
        if open.remove(id).is_none() {
            return false;
        }
        // Still under the lock: who finds nothing open finds everything ready.
        self.push(line);
        drop(open);
        self.answered.notify_waiters();
        true
    }

    /// Sends what is ready, unless somebody else is at it: then they send ours as well.
    pub(crate) async fn flush(self: Arc<Self>) {
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
        RequestId::deserialize(id).is_ok_and(|id| lock(&self.open).contains_key(&id))
    }

    /// Waits until every request is answered that can be.
    pub(crate) async fn all_answered(&self) {
        loop {
            let answered = self.answered.notified();
            if !lock(&self.open).values().any(|owed| owed.comes) {
                return;
            }
            answered.await;
        }
    }

    /// An id that still waits for its answer cannot be used again: two answers to one id help nobody.
    pub(crate) fn admit(
        &self,
        mut message: RxJsonRpcMessage<RoleServer>,
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        match &mut message {
            JsonRpcMessage::Request(request) => {
                let listens = matches!(
                    request.request,
                    ClientRequest::SubscriptionsListenRequest(_)
                );
                let mut open = lock(&self.open);
                if open.contains_key(&request.id) {
                    tracing::warn!(id = %request.id, "a request was ignored: its id is still in use");
                    return None;
                }
                let written = is_list(&request.request).then(Written::default);
                if let Some(written) = &written {
                    request.request.extensions_mut().insert(written.clone());
                }
                let owed = Owed {
                    comes: !listens,
                    written,
                };
                open.insert(request.id.clone(), owed);
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    lock(&self.open).remove(id);
                    self.answered.notify_waiters();
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Some(message)
    }
}

fn is_list(request: &ClientRequest) -> bool {
    matches!(
        request,
        ClientRequest::ListToolsRequest(_)
            | ClientRequest::ListResourcesRequest(_)
            | ClientRequest::ListResourceTemplatesRequest(_)
            | ClientRequest::ListPromptsRequest(_)
    )
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
