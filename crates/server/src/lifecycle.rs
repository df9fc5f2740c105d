//! How a client and the server learn of each other: `initialize`, `server/discover`, and the end of both.

use crate::context::RequestCx;
use crate::lists::{LIST_TTL_MS, cache_scope};
use crate::notifications;
use crate::peer::ClientPeer;
use crate::reply::Reply;
use crate::revision::Revision;
use crate::rpc::{ClientNotification, Params};
use crate::shared::Shared;
use crate::wire;
use rmcp::ErrorData;
use rmcp::model::{
    ClientCapabilities, DiscoverResult, Implementation, InitializeResult, RequestId,
    ServerCapabilities, TASKS_EXTENSION_ID,
};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

const METHOD: &str = "initialize";

pub(crate) fn initialize(mut params: Box<Params>, cx: &RequestCx) -> Result<Reply, ErrorData> {
    let asked = params.take_string(METHOD, "protocolVersion")?;
    let form = "an object of capabilities";
    let capabilities: ClientCapabilities = params.take(METHOD, "capabilities", form)?;
    let form = "an object with `name` and `version`";
    let _client: Implementation = params.take(METHOD, "clientInfo", form)?;
    let revision = Revision::agree(&asked);
    if let Some(peer) = &cx.peer {
        peer.agree(revision, capabilities);
    }
    let mut result = introduction(cx);
    result.protocol_version = revision.wire();
    // Tasks exist from revision 2026-07-28 on.
    result.capabilities.extensions = None;
    Ok(Reply::new(&cx.id, cx.era(), result))
}

pub(crate) fn discover(cx: &RequestCx) -> Reply {
    let introduction = introduction(cx);
    let mut result = DiscoverResult::from_server_info(Revision::all_wire(), introduction);
    result.ttl_ms = LIST_TTL_MS;
    result.cache_scope = cache_scope(&cx.caller);
    Reply::new(&cx.id, cx.era(), result)
}

/// What this caller is told of the server before it sees a tool.
fn introduction(cx: &RequestCx) -> InitializeResult {
    let mut info = InitializeResult::new(capabilities());
    let catalog = cx.shared.runtime.view(&cx.caller);
    let project = catalog.rules.server.name.as_deref();
    info.server_info = wire::titled_implementation(project);
    info.instructions = Some(catalog.instructions());
    info
}

fn capabilities() -> ServerCapabilities {
    let all = json!({
        "completions": {},
        "extensions": {TASKS_EXTENSION_ID: {}},
        "logging": {},
        "prompts": {"listChanged": true},
        "resources": {"listChanged": true, "subscribe": true},
        "tools": {"listChanged": true},
    });
    serde_json::from_value(all).unwrap_or_default()
}

/// Acts on a notification of a client; others are of no use here.
pub(crate) fn receive_notification(
    notification: ClientNotification,
    shared: &Arc<Shared>,
    peer: &Arc<ClientPeer>,
) {
    let ClientNotification { method, params } = notification;
    match method.as_str() {
        "notifications/initialized" if peer.begin_notifying() => {
            notifications::spawn_list_changes(shared, peer);
        }
        "notifications/cancelled" => {
            let id = params.member("requestId");
            if let Some(Ok(id)) = id.map(RequestId::deserialize) {
                peer.in_flight.cancel(&id);
            }
        }
        _ => {}
    }
}
