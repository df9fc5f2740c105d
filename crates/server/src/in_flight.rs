//! Requests of one client that have no response yet.

use crate::rpc::Request;
use parking_lot::Mutex;
use rmcp::model::RequestId;
use std::collections::HashMap;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Requests by their ids: an id in use is not taken twice, and a client can cancel a request by its id.
#[derive(Default)]
pub(crate) struct InFlight {
    open: Mutex<HashMap<RequestId, OpenRequest>>,
    changed: Notify,
}

struct OpenRequest {
    /// The tool or the method, for reports.
    subject: String,
    cancel: CancellationToken,
    /// Its response comes only when the client or the server ends it.
    is_subscription: bool,
}

impl InFlight {
    /// Registers a request; none if its id is in use.
    pub(crate) fn begin(&self, request: &Request, cancel: CancellationToken) -> Option<()> {
        let mut open = self.open.lock();
        if open.contains_key(&request.id) {
            return None;
        }
        let subject = request.params.name("name").unwrap_or(&request.method);
        let entry = OpenRequest {
            subject: subject.to_owned(),
            cancel,
            is_subscription: request.method == "subscriptions/listen",
        };
        open.insert(request.id.clone(), entry);
        Some(())
    }

    /// Removes a request and sends its response, unless it was cancelled or has one already.
    pub(crate) fn end(&self, id: &RequestId, send: impl FnOnce()) -> bool {
        let mut open = self.open.lock();
        if open.remove(id).is_none() {
            return false;
        }
        // Still under the lock: where no request is open, every response was sent.
        send();
        drop(open);
        self.changed.notify_waiters();
        true
    }

    /// Removes several requests at once; `send` learns which of them still want a response.
    pub(crate) fn end_all(&self, ids: &[RequestId], send: impl FnOnce(Vec<bool>)) {
        let mut open = self.open.lock();
        let are_open = ids.iter().map(|id| open.remove(id).is_some()).collect();
        send(are_open);
        drop(open);
        self.changed.notify_waiters();
    }

    /// Cancels a request, which gets no response.
    pub(crate) fn cancel(&self, id: &RequestId) {
        if let Some(request) = self.open.lock().remove(id) {
            request.cancel.cancel();
            self.changed.notify_waiters();
        }
    }

    /// Cancels everything, and returns the tools and methods of requests that were being answered.
    pub(crate) fn cancel_all(&self) -> Vec<String> {
        let mut cut_off = Vec::new();
        for (_, request) in self.open.lock().drain() {
            request.cancel.cancel();
            if !request.is_subscription {
                cut_off.push(request.subject);
            }
        }
        self.changed.notify_waiters();
        cut_off
    }

    pub(crate) fn contains(&self, id: &RequestId) -> bool {
        self.open.lock().contains_key(id)
    }

    /// Number of requests that are being answered, subscriptions excluded.
    pub(crate) fn count(&self) -> usize {
        let open = self.open.lock();
        open.values().filter(|one| !one.is_subscription).count()
    }

    /// Waits until every request but subscriptions has its response.
    pub(crate) async fn all_ended(&self) {
        loop {
            let changed = self.changed.notified();
            if self.count() == 0 {
                return;
            }
            changed.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_ends_once() {
        let in_flight = InFlight::default();
        let [first, second] = [1, 2].map(Request::ping);
        let begin = |request| in_flight.begin(request, CancellationToken::new()).is_some();
        let end = |request: &Request| {
            let mut is_sent = false;
            in_flight.end(&request.id, || is_sent = true);
            is_sent
        };
        let cancelled = CancellationToken::new();
        assert!(in_flight.begin(&first, cancelled.clone()).is_some());
        assert_eq!([begin(&first), begin(&second)], [false, true]);
        assert_eq!([end(&second), end(&second)], [true, false]);
        in_flight.cancel(&first.id);
        assert_eq!((end(&first), cancelled.is_cancelled()), (false, true));
        assert!(begin(&first));
        assert_eq!(in_flight.cancel_all(), ["ping"]);
    }
}
