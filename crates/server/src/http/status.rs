//! HTTP statuses of JSON-RPC responses.

use super::response::{self, JSON, ServerResponse, rpc_error};
use crate::reply::{Reply, ReplyEnd};
use crate::rpc::Request;
use crate::wire;
use http::StatusCode;
use http::header::{HeaderValue, RETRY_AFTER};
use rmcp::model::{ErrorCode, RequestId};
use runtime::Limited;
use settings::Errors;

/// What decides the status of the response to one request.
#[derive(Clone, Copy)]
pub(super) struct Rule {
    errors: Errors,
    /// The request names its revision itself, so that its errors have statuses of their own.
    names_revision: bool,
    lacks_meta: bool,
}

impl Rule {
    pub(super) fn of(request: &Request, errors: Errors) -> Self {
        let meta = &request.params.meta;
        Self {
            errors,
            names_revision: meta.revision.is_some() || request.method == "server/discover",
            lacks_meta: !meta.missing_keys().is_empty(),
        }
    }

    pub(super) fn respond(self, id: &RequestId, reply: &Reply) -> ServerResponse {
        if let Some(limited) = &reply.limited {
            return too_many(id, limited);
        }
        response::text(self.status(reply.end), JSON, reply.message.clone())
    }

    fn status(self, end: ReplyEnd) -> StatusCode {
        let ReplyEnd::Error(code) = end else {
            return StatusCode::OK;
        };
        let own =
            if self.names_revision { self.own_status(ErrorCode(code)) } else { StatusCode::OK };
        match (own, self.errors) {
            (StatusCode::OK, Errors::Mapped) => mapped(code),
            (own, _) => own,
        }
    }

    fn own_status(self, code: ErrorCode) -> StatusCode {
        match code {
            ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
            | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY
            | ErrorCode::HEADER_MISMATCH => StatusCode::BAD_REQUEST,
            ErrorCode::INVALID_PARAMS if self.lacks_meta => StatusCode::BAD_REQUEST,
            ErrorCode::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
            _ => StatusCode::OK,
        }
    }
}

/// The response to a caller who comes too often.
pub(super) fn too_many(id: &RequestId, limited: &Limited) -> ServerResponse {
    let error = wire::limited(limited);
    let mut response = rpc_error(StatusCode::TOO_MANY_REQUESTS, Some(id), &error);
    let seconds = HeaderValue::from(limited.retry_after_seconds());
    response.headers_mut().insert(RETRY_AFTER, seconds);
    response
}

/// Status of an error code under `errors = "mapped"`.
fn mapped(code: i32) -> StatusCode {
    match code {
        -32700 | -32600 | -32602 | -32002 => StatusCode::BAD_REQUEST,
        -32601 | -32000 => StatusCode::NOT_FOUND,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
