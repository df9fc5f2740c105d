//! The short road of what comes most often: a call of the modern era that stands alone, with headers that
//! agree with it and nothing to stream. rmcp would start a service for each of them, and read it twice
//! more; whatever is less plain goes by rmcp, which knows what to say about it.

use super::answer::{Answer, rpc_error, text};
use super::message::{Asked, METHOD, NAME, VERSION};
use crate::handler::Handler;
use crate::shared::Shared;
use crate::trace::Traced;
use crate::wire::Era;
use http::StatusCode;
use http::header::{HeaderMap, HeaderName};
use http::request::Parts;
use model::Caller;
use rmcp::model::{
    ClientRequest, ErrorCode, GetMeta, JsonObject, JsonRpcMessage, ProtocolVersion, RequestId,
    RequestMetaObject, ServerJsonRpcMessage,
};
use rmcp::service::{
    RequestContext, RunningService, RxJsonRpcMessage, Service, TxJsonRpcMessage, serve_directly,
};
use rmcp::transport::Transport;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use std::io;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

/// Where a schema asks for an argument in a header of its own.
const HEADED: &str = "x-mcp-header";

pub(crate) struct Shortcut {
    shared: Arc<Shared>,
    /// Never hears a request, but gives those that come here somebody to belong to.
    service: Arc<RunningService<RoleServer, Traced>>,
    hung_up: CancellationToken,
}

/// A call that may go this way.
pub(crate) struct Call {
    id: RequestId,
    request: ClientRequest,
    meta: RequestMetaObject,
}

impl Shortcut {
    pub(crate) fn new(shared: &Arc<Shared>, hung_up: CancellationToken) -> Self {
        let handler = Traced(Handler::of_network(Arc::clone(shared), Caller::default()));
        Self {
            shared: Arc::clone(shared),
            service: Arc::new(serve_directly(handler, Nowhere, None)),
            hung_up,
        }
    }

    /// The call, if there is nothing about it that rmcp would have to judge.
    pub(crate) fn fits(
        &self,
        asked: &Asked<'_>,
        headers: &HeaderMap,
        caller: &Caller,
    ) -> Option<Call> {
        let modern = ProtocolVersion::V_2026_07_28;
        let says =
            |name: &HeaderName, text: &str| headers.get(name).is_some_and(|value| value == text);
        if !says(&VERSION, modern.as_str()) || !says(&METHOD, "tools/call") {
            return None;
        }
        let JsonRpcMessage::Request(request) = asked.call()? else {
            return None;
        };
        let (id, mut request) = (request.id, request.request);
        let ClientRequest::CallToolRequest(call) = &request else {
            return None;
        };
        let name = &*call.params.name;
        // A header that begins like this stands for something else.
        let is_named = says(&NAME, name) && !name.starts_with("=?");
        if !is_named || !self.takes_no_headers(name, caller) {
            return None;
        }
        let meta = std::mem::take(request.get_meta_mut());
        let is_whole = meta.protocol_version().as_ref() == Some(&modern)
            && meta.missing_required_keys(&modern).is_empty();
        let may_stream = meta.get_progress_token().is_some() || meta.log_level().is_some();
        (is_whole && !may_stream).then_some(Call { id, request, meta })
    }

    fn takes_no_headers(&self, name: &str, caller: &Caller) -> bool {
        let tools = self.shared.tools(Era::Modern, caller);
        let found = tools.binary_search_by(|tool| tool.name.as_ref().cmp(name));
        let tool = found.ok().and_then(|index| tools.get(index));
        tool.is_some_and(|tool| !is_headed(&tool.input_schema))
    }

    /// Answers it in a task of its own: a script that holds up a thread must not hold up this one.
    pub(crate) async fn answer(&self, call: Call, parts: Parts) -> Answer {
        let Call { id, request, meta } = call;
        let mut context = RequestContext::new(id.clone(), self.service.peer().clone());
        context.ct = self.hung_up.child_token();
        context.meta = meta;
        context.extensions.insert(parts);
        // A client that hangs up takes its call back.
        let _taken_back = context.ct.clone().drop_guard();
        let service = Arc::clone(&self.service);
        let work = async move { service.service().handle_request(request, context).await };
        let message = match tokio::spawn(work.in_current_span()).await {
            Ok(Ok(result)) => ServerJsonRpcMessage::response(result, id),
            Ok(Err(error)) => ServerJsonRpcMessage::error(error, Some(id)),
            Err(_) => {
                let why = ErrorData::internal_error("the call ended without an answer", None);
                ServerJsonRpcMessage::error(why, Some(id))
            }
        };
        written(&message)
    }
}

fn written(message: &ServerJsonRpcMessage) -> Answer {
    let status = match message {
        JsonRpcMessage::Error(error) => status(error.error.code),
        _ => StatusCode::OK,
    };
    match serde_json::to_vec(message) {
        Ok(body) => text(status, "application/json", body),
        Err(error) => {
            let why = error.to_string();
            rpc_error(
                StatusCode::OK,
                &Value::Null,
                ErrorCode::INTERNAL_ERROR.0,
                &why,
            )
        }
    }
}

/// As rmcp has it for requests that stand alone.
fn status(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
        | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY
        | ErrorCode::HEADER_MISMATCH => StatusCode::BAD_REQUEST,
        ErrorCode::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}

fn is_headed(schema: &JsonObject) -> bool {
    fn within(value: &Value) -> bool {
        match value {
            Value::Object(map) => is_headed(map),
            Value::Array(items) => items.iter().any(within),
            _ => false,
        }
    }
    schema.contains_key(HEADED) || schema.values().any(within)
}

/// Nobody is at the other end.
struct Nowhere;

impl Transport<RoleServer> for Nowhere {
    type Error = io::Error;

    fn send(
        &mut self,
        _item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        std::future::ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        std::future::pending().await
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}
