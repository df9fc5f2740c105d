//! Responses that hold no stream.

use axum::body::Body;
use bytes::Bytes;
use http::StatusCode;
use http::header::{CONTENT_TYPE, HeaderValue};
use rmcp::ErrorData;
use rmcp::model::RequestId;
use serde_json::{Value, json};

pub(crate) type ServerResponse = http::Response<Body>;

pub(crate) const JSON: &str = "application/json";

pub(crate) fn text(
    status: StatusCode,
    kind: &'static str,
    text: impl Into<Bytes>,
) -> ServerResponse {
    let mut response = ServerResponse::new(Body::from(text.into()));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static(kind);
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

pub(crate) fn json(status: StatusCode, value: &Value) -> ServerResponse {
    text(status, JSON, value.to_string())
}

pub(crate) fn empty(status: StatusCode) -> ServerResponse {
    let mut response = ServerResponse::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// What is wrong with a request as such, before a message was looked for in it.
pub(crate) fn refused(status: StatusCode, why: &str) -> ServerResponse {
    json(status, &json!({"error": why}))
}

/// What is wrong with a message, as JSON-RPC has it.
pub(crate) fn rpc_error(
    status: StatusCode,
    id: Option<&RequestId>,
    error: &ErrorData,
) -> ServerResponse {
    json(status, &json!({"jsonrpc": "2.0", "id": id, "error": error}))
}
