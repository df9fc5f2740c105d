//! The stdio transport: one message per line, nothing else.

mod lines;
mod outbox;
mod pipes;

use crate::context::{LateReply, RequestCx};
use crate::http::DRAIN_TIME;
use crate::large::LARGE;
use crate::lifecycle::receive_notification;
use crate::peer::ClientPeer;
use crate::reply::Reply;
use crate::revision::Revision;
use crate::rpc::{self, Message, Refusal, Request};
use crate::shared::Shared;
use crate::sink::MessageSink;
use crate::{dispatch, rpc::ClientNotification};
use lines::{Line, LineReader};
use model::{Caller, Door};
use outbox::Outbox;
use rmcp::model::{ErrorCode, RequestId};
use serde_json::value::RawValue;
use std::io;
use std::sync::Arc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

/// How the stdio transport ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StdioEnd {
    /// Tools and methods of requests that got no response within the drain time.
    pub cut_off: Vec<String>,
}

/// Serves until the client closes its end, or the server is told to end; then until all is answered.
pub(crate) async fn serve(shared: Arc<Shared>) -> io::Result<StdioEnd> {
    let (input, output) = pipes::open();
    let lines = LineReader::new(input, shared.message_bytes);
    // On a worker thread, so that a request is answered on the thread that has read it.
    let served = tokio::spawn(async move {
        let connection = StdioConnection::new(shared, output);
        connection.run(lines).await
    });
    served.await.map_err(io::Error::other)
}

struct StdioConnection {
    shared: Arc<Shared>,
    peer: Arc<ClientPeer>,
    outbox: Arc<Outbox<pipes::Output>>,
}

impl StdioConnection {
    fn new(shared: Arc<Shared>, output: pipes::Output) -> Arc<Self> {
        let outbox = Outbox::new(output);
        let sink = Arc::clone(&outbox) as Arc<dyn MessageSink>;
        let closing = shared.ending.child_token();
        let peer = ClientPeer::new(Caller::default(), sink, closing);
        Arc::new(Self { shared, peer: Arc::new(peer), outbox })
    }

    async fn run(self: Arc<Self>, mut lines: LineReader<pipes::Input>) -> StdioEnd {
        let ending = self.shared.ending.clone();
        let read = async {
            loop {
                self.outbox.has_room().await;
                match lines.next().await {
                    Some(Line::Whole(line)) => self.receive(line).await,
                    Some(Line::TooLong(id)) => self.refuse(&self.too_long(id)),
                    None => return,
                }
            }
        };
        let mut read = std::pin::pin!(read);
        let is_input_over = tokio::select! {
            () = &mut read => true,
            () = ending.cancelled() => false,
        };
        if is_input_over {
            self.shared.input_closed.cancel();
            // Nothing waits for changes any more.
            self.peer.closing.cancel();
        }
        // Calls in flight may ask their client, whose answers have to be read.
        let answered = async {
            tokio::select! {
                () = self.peer.in_flight.all_ended() => {}
                () = async { read.await; std::future::pending().await }, if !is_input_over => {}
            }
        };
        let _ = timeout(DRAIN_TIME, answered).await;
        let cut_off = self.peer.in_flight.cancel_all();
        let _ = timeout(DRAIN_TIME, self.outbox.drain()).await;
        StdioEnd { cut_off }
    }

    fn too_long(&self, id: Option<RequestId>) -> Refusal {
        let most = self.shared.message_bytes;
        let why = format!(
            "a message may have {most} bytes (`message_bytes` under [server]); this one was skipped"
        );
        Refusal::new(id, ErrorCode::INVALID_REQUEST, why)
    }

    /// A large line is parsed and answered on threads of lower priority, one at a time.
    async fn receive(self: &Arc<Self>, line: Vec<u8>) {
        if line.len() <= LARGE {
            self.take(&line);
            return;
        }
        let this = Arc::clone(self);
        let mut parsing = JoinSet::new();
        let parse = async move { this.take(&line) };
        self.shared.large.spawn(&mut parsing, parse);
        parsing.join_next().await;
    }

    fn take(self: &Arc<Self>, line: &[u8]) {
        if let Some(batch) = rpc::split_batch(line) {
            match batch {
                Ok(messages) => self.receive_batch(&messages),
                Err(refusal) => self.refuse(&refusal),
            }
            return;
        }
        match rpc::parse(line) {
            Ok(Message::Nothing) => {}
            Ok(Message::Request(request)) => self.begin(request),
            Ok(Message::Notification(notification)) => self.notice(notification),
            Ok(Message::Response(response)) => self.peer.answer_question(response),
            Err(refusal) => self.refuse(&refusal),
        }
    }

    fn notice(&self, notification: ClientNotification) {
        receive_notification(notification, &self.shared, &self.peer);
    }

    /// Answers a message that is no request. A request that still waits for its response has the id then.
    fn refuse(&self, refusal: &Refusal) {
        let id = refusal.id.as_ref();
        if id.is_some_and(|id| self.peer.in_flight.contains(id)) {
            return;
        }
        self.outbox.send(refusal.reply().into());
    }

    fn begin(self: &Arc<Self>, request: Request) {
        let Some(cancel) = self.register(&request) else {
            return;
        };
        let this = Arc::clone(self);
        let answer = async move {
            let (id, reply) = this.answer(request, cancel).await;
            this.send(&id, &reply);
            this.outbox.flush().await;
        };
        // On the threads that have parsed it.
        tokio::spawn(answer.in_current_span());
    }

    /// Registers a request; none if it gets its response, or none at all, here.
    fn register(&self, request: &Request) -> Option<CancellationToken> {
        if self.shared.ending.is_cancelled() {
            let why = "the server is shutting down";
            let id = Some(request.id.clone());
            self.refuse(&Refusal::new(id, ErrorCode::INTERNAL_ERROR, why));
            return None;
        }
        let cancel = self.shared.abort.child_token();
        if self.peer.in_flight.begin(request, cancel.clone()).is_none() {
            // Two responses with one id could not be told apart.
            tracing::warn!(id = %request.id, "a request was ignored: its id is still in use");
            return None;
        }
        Some(cancel)
    }

    async fn answer(
        self: &Arc<Self>,
        mut request: Request,
        cancel: CancellationToken,
    ) -> (RequestId, Reply) {
        let id = request.id.clone();
        let cx = RequestCx {
            shared: Arc::clone(&self.shared),
            id: id.clone(),
            meta: std::mem::take(&mut request.params.meta),
            caller: Caller::default(),
            transport: Door::Stdio,
            revision: self.peer.revision(),
            peer: Some(Arc::clone(&self.peer)),
            sink: Some(Arc::clone(&self.outbox) as _),
            cancel,
            closing: self.peer.closing.clone(),
            late: self.late(&id),
        };
        (id, dispatch::handle(request, cx).await)
    }

    fn late(self: &Arc<Self>, id: &RequestId) -> LateReply {
        let (this, id) = (Arc::clone(self), id.clone());
        Arc::new(move |reply| {
            if this.send(&id, &reply) {
                this.outbox.flush_in_background();
            }
        })
    }

    /// Makes a response ready, unless its request was cancelled or has one already.
    fn send(&self, id: &RequestId, reply: &Reply) -> bool {
        self.peer.in_flight.end(id, || self.outbox.push(&reply.message))
    }

    /// Answers the messages of a batch one after the other, and all of them in one line.
    fn receive_batch(self: &Arc<Self>, messages: &[&RawValue]) {
        let revision = self.peer.revision();
        if !revision.is_some_and(Revision::has_batches) {
            self.refuse(&rpc::no_batches());
            return;
        }
        let mut requests = Vec::new();
        let mut replies = Vec::new();
        for message in messages {
            match rpc::parse_in_batch(message) {
                Ok(Message::Request(request)) => {
                    if let Some(cancel) = self.register(&request) {
                        requests.push((request, cancel));
                    }
                }
                Ok(Message::Notification(notification)) => self.notice(notification),
                Ok(Message::Response(response)) => self.peer.answer_question(response),
                Ok(Message::Nothing) => {}
                Err(refusal) => replies.push(refusal.reply().into()),
            }
        }
        let this = Arc::clone(self);
        tokio::spawn(async move {
            let mut answered = Vec::new();
            for (request, cancel) in requests {
                answered.push(this.answer(request, cancel).await);
            }
            let ids: Vec<RequestId> = answered.iter().map(|(id, _)| id.clone()).collect();
            this.peer.in_flight.end_all(&ids, |are_open| {
                let open = answered.into_iter().zip(are_open);
                let open = open.filter(|(_, is_open)| *is_open);
                replies.extend(open.map(|((_, reply), _)| reply.message));
                if !replies.is_empty() {
                    this.outbox.push(&rpc::join_batch(&replies));
                }
            });
            this.outbox.flush().await;
        });
    }
}
