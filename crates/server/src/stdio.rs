//! The door on standard input and output: one message a line, nothing else.

use crate::envelope::{self, Heard, Refusal};
use crate::handler::{Handler, Late};
use crate::http::DRAIN_TIME;
use crate::large::LARGE;
use crate::outbox::Outbox;
use crate::shared::Shared;
use crate::trace::Traced;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage, serve_directly_with_ct};
use rmcp::transport::Transport;
use rmcp::{RoleServer, transport::stdio_pipes};
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// A line longer than this is not read to its end as a message.
const LONGEST_LINE: usize = 4 << 20;

/// Serves until the client closes its end, or the server is told to end. Calls in flight get five
/// seconds to finish in the first case, and longer in the second.
pub(crate) async fn serve(shared: Arc<Shared>) -> io::Result<()> {
    let (input, output) = stdio_pipes();
    let ending = shared.ending.clone();
    // The end of input is the end of the server.
    let closing = ending.clone();
    let transport = Lines::new(input, output, Arc::clone(&shared), closing.clone());
    let outbox = Arc::clone(&transport.outbox);
    let late: Late = {
        let outbox = Arc::clone(&outbox);
        Arc::new(move |id, result| outbox.late(&id, &result))
    };
    let handler = Traced(Handler::new(shared, Some(late), closing.clone()));
    let service = serve_directly_with_ct(handler, transport, None, CancellationToken::new());
    // A listener that has just been acknowledged would hold rmcp for all of the five seconds.
    let all_said = async {
        closing.cancelled().await;
        outbox.all_answered().await;
        outbox.drain().await;
    };
    let too_long = async {
        ending.cancelled().await;
        tokio::time::sleep(DRAIN_TIME).await;
    };
    tokio::select! {
        ended = service.waiting() => ended.map(|_| ()).map_err(io::Error::other),
        () = all_said => Ok(()),
        () = too_long => Ok(()),
    }
}

pub(crate) struct Lines<R, W> {
    input: R,
    buffer: Vec<u8>,
    /// Up to here no line end has been found.
    searched: usize,
    /// The rest of a line that was too long is thrown away.
    skipping: bool,
    /// Parses a large line on another thread; at most one at a time.
    parsing: JoinSet<Heard>,
    outbox: Arc<Outbox<W>>,
    shared: Arc<Shared>,
    closing: CancellationToken,
}

impl<R, W> Lines<R, W>
where
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(
        input: R,
        output: W,
        shared: Arc<Shared>,
        closing: CancellationToken,
    ) -> Self {
        Self {
            input,
            buffer: Vec::with_capacity(16 << 10),
            searched: 0,
            skipping: false,
            parsing: JoinSet::new(),
            outbox: Arc::new(Outbox::new(output)),
            shared,
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
            self.answer_here(&Refusal::new(None, -32600, why).answer());
        }
    }

    /// A line as a message for the service, unless it was dealt with here.
    async fn understand(&mut self, line: Vec<u8>) -> Option<RxJsonRpcMessage<RoleServer>> {
        if line.len() <= LARGE {
            return self.take(envelope::read(&line));
        }
        let parse = async move { envelope::read(&line) };
        self.shared.large.spawn(&mut self.parsing, parse);
        self.parsed().await
    }

    /// Waits for the large line that is being parsed, if there is one; cancel safe.
    async fn parsed(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let heard = self.parsing.join_next().await?.ok()?;
        self.take(heard)
    }

    fn take(&mut self, heard: Heard) -> Option<RxJsonRpcMessage<RoleServer>> {
        match heard {
            Heard::Nothing => None,
            Heard::Refused(answer) => {
                if !self.outbox.owes(&answer["id"]) {
                    self.answer_here(&answer);
                }
                None
            }
            Heard::Message(message) => self.outbox.admit(*message),
        }
    }

    /// Reading must not wait for writing, so the answer goes its own way.
    fn answer_here(&self, answer: &serde_json::Value) {
        self.outbox.push(answer.to_string().into_bytes());
        tokio::spawn(Arc::clone(&self.outbox).flush());
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let outbox = Arc::clone(&self.outbox);
        let pushed = outbox.answer(&item);
        async move {
            pushed?;
            outbox.flush().await;
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if !self.parsing.is_empty()
                && let Some(message) = self.parsed().await
            {
                return Some(message);
            }
            while let Some(line) = self.line() {
                if let Some(message) = self.understand(line).await {
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
        let rest = std::mem::take(&mut self.buffer);
        self.searched = 0;
        let last = if self.skipping {
            None
        } else {
            self.understand(rest).await
        };
        self.closing.cancel();
        last
    }

    async fn close(&mut self) -> io::Result<()> {
        self.outbox.drain().await;
        Ok(())
    }
}
