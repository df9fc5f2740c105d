//! What a request comes with, whichever transport it came by.

use crate::peer::ClientPeer;
use crate::reply::Reply;
use crate::revision::Revision;
use crate::rpc::RequestMeta;
use crate::shared::Shared;
use crate::sink::MessageSink;
use crate::trace::trace_id;
use crate::wire::{self, Era};
use model::{Caller, Door};
use rmcp::ErrorData;
use rmcp::model::{ClientCapabilities, RequestId};
use runtime::{GivenUp, Trail};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Gives the response in the place of a request whose task is stuck; the first response counts.
pub(crate) type LateReply = Arc<dyn Fn(Reply) + Send + Sync>;

pub(crate) struct RequestCx {
    pub(crate) shared: Arc<Shared>,
    pub(crate) id: RequestId,
    pub(crate) meta: RequestMeta,
    pub(crate) caller: Caller,
    pub(crate) transport: Door,
    /// Agreed on by `initialize`, or named by a header; `_meta` of a request comes first.
    pub(crate) revision: Option<Revision>,
    /// The client, if it began with `initialize`.
    pub(crate) peer: Option<Arc<ClientPeer>>,
    /// Takes what is sent before the response; absent where the client takes no events.
    pub(crate) sink: Option<Arc<dyn MessageSink>>,
    pub(crate) cancel: CancellationToken,
    /// Set when the client is gone or the server ends: what waits for changes ends then.
    pub(crate) closing: CancellationToken,
    pub(crate) late: LateReply,
}

impl RequestCx {
    pub(crate) fn era(&self) -> Era {
        self.revision.map_or(Era::Legacy, Revision::era)
    }

    pub(crate) fn is_modern(&self) -> bool {
        self.era() == Era::Modern
    }

    /// Settles the revision of the request, and rejects one that lacks what its revision asks for.
    pub(crate) fn settle_revision(&mut self, method: &str) -> Result<(), ErrorData> {
        let asked = self.meta.revision.as_deref();
        if method == "initialize" {
            self.revision = asked.and_then(Revision::parse);
            return Ok(());
        }
        if let Some(asked) = asked {
            let Some(known) = Revision::parse(asked) else {
                return Err(wire::unsupported_revision(asked));
            };
            self.revision = Some(known);
        }
        let is_modern = asked.is_some() && self.is_modern();
        let is_new =
            matches!(method, "server/discover" | "tasks/get" | "tasks/update" | "tasks/cancel");
        if !is_modern && !is_new {
            return Ok(());
        }
        self.revision = Some(Revision::V2026_07_28);
        match &self.meta.missing_keys()[..] {
            [] => Ok(()),
            missing => Err(wire::missing_meta(missing)),
        }
    }

    /// What the client can be asked for.
    pub(crate) fn capabilities(&self) -> ClientCapabilities {
        let own = || self.meta.capabilities.as_deref().cloned();
        let capabilities = match (self.era(), &self.peer) {
            (Era::Modern, _) => own(),
            (Era::Legacy, Some(peer)) => peer.agreed().map(|agreed| (*agreed.capabilities).clone()),
            (Era::Legacy, None) => None,
        };
        capabilities.unwrap_or_default()
    }

    /// For readers of the audit log; nothing is collected where it is off.
    pub(crate) fn trail(&self) -> Trail {
        if !self.shared.runtime.audit().is_on() {
            return Trail::by(self.transport);
        }
        let trace = self.meta.traceparent.as_deref().and_then(trace_id);
        Trail {
            request: Some(self.id.to_string().into()),
            trace: trace.map(Into::into),
            ..Trail::by(self.transport)
        }
    }

    /// Answers at the deadline of a call whose script does not let go of the request's own task.
    pub(crate) fn give_up(&self) -> GivenUp {
        let (late, id, shared) =
            (Arc::clone(&self.late), self.id.clone(), Arc::clone(&self.shared));
        let era = self.era();
        Arc::new(move |error| {
            let reply = match wire::failure(&error, era, shared.errors) {
                Ok(mut result) => {
                    if era == Era::Modern {
                        wire::add_meta(&mut result, shared.meta.clone());
                    }
                    Reply::call(&id, &result)
                }
                Err(error) => Reply::error(&id, &error),
            };
            late(reply);
        })
    }
}
