//! Words on the stream of the request they belong to. rmcp puts what scripts log in a session on the
//! session's own stream, which a client need not have opened.

use super::answer::Answer;
use bytes::Bytes;
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame};
use serde::Serialize;
use serde_json::json;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::mpsc;

/// Words that wait for a client to read them; whoever says more waits.
const BUFFER: usize = 16;

/// Travels with a request of a session.
#[derive(Clone)]
pub(crate) struct Aside(mpsc::Sender<Bytes>);

pub(crate) type Asides = mpsc::Receiver<Bytes>;

impl Aside {
    pub(crate) fn new() -> (Self, Asides) {
        let (send, said) = mpsc::channel(BUFFER);
        (Self(send), said)
    }

    /// Lost when nobody reads the stream any more.
    pub(crate) async fn notify(&self, method: &str, params: &impl Serialize) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        let event = format!("data: {message}\n\n");
        let _ = self.0.send(event.into()).await;
    }
}

/// The answer, with what is said aside before it.
pub(crate) fn with_asides(answer: Answer, asides: Asides) -> Answer {
    answer.map(|body| Told { body, asides }.boxed())
}

struct Told {
    body: BoxBody<Bytes, Infallible>,
    asides: Asides,
}

impl Body for Told {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        // Whatever was said was said before the answer.
        if let Poll::Ready(Some(event)) = self.asides.poll_recv(cx) {
            return Poll::Ready(Some(Ok(Frame::data(event))));
        }
        Pin::new(&mut self.body).poll_frame(cx)
    }
}
