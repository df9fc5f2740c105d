//! The response to a request, as it is sent, and how the request ended.

use bytes::Bytes;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, RequestId, ServerResult};
use runtime::{Limited, RequestError, RequestErrorKind};
use serde::Serialize;
use std::io::Write;

use crate::wire::Era;

/// A whole JSON-RPC response.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) message: Bytes,
    pub(crate) end: ReplyEnd,
    /// The rate limit that its request has hit, for transports that have a status for that.
    pub(crate) limited: Option<Box<Limited>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReplyEnd {
    Ok,
    /// The result of a tool that failed.
    ToolError,
    /// The client has questions to answer, and sends the request again.
    Asks,
    Error(i32),
}

#[derive(Serialize)]
struct ResultResponse<'a, R> {
    jsonrpc: &'static str,
    id: &'a RequestId,
    result: &'a R,
}

#[derive(Serialize)]
struct ErrorResponse<'a> {
    jsonrpc: &'static str,
    id: &'a RequestId,
    error: &'a ErrorData,
}

impl Reply {
    pub(crate) fn new(id: &RequestId, era: Era, result: impl Into<ServerResult>) -> Self {
        let mut result = result.into();
        match era {
            Era::Modern => result.fill_missing_cache_hints(),
            Era::Legacy => result.strip_result_type_for_legacy_peer(),
        }
        Self::serialize(id, &result, ReplyEnd::Ok)
    }

    pub(crate) fn asks(id: &RequestId, questions: &impl Serialize) -> Self {
        Self::serialize(id, questions, ReplyEnd::Asks)
    }

    pub(crate) fn call(id: &RequestId, result: &CallToolResult) -> Self {
        let end = match result.is_error {
            Some(true) => ReplyEnd::ToolError,
            _ => ReplyEnd::Ok,
        };
        Self::serialize(id, result, end)
    }

    /// A result that was serialized before.
    pub(crate) fn serialized(id: &RequestId, result: &[u8]) -> Self {
        let mut message = Vec::with_capacity(result.len() + 64);
        message.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        // Writing to memory does not fail.
        let _ = serde_json::to_writer(&mut message, id);
        message.extend_from_slice(br#","result":"#);
        message.extend_from_slice(result);
        let _ = message.write_all(b"}");
        Self::with_end(message, ReplyEnd::Ok)
    }

    pub(crate) fn error(id: &RequestId, error: &ErrorData) -> Self {
        let failure = ErrorResponse { jsonrpc: "2.0", id, error };
        let message = serde_json::to_vec(&failure).unwrap_or_default();
        Self::with_end(message, ReplyEnd::Error(error.code.0))
    }

    /// Notes whether a rate limit is why the request failed.
    pub(crate) fn failed_of(mut self, error: &RequestError) -> Self {
        if let RequestErrorKind::Limited(limited) = &error.kind {
            self.limited = Some(Box::new(limited.clone()));
        }
        self
    }

    fn with_end(message: Vec<u8>, end: ReplyEnd) -> Self {
        Self { message: message.into(), end, limited: None }
    }

    fn serialize(id: &RequestId, result: &impl Serialize, end: ReplyEnd) -> Self {
        let response = ResultResponse { jsonrpc: "2.0", id, result };
        match serde_json::to_vec(&response) {
            Ok(message) => Self::with_end(message, end),
            Err(error) => {
                let why = format!("the result cannot be written as JSON: {error}");
                Self::error(id, &ErrorData::internal_error(why, None))
            }
        }
    }
}
