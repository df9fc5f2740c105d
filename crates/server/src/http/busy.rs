//! How many requests are being answered, so that an ending server can wait for them.

use bytes::Bytes;
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::watch;

#[derive(Clone)]
pub(crate) struct Busy(Arc<watch::Sender<usize>>);

/// One request; dropped when its answer has gone out, or nobody wants it any more.
pub(crate) struct Errand(Arc<watch::Sender<usize>>);

impl Busy {
    pub(crate) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }

    pub(crate) fn begin(&self) -> Errand {
        self.0.send_modify(|count| *count += 1);
        Errand(Arc::clone(&self.0))
    }

    pub(crate) async fn all_done(&self) {
        // The sender is ours: it cannot go away meanwhile.
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }
}

impl Drop for Errand {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

/// An answer that is on its way as long as its body is.
pub(crate) fn until_sent(
    body: BoxBody<Bytes, Infallible>,
    errand: Errand,
) -> BoxBody<Bytes, Infallible> {
    Sent {
        body,
        _errand: errand,
    }
    .boxed()
}

struct Sent {
    body: BoxBody<Bytes, Infallible>,
    _errand: Errand,
}

impl Body for Sent {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
