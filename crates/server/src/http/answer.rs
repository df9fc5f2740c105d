//! Answers that are given here, before MCP is spoken.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use std::convert::Infallible;

pub(crate) type Answer = Response<BoxBody<Bytes, Infallible>>;

pub(crate) fn text(status: StatusCode, kind: &'static str, text: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Full::new(text.into()).boxed());
    *answer.status_mut() = status;
    let kind = HeaderValue::from_static(kind);
    answer.headers_mut().insert(CONTENT_TYPE, kind);
    answer
}

pub(crate) fn json(status: StatusCode, value: &Value) -> Answer {
    text(status, "application/json", value.to_string())
}

pub(crate) fn empty(status: StatusCode) -> Answer {
    let mut answer = Response::new(Full::default().boxed());
    *answer.status_mut() = status;
    answer
}

/// What is wrong with a request as such: nobody has looked for a message in it yet.
pub(crate) fn refused(status: StatusCode, why: &str) -> Answer {
    json(status, &json!({"error": why}))
}

/// What is wrong with a message, in JSON-RPC's words.
pub(crate) fn rpc_error(status: StatusCode, id: &Value, code: i32, message: &str) -> Answer {
    let error = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
    json(status, &error)
}
