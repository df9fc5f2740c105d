//! Notifications about one request, before its response: how far it has come, and what scripts log.

use crate::context::RequestCx;
use crate::sink::{MessageSink, notification};
use crate::wire;
use model::Level;
use parking_lot::Mutex;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use runtime::{Lines, Progress};
use std::sync::Arc;

/// Sends what the request has asked for, and nothing after `end`.
pub(crate) struct RequestNotifier {
    gate: Option<Arc<NotificationGate>>,
    token: Option<ProgressToken>,
    level: Option<Level>,
}

/// Closes the stream to notifications: a thread that was left behind may still hold the sender.
struct NotificationGate {
    sink: Arc<dyn MessageSink>,
    is_open: Mutex<bool>,
}

impl NotificationGate {
    fn send(&self, method: &str, params: impl serde::Serialize) {
        let is_open = self.is_open.lock();
        if *is_open {
            self.sink.send_or_drop(notification(method, Some(params)));
        }
    }
}

impl RequestNotifier {
    pub(crate) fn new(cx: &RequestCx) -> Self {
        let token = cx.meta.progress_token.clone();
        let level = if cx.is_modern() {
            cx.meta.log_level.and_then(wire::from_level)
        } else {
            cx.peer.as_ref().and_then(|peer| peer.level())
        };
        let is_wanted = token.is_some() || level.is_some();
        let sink = cx.sink.as_ref().filter(|_| is_wanted);
        let gate = sink.map(|sink| {
            Arc::new(NotificationGate { sink: Arc::clone(sink), is_open: Mutex::new(true) })
        });
        Self { gate, token, level }
    }

    pub(crate) fn progress(&self) -> Option<Progress> {
        let (gate, token) = (self.gate.clone()?, self.token.clone()?);
        Some(Arc::new(move |done, total, message| {
            let mut params = ProgressNotificationParam::new(token.clone(), done);
            params.total = total;
            params.message = message.map(str::to_owned);
            gate.send("notifications/progress", params);
        }))
    }

    pub(crate) fn lines(&self) -> Option<Lines> {
        let (gate, least) = (self.gate.clone()?, self.level?);
        Some(Arc::new(move |module, level, message, fields| {
            if level >= least {
                let line = wire::line(module, level, message, fields);
                gate.send("notifications/message", line);
            }
        }))
    }

    /// The response follows; nothing may come after it.
    pub(crate) fn end(&self) {
        if let Some(gate) = &self.gate {
            *gate.is_open.lock() = false;
        }
    }
}
