//! What a client wants to be told of: log messages, changed lists, updated resources.

#![expect(
    deprecated,
    reason = "the protocol keeps logging until 2027 at least, and clients use it"
)]

use crate::context::RequestCx;
use crate::dispatch::empty;
use crate::notifications::{self, Viewer, Watcher};
use crate::peer::{ClientPeer, MOST_SUBSCRIPTIONS};
use crate::reply::Reply;
use crate::rpc::Params;
use crate::wire;
use rmcp::ErrorData;
use rmcp::model::{LoggingLevel, SubscriptionFilter, SubscriptionsListenResult};
use std::sync::Arc;

pub(crate) fn set_level(mut params: Box<Params>, cx: &RequestCx) -> Result<Reply, ErrorData> {
    let form = "one of debug, info, notice, warning, error, critical, alert, emergency";
    let level: LoggingLevel = params.take("logging/setLevel", "level", form)?;
    if let Some(peer) = &cx.peer {
        peer.set_level(wire::from_level(level));
    }
    Ok(empty(cx))
}

pub(crate) fn subscribe(mut params: Box<Params>, cx: &RequestCx) -> Result<Reply, ErrorData> {
    let method = "resources/subscribe";
    let uri = params.take_string(method, "uri")?;
    let peer = peer_of(method, cx)?;
    if !peer.subscribe(uri) {
        let why = format!("a client may subscribe to {MOST_SUBSCRIPTIONS} resources");
        return Err(ErrorData::invalid_params(why, None));
    }
    if peer.begin_updating() {
        notifications::spawn_updates(&cx.shared, peer);
    }
    Ok(empty(cx))
}

pub(crate) fn unsubscribe(mut params: Box<Params>, cx: &RequestCx) -> Result<Reply, ErrorData> {
    let method = "resources/unsubscribe";
    let uri = params.take_string(method, "uri")?;
    peer_of(method, cx)?.unsubscribe(&uri);
    Ok(empty(cx))
}

/// A request that stands alone has no stream on which updates could arrive.
fn peer_of<'c>(method: &str, cx: &'c RequestCx) -> Result<&'c Arc<ClientPeer>, ErrorData> {
    cx.peer.as_ref().ok_or_else(|| {
        let why = format!("{method} needs a session: begin with `initialize`");
        ErrorData::invalid_request(why, None)
    })
}

/// Ends when the client cancels it, or the server ends.
pub(crate) async fn listen(mut params: Box<Params>, cx: &RequestCx) -> Result<Reply, ErrorData> {
    let method = "subscriptions/listen";
    let form = "an object such as {\"toolsListChanged\": true, \"resourceSubscriptions\": [\"file:///a\"]}";
    let asked: SubscriptionFilter = params.take(method, "notifications", form)?;
    let Some(sink) = &cx.sink else {
        let why = format!("{method} is answered by events: accept text/event-stream");
        return Err(ErrorData::invalid_request(why, None));
    };
    // Everything that can be asked for is sent; a URI that no module serves may be served later.
    let all = asked.clone();
    let accepted = asked.intersection(&all);
    // Made before the client hears of it: what changes meanwhile is not missed.
    let watcher = Watcher::new(Viewer::new(&cx.shared.runtime, cx.caller.clone()));
    notifications::listen(watcher, accepted, Arc::clone(sink), cx).await;
    let mut result = SubscriptionsListenResult::complete(cx.id.clone());
    result.meta.set_server_info(wire::implementation());
    Ok(Reply::new(&cx.id, cx.era(), result))
}
