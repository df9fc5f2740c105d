//! A stream that would go on for ever ends with the token it was opened by.

use super::answer::Answer;
use bytes::Bytes;
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame};
use model::Caller;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::SystemTime;
use tokio::time::{Sleep, sleep};

pub(crate) fn ending_with(answer: Answer, caller: &Caller) -> Answer {
    let Some(until) = caller.until else {
        return answer;
    };
    let left = until.duration_since(SystemTime::now()).unwrap_or_default();
    answer.map(|body| {
        let end = Box::pin(sleep(left));
        Expiring { body, end }.boxed()
    })
}

struct Expiring {
    body: BoxBody<Bytes, Infallible>,
    end: Pin<Box<Sleep>>,
}

impl Body for Expiring {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.end.as_mut().poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
}
