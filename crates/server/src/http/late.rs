//! Answers that come past the request's own task, should a script have stuck it.

use super::answer::{Answer, json};
use bytes::Bytes;
use http::StatusCode;
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame};
use rmcp::model::CallToolResult;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use tokio::sync::oneshot;

/// Travels with the request; whoever holds it can answer once.
#[derive(Clone)]
pub(crate) struct LateAnswer {
    id: Value,
    send: Arc<Mutex<Option<oneshot::Sender<Value>>>>,
}

pub(crate) type Told = oneshot::Receiver<Value>;

impl LateAnswer {
    pub(crate) fn new(id: Value) -> (Self, Told) {
        let (send, told) = oneshot::channel();
        let send = Arc::new(Mutex::new(Some(send)));
        (Self { id, send }, told)
    }

    pub(crate) fn give(&self, result: &CallToolResult) {
        let mut send = self.send.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(send) = send.take() {
            let message = json!({"jsonrpc": "2.0", "id": self.id, "result": result});
            // Whoever asked may have gone.
            let _ = send.send(message);
        }
    }
}

/// The answer, or what was said in its place.
pub(crate) async fn or_late(answer: impl Future<Output = Answer>, mut told: Told) -> Answer {
    let answer = tokio::select! {
        answer = answer => answer,
        Ok(message) = &mut told => return json(StatusCode::OK, &message),
    };
    let (parts, body) = answer.into_parts();
    let is_stream = body.size_hint().exact().is_none();
    let body = if is_stream {
        Stream {
            body,
            told: Some(told),
        }
        .boxed()
    } else {
        body
    };
    Answer::from_parts(parts, body)
}

/// Events, of which a late answer can be the last.
struct Stream {
    body: BoxBody<Bytes, Infallible>,
    told: Option<Told>,
}

impl Body for Stream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            return Poll::Ready(frame);
        }
        let Some(told) = &mut self.told else {
            return Poll::Pending;
        };
        match Pin::new(told).poll(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Err(_)) => {
                self.told = None;
                Poll::Pending
            }
            Poll::Ready(Ok(message)) => {
                self.told = None;
                self.body = http_body_util::Empty::new().boxed();
                let event = format!("data: {message}\n\n");
                Poll::Ready(Some(Ok(Frame::data(event.into()))))
            }
        }
    }
}
