//! Where messages of the server go: to the stream of one request, or to the client of a session.

use bytes::Bytes;
use serde::Serialize;
use serde_json::json;

/// A stream to a client. Sending never waits.
pub(crate) trait MessageSink: Send + Sync {
    /// Sends a message that must arrive, while the client is there.
    fn send(&self, message: Bytes);

    /// Sends a message that may be dropped where the client reads too slowly.
    fn send_or_drop(&self, message: Bytes);
}

#[derive(Serialize)]
struct Notification<'a, P> {
    jsonrpc: &'static str,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<P>,
}

pub(crate) fn notification(method: &str, params: Option<impl Serialize>) -> Bytes {
    let notification = Notification { jsonrpc: "2.0", method, params };
    serde_json::to_vec(&notification).unwrap_or_default().into()
}

pub(crate) fn request(id: i64, request: &impl Serialize) -> Bytes {
    let mut message = json!(request);
    message["jsonrpc"] = "2.0".into();
    message["id"] = id.into();
    message.to_string().into()
}
