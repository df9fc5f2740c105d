//! The door on standard input and output: one message a line, nothing else.

use crate::envelope::{self, Heard};
use crate::handler::Handler;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage, serve_directly_with_ct};
use rmcp::transport::Transport;
use rmcp::{RoleServer, transport::stdio_pipes};
use runtime::Runtime;
use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A line longer than this is not read to its end as a message.
const LONGEST_LINE: usize = 4 << 20;
/// Answers that the client has not taken yet; beyond, no further line is read until it has.
const MOST_UNREAD: usize = 4096;

/// Serves until the client closes its end. Calls in flight get five seconds to finish.
pub async fn serve_stdio(runtime: Runtime) -> io::Result<()> {
    let (input, output) = stdio_pipes();
    let closing = CancellationToken::new();
    let transport = Lines::new(input, output, closing.clone());
    let handler = Handler::new(runtime, closing);
    let service = serve_directly_with_ct(handler, transport, None, CancellationToken::new());
    service
        .waiting()
        .await
        .map(|_| ())
        .map_err(io::Error::other)
}

pub(crate) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    /// Up to here no line end has been found.
    searched: usize,
    /// The rest of a line that was too long is thrown away.
    skipping: bool,
    outbox: Outbox,
    writer: Option<JoinHandle<()>>,
    closing: CancellationToken,
}

/// Answers on their way out; a clone shares.
#[derive(Clone)]
struct Outbox {
    lines: Option<mpsc::UnboundedSender<Vec<u8>>>,
    unread: Arc<Unread>,
    /// Requests that have no answer yet: an id in use is not taken twice.
    open: Arc<Mutex<HashSet<RequestId>>>,
}

#[derive(Default)]
struct Unread {
    count: AtomicUsize,
    fewer: Notify,
}

impl<R> Lines<R> {
    pub(crate) fn new<W>(input: R, output: W, closing: CancellationToken) -> Self
    where
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (lines, waiting) = mpsc::unbounded_channel();
        let unread = Arc::new(Unread::default());
        let writer = tokio::spawn(write(output, waiting, Arc::clone(&unread)));
        Self {
            input,
            buffer: Vec::with_capacity(16 << 10),
            searched: 0,
            skipping: false,
            outbox: Outbox {
                lines: Some(lines),
                unread,
                open: Arc::default(),
            },
            writer: Some(writer),
            closing,
        }
    }

    /// The next whole line in the buffer, taken out of it.
    fn line(&mut self) -> Option<Vec<u8>> {
        let found = self.buffer[self.searched..]
            .iter()
            .position(|byte| *byte == b'\n');
        let Some(found) = found else {
            self.searched = self.buffer.len();
            if self.buffer.len() > LONGEST_LINE {
                self.refuse_long_line();
            }
            return None;
        };
        let end = self.searched + found;
        let rest = self.buffer.split_off(end + 1);
        let line = std::mem::replace(&mut self.buffer, rest);
        self.searched = 0;
        if std::mem::take(&mut self.skipping) {
            return Some(Vec::new());
        }
        Some(line)
    }

    fn refuse_long_line(&mut self) {
        self.buffer.clear();
        self.searched = 0;
        if !std::mem::replace(&mut self.skipping, true) {
            let why =
                format!("a line may have {LONGEST_LINE} bytes; the rest of this one is skipped");
            if let Heard::Refused(answer) = envelope::refuse(None, -32600, &why) {
                self.outbox.push(answer.to_string().into_bytes());
            }
        }
    }

    /// A line as a message for the service, unless it was dealt with here.
    fn understand(&mut self, line: &[u8]) -> Option<RxJsonRpcMessage<RoleServer>> {
        match envelope::read(line) {
            Heard::Nothing => None,
            Heard::Refused(answer) => {
                self.outbox.push(answer.to_string().into_bytes());
                None
            }
            Heard::Message(message) => self.outbox.admit(*message),
        }
    }
}

impl Outbox {
    fn push(&self, mut line: Vec<u8>) {
        line.push(b'\n');
        self.unread.count.fetch_add(1, Ordering::Relaxed);
        if let Some(lines) = &self.lines {
            let _ = lines.send(line);
        }
    }

    /// An id that still waits for its answer cannot be used again: two answers to one id help nobody.
    fn admit(&self, message: RxJsonRpcMessage<RoleServer>) -> Option<RxJsonRpcMessage<RoleServer>> {
        match &message {
            JsonRpcMessage::Request(request) => {
                if !self.open().insert(request.id.clone()) {
                    tracing::warn!(id = %request.id, "a request was ignored: its id is still in use");
                    return None;
                }
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.open().remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Some(message)
    }

    fn open(&self) -> std::sync::MutexGuard<'_, HashSet<RequestId>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, message: &TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
        match message {
            JsonRpcMessage::Response(response) => {
                self.open().remove(&response.id);
            }
            JsonRpcMessage::Error(error) => {
                if let Some(id) = &error.id {
                    self.open().remove(id);
                }
            }
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
        }
        self.push(serde_json::to_vec(message)?);
        Ok(())
    }

    /// Waits while the client leaves too many answers unread.
    async fn has_room(&self) {
        while self.unread.count.load(Ordering::Relaxed) > MOST_UNREAD {
            let fewer = self.unread.fewer.notified();
            if self.unread.count.load(Ordering::Relaxed) <= MOST_UNREAD {
                return;
            }
            fewer.await;
        }
    }
}

/// Writes what is ready in one go: pipelined answers share a system call.
async fn write(
    mut output: impl AsyncWrite + Unpin,
    mut waiting: mpsc::UnboundedReceiver<Vec<u8>>,
    unread: Arc<Unread>,
) {
    let mut ready = Vec::with_capacity(64);
    while waiting.recv_many(&mut ready, 64).await > 0 {
        let count = ready.len();
        let bytes = if count == 1 {
            ready.remove(0)
        } else {
            ready.concat()
        };
        ready.clear();
        let written = output.write_all(&bytes).await.is_ok() && output.flush().await.is_ok();
        unread.count.fetch_sub(count, Ordering::Relaxed);
        unread.fewer.notify_waiters();
        if !written {
            // Nobody listens any more; the end of input will follow.
            waiting.close();
        }
    }
}

impl<R> Transport<RoleServer> for Lines<R>
where
    R: AsyncRead + Send + Unpin,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        std::future::ready(self.outbox.answer(&item))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            while let Some(line) = self.line() {
                if let Some(message) = self.understand(&line) {
                    return Some(message);
                }
            }
            self.outbox.has_room().await;
            // Dropped between two reads, nothing is lost: the buffer is ours.
            match self.input.read_buf(&mut self.buffer).await {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
        }
        self.closing.cancel();
        let rest = std::mem::take(&mut self.buffer);
        self.understand(&rest)
    }

    async fn close(&mut self) -> io::Result<()> {
        self.outbox.lines = None;
        if let Some(writer) = self.writer.take() {
            let _ = writer.await;
        }
        Ok(())
    }
}
