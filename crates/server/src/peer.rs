//! What is known of a client that began with `initialize`: one on stdio, one per session over HTTP.

use crate::in_flight::InFlight;
use crate::revision::Revision;
use crate::rpc::ClientResponse;
use crate::sink::MessageSink;
use model::{Caller, Level};
use parking_lot::Mutex;
use rmcp::model::{ClientCapabilities, RequestId};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use tokio_util::sync::CancellationToken;

/// URIs that one client may be subscribed to.
pub(crate) const MOST_SUBSCRIPTIONS: usize = 1024;

/// A client and what it has asked for so far.
pub(crate) struct ClientPeer {
    pub(crate) caller: Caller,
    /// Takes what belongs to no request of the client.
    pub(crate) sink: Arc<dyn MessageSink>,
    /// Set when the client is gone.
    pub(crate) closing: CancellationToken,
    pub(crate) in_flight: InFlight,
    agreed: Mutex<Option<Agreed>>,
    level: Mutex<Option<Level>>,
    subscriptions: Mutex<BTreeSet<String>>,
    is_notified: AtomicBool,
    is_updated: AtomicBool,
    questions: PendingQuestions,
}

/// What `initialize` has settled.
#[derive(Clone)]
pub(crate) struct Agreed {
    pub(crate) revision: Revision,
    pub(crate) capabilities: Arc<ClientCapabilities>,
}

impl ClientPeer {
    pub(crate) fn new(
        caller: Caller,
        sink: Arc<dyn MessageSink>,
        closing: CancellationToken,
    ) -> Self {
        Self {
            caller,
            sink,
            closing,
            in_flight: InFlight::default(),
            agreed: Mutex::default(),
            level: Mutex::default(),
            subscriptions: Mutex::default(),
            is_notified: AtomicBool::new(false),
            is_updated: AtomicBool::new(false),
            questions: PendingQuestions::default(),
        }
    }

    pub(crate) fn agree(&self, revision: Revision, capabilities: ClientCapabilities) {
        *self.agreed.lock() = Some(Agreed { revision, capabilities: Arc::new(capabilities) });
    }

    pub(crate) fn agreed(&self) -> Option<Agreed> {
        self.agreed.lock().clone()
    }

    pub(crate) fn revision(&self) -> Option<Revision> {
        self.agreed.lock().as_ref().map(|agreed| agreed.revision)
    }

    /// From which level on the client wants log messages.
    pub(crate) fn level(&self) -> Option<Level> {
        *self.level.lock()
    }

    pub(crate) fn set_level(&self, level: Option<Level>) {
        *self.level.lock() = level;
    }

    /// Returns whether there was room for it. A URI that no module serves may be served later.
    pub(crate) fn subscribe(&self, uri: String) -> bool {
        let mut uris = self.subscriptions.lock();
        if uris.len() >= MOST_SUBSCRIPTIONS && !uris.contains(&uri) {
            return false;
        }
        uris.insert(uri);
        true
    }

    pub(crate) fn unsubscribe(&self, uri: &str) {
        self.subscriptions.lock().remove(uri);
    }

    pub(crate) fn is_subscribed(&self, uri: &str) -> bool {
        self.subscriptions.lock().contains(uri)
    }

    pub(crate) fn subscriptions(&self) -> Vec<String> {
        self.subscriptions.lock().iter().cloned().collect()
    }

    /// Returns true at the first call: the caller then tells the client of changed lists.
    pub(crate) fn begin_notifying(&self) -> bool {
        !self.is_notified.swap(true, Ordering::Relaxed)
    }

    /// Returns true at the first call: the caller then tells the client of updated resources.
    pub(crate) fn begin_updating(&self) -> bool {
        !self.is_updated.swap(true, Ordering::Relaxed)
    }

    /// Registers a question to the client.
    pub(crate) fn open_question(self: &Arc<Self>) -> OpenQuestion {
        let id = self.questions.next.fetch_add(1, Ordering::Relaxed);
        let (send, answer) = sync_channel(1);
        self.questions.waiting.lock().insert(id, send);
        OpenQuestion { peer: Arc::clone(self), id, answer }
    }

    /// Hands a response to the question it belongs to, if that still waits.
    pub(crate) fn answer_question(&self, response: ClientResponse) {
        let RequestId::Number(id) = response.id else {
            return;
        };
        if let Some(send) = self.questions.waiting.lock().remove(&id) {
            // There is room for one, and only one is sent.
            let _ = send.try_send(response.result);
        }
    }
}

#[derive(Default)]
struct PendingQuestions {
    next: AtomicI64,
    waiting: Mutex<HashMap<i64, SyncSender<Result<Value, String>>>>,
}

/// A question that waits for its answer; dropped, it waits no more.
pub(crate) struct OpenQuestion {
    peer: Arc<ClientPeer>,
    pub(crate) id: i64,
    pub(crate) answer: Receiver<Result<Value, String>>,
}

impl OpenQuestion {
    pub(crate) fn is_open(&self) -> bool {
        self.peer.questions.waiting.lock().contains_key(&self.id)
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        self.peer.questions.waiting.lock().remove(&self.id);
    }
}
