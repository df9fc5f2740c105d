//! Removes priming events, which have an id and empty data, from the streams of clients that cannot parse them.
//!
//! Priming came with revision 2025-11-25. Older clients parse every `data` field as JSON and drop the connection at an
//! empty one.

use super::answer::Answer;
use bytes::Bytes;
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame};
use rmcp::model::ProtocolVersion;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Whether a client that speaks this revision knows priming events; clients that name none speak an old one.
pub(crate) fn knows_priming(revision: Option<&str>) -> bool {
    revision.is_some_and(|revision| revision >= ProtocolVersion::V_2025_11_25.as_str())
}

/// The response without events that have no data.
pub(crate) fn without_priming(answer: Answer) -> Answer {
    answer.map(|body| UnprimedBody(body).boxed())
}

struct UnprimedBody(BoxBody<Bytes, Infallible>);

impl Body for UnprimedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        loop {
            let frame = std::task::ready!(Pin::new(&mut self.0).poll_frame(cx));
            let primes = |frame: &Frame<Bytes>| frame.data_ref().is_some_and(|data| primes(data));
            match frame {
                Some(Ok(frame)) if primes(&frame) => {}
                other => return Poll::Ready(other),
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }
}

/// Whether an event has a `data` field and nothing in it. Events arrive one per frame.
fn primes(event: &[u8]) -> bool {
    let lines = event.split(|byte| *byte == b'\n');
    let mut data = lines
        .filter_map(|line| line.strip_prefix(b"data:"))
        .peekable();
    data.peek().is_some() && data.all(|data| data.trim_ascii().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_events_with_empty_data_prime() {
        for (event, expected) in [
            ("data: \nid: 0\nretry: 3000\n\n", true),
            ("data:\nid: 0/0\n\n", true),
            ("id: 1\ndata: {\"id\":1}\n\n", false),
            ("data: \ndata: {}\n\n", false),
            (":\n\n", false),
            ("retry: 3000\n\n", false),
            ("", false),
        ] {
            assert_eq!(primes(event.as_bytes()), expected, "{event:?}");
        }
    }

    #[test]
    fn priming_is_known_since_2025_11_25() {
        for (revision, expected) in [
            (None, false),
            (Some("2025-03-26"), false),
            (Some("2025-06-18"), false),
            (Some("2025-11-25"), true),
        ] {
            assert_eq!(knows_priming(revision), expected, "{revision:?}");
        }
    }
}
