//! Server-sent events: the stream of one response, what a session keeps of it, and the body that sends it.

use crate::reply::Reply;
use crate::sink::MessageSink;
use bytes::Bytes;
use hyper::body::{Body, Frame};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt::Write;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, Sleep, sleep};
use tokio_util::sync::{CancellationToken, DropGuard, WaitForCancellationFutureOwned};
use tokio_util::task::task_tracker::TaskTrackerToken;

/// A stream without events gets a comment this often, so that no proxy takes it for dead.
pub(super) const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Events that wait for a slow client; beyond, notifications are dropped.
const MOST_WAITING: usize = 1024;

/// Bytes of events that a session keeps for clients that reconnect. The newest event is always kept.
const MOST_KEPT: usize = 1 << 20;

/// How long a client should wait before it reconnects.
const RETRY_MS: u32 = 3000;

/// What a stream passes to its connection.
pub(super) enum StreamItem {
    Event(Bytes),
    /// The response, where nothing was streamed before it.
    Reply(Reply),
}

/// Items for one connection.
pub(super) struct StreamItems {
    /// An event that was taken out already.
    first: Option<Bytes>,
    receiver: UnboundedReceiver<StreamItem>,
    waiting: Arc<AtomicUsize>,
}

impl StreamItems {
    pub(super) async fn next(&mut self) -> Option<StreamItem> {
        std::future::poll_fn(|cx| self.poll(cx)).await
    }

    /// Puts back an event that was taken out.
    pub(super) fn preceded_by(mut self, event: Bytes) -> Self {
        self.first = Some(event);
        self
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<StreamItem>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(StreamItem::Event(first)));
        }
        let item = ready!(self.receiver.poll_recv(cx));
        if item.is_some() {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        }
        Poll::Ready(item)
    }
}

/// The events of a session, under ids that are unique in it.
#[derive(Default)]
pub(super) struct EventLog {
    state: Mutex<LogState>,
}

#[derive(Default)]
struct LogState {
    /// Number of the latest event.
    latest: u64,
    events: VecDeque<LoggedEvent>,
    bytes: usize,
}

struct LoggedEvent {
    number: u64,
    stream: u64,
    text: Bytes,
}

impl EventLog {
    /// Reads the id of an event: its stream, and its number.
    pub(super) fn parse_id(id: &str) -> Option<(u64, u64)> {
        let (stream, number) = id.split_once('-')?;
        Some((stream.parse().ok()?, number.parse().ok()?))
    }

    /// An id for an event that is not kept.
    fn next_id(&self, stream: u64) -> String {
        let mut state = self.state.lock();
        state.latest += 1;
        format!("{stream}-{}", state.latest)
    }

    fn append(&self, stream: u64, message: &[u8]) -> Bytes {
        let mut state = self.state.lock();
        state.latest += 1;
        let number = state.latest;
        let text = event(Some(&format!("{stream}-{number}")), message);
        state.bytes += text.len();
        state.events.push_back(LoggedEvent { number, stream, text: text.clone() });
        while state.bytes > MOST_KEPT && state.events.len() > 1 {
            let oldest = state.events.pop_front();
            state.bytes -= oldest.map_or(0, |oldest| oldest.text.len());
        }
        text
    }

    fn after(&self, stream: u64, number: u64) -> Vec<Bytes> {
        let state = self.state.lock();
        let events = state.events.iter();
        let missed = events.filter(|event| event.stream == stream && event.number > number);
        missed.map(|event| event.text.clone()).collect()
    }
}

/// A message as an event. JSON as it is written here has no line breaks.
fn event(id: Option<&str>, message: &[u8]) -> Bytes {
    let mut text = Vec::with_capacity(message.len() + 48);
    if let Some(id) = id {
        text.extend_from_slice(b"id: ");
        text.extend_from_slice(id.as_bytes());
        text.push(b'\n');
    }
    text.extend_from_slice(b"data: ");
    text.extend_from_slice(message);
    text.extend_from_slice(b"\n\n");
    text.into()
}

/// How a stream of a session keeps its events.
pub(super) struct StreamLog {
    pub(super) log: Arc<EventLog>,
    pub(super) stream: u64,
    /// Whether the client knows events that only have an id.
    pub(super) is_primed: bool,
}

/// What is sent for one request before and with its response, or, for a session as a whole, what belongs
/// to no request. It becomes a stream of events when something is sent before the response.
pub(super) struct ResponseStream {
    state: Mutex<StreamState>,
    log: Option<StreamLog>,
}

struct StreamState {
    connection: Option<UnboundedSender<StreamItem>>,
    waiting: Arc<AtomicUsize>,
    is_open: bool,
    is_finished: bool,
}

impl ResponseStream {
    pub(super) fn new(log: Option<StreamLog>) -> (Arc<Self>, StreamItems) {
        let (connection, items) = connect();
        let waiting = Arc::clone(&items.waiting);
        let state = StreamState {
            connection: Some(connection),
            waiting,
            is_open: false,
            is_finished: false,
        };
        let stream = Self { state: Mutex::new(state), log };
        (Arc::new(stream), items)
    }

    /// The stream of a session as a whole: open from the beginning, without a connection yet.
    pub(super) fn standalone(log: StreamLog) -> Arc<Self> {
        let (stream, _) = Self::new(Some(log));
        let mut state = stream.state.lock();
        state.is_open = true;
        state.connection = None;
        drop(state);
        stream
    }

    /// Becomes a stream of events, also without one.
    pub(super) fn open(&self) {
        self.open_locked(&mut self.state.lock());
    }

    fn open_locked(&self, state: &mut StreamState) {
        if state.is_open || state.is_finished {
            return;
        }
        state.is_open = true;
        if let Some(priming) = self.priming() {
            state.pass(StreamItem::Event(priming));
        }
    }

    /// An event with an id alone, from which a client can resume before anything else has arrived.
    fn priming(&self) -> Option<Bytes> {
        let log = self.log.as_ref().filter(|log| log.is_primed)?;
        let mut text = String::new();
        let id = log.log.next_id(log.stream);
        // Writing to a text does not fail.
        let _ = write!(text, "id: {id}\nretry: {RETRY_MS}\ndata: \n\n");
        Some(text.into())
    }

    fn encode(&self, message: &[u8]) -> Bytes {
        match &self.log {
            Some(log) => log.log.append(log.stream, message),
            None => event(None, message),
        }
    }

    fn pass_message(&self, message: &[u8], may_drop: bool) {
        let mut state = self.state.lock();
        let is_slow = state.waiting.load(Ordering::Relaxed) >= MOST_WAITING;
        if state.is_finished || may_drop && is_slow {
            return;
        }
        self.open_locked(&mut state);
        let event = self.encode(message);
        state.pass(StreamItem::Event(event));
    }

    /// Sends the response; only the first one counts.
    pub(super) fn finish(&self, reply: Reply) {
        let mut state = self.state.lock();
        if std::mem::replace(&mut state.is_finished, true) {
            return;
        }
        let item = if state.is_open {
            StreamItem::Event(self.encode(&reply.message))
        } else {
            StreamItem::Reply(reply)
        };
        state.pass(item);
        state.connection = None;
    }

    /// Ends without a response.
    pub(super) fn abort(&self) {
        let mut state = self.state.lock();
        state.is_finished = true;
        state.connection = None;
    }

    /// Whether it belongs to no session.
    pub(super) fn is_alone(&self) -> bool {
        self.log.is_none()
    }

    /// Whether there is nothing in it to resume.
    pub(super) fn is_plain(&self) -> bool {
        !self.state.lock().is_open
    }

    pub(super) fn is_finished(&self) -> bool {
        self.state.lock().is_finished
    }

    pub(super) fn is_connected(&self) -> bool {
        let state = self.state.lock();
        state.connection.as_ref().is_some_and(|connection| !connection.is_closed())
    }

    /// A new connection to the stream, which takes the place of an earlier one: from the next event on, or
    /// from the one after the given number.
    pub(super) fn resume(&self, after: Option<u64>) -> StreamItems {
        let mut state = self.state.lock();
        let (connection, items) = connect();
        state.waiting = Arc::clone(&items.waiting);
        state.connection = Some(connection);
        match (after, &self.log) {
            (Some(number), Some(log)) => {
                for event in log.log.after(log.stream, number) {
                    state.pass(StreamItem::Event(event));
                }
            }
            _ => {
                if let Some(priming) = self.priming() {
                    state.pass(StreamItem::Event(priming));
                }
            }
        }
        if state.is_finished {
            state.connection = None;
        }
        items
    }
}

impl StreamState {
    fn pass(&mut self, item: StreamItem) {
        let Some(connection) = &self.connection else {
            return;
        };
        self.waiting.fetch_add(1, Ordering::Relaxed);
        if connection.send(item).is_err() {
            self.connection = None;
        }
    }
}

impl MessageSink for ResponseStream {
    fn send(&self, message: Bytes) {
        self.pass_message(&message, false);
    }

    fn send_or_drop(&self, message: Bytes) {
        self.pass_message(&message, true);
    }
}

fn connect() -> (UnboundedSender<StreamItem>, StreamItems) {
    let (sender, receiver) = unbounded_channel();
    let items = StreamItems { first: None, receiver, waiting: Arc::default() };
    (sender, items)
}

/// What ends with the body.
#[derive(Default)]
pub(super) struct BodyGuards {
    /// Lets an ending server wait for it.
    pub(super) _tracked: Option<TaskTrackerToken>,
    /// Cancels the request when its client hangs up.
    pub(super) cancel: Option<DropGuard>,
}

/// A body of events.
pub(super) struct EventBody {
    items: StreamItems,
    keep_alive: Pin<Box<Sleep>>,
    /// When the caller's token expires.
    expiry: Option<Pin<Box<Sleep>>>,
    hung_up: Pin<Box<WaitForCancellationFutureOwned>>,
    _guards: BodyGuards,
}

impl EventBody {
    pub(super) fn new(
        items: StreamItems,
        expires_in: Option<Duration>,
        hung_up: &CancellationToken,
        guards: BodyGuards,
    ) -> Self {
        Self {
            items,
            keep_alive: Box::pin(sleep(KEEP_ALIVE)),
            expiry: expires_in.map(|left| Box::pin(sleep(left))),
            hung_up: Box::pin(hung_up.clone().cancelled_owned()),
            _guards: guards,
        }
    }
}

impl Body for EventBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(expiry) = &mut self.expiry
            && expiry.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(None);
        }
        if let Poll::Ready(item) = self.items.poll(cx) {
            let text = item.map(|item| match item {
                StreamItem::Event(text) => text,
                StreamItem::Reply(reply) => event(None, &reply.message),
            });
            return Poll::Ready(text.map(|text| Ok(Frame::data(text))));
        }
        if self.hung_up.as_mut().poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        ready!(self.keep_alive.as_mut().poll(cx));
        let next = Instant::now() + KEEP_ALIVE;
        self.keep_alive.as_mut().reset(next);
        cx.waker().wake_by_ref();
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b":\n\n")))))
    }
}
