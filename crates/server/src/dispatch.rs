//! Which function answers which method.

use crate::context::RequestCx;
use crate::lists::{self, List};
use crate::reply::Reply;
use crate::rpc::{Params, Request};
use crate::trace::RequestSpan;
use crate::{lifecycle, reading, subscriptions, tasks, tools};
use rmcp::ErrorData;
use rmcp::model::ErrorCode;
use tracing::Instrument;

/// Answers a request. No response is due to one that was cancelled.
pub(crate) async fn handle(request: Request, mut cx: RequestCx) -> Reply {
    let Request { id: _, method, params } = request;
    let settled = cx.settle_revision(&method);
    let span = RequestSpan::begin(&method, &params, &cx);
    let answer = async {
        settled?;
        respond(&method, params, &cx).await
    };
    let answer = answer.instrument(span.span()).await;
    let reply = answer.unwrap_or_else(|error| Reply::error(&cx.id, &error));
    span.end(&reply, cx.cancel.is_cancelled());
    reply
}

async fn respond(
    method: &str,
    mut params: Box<Params>,
    cx: &RequestCx,
) -> Result<Reply, ErrorData> {
    if !is_known(method, cx.is_modern()) {
        return Err(method_of_other_revisions(method, cx));
    }
    params.check()?;
    match method {
        "tools/call" => tools::call(params, cx).await,
        "tools/list" => lists::list(List::Tools, params, cx),
        "resources/list" => lists::list(List::Resources, params, cx),
        "resources/templates/list" => lists::list(List::Templates, params, cx),
        "prompts/list" => lists::list(List::Prompts, params, cx),
        "resources/read" => Box::pin(reading::read_resource(params, cx)).await,
        "prompts/get" => Box::pin(reading::get_prompt(params, cx)).await,
        "completion/complete" => Box::pin(reading::complete(params, cx)).await,
        "initialize" => lifecycle::initialize(params, cx),
        "server/discover" => Ok(lifecycle::discover(cx)),
        "ping" => Ok(empty(cx)),
        "logging/setLevel" => subscriptions::set_level(params, cx),
        "resources/subscribe" => subscriptions::subscribe(params, cx),
        "resources/unsubscribe" => subscriptions::unsubscribe(params, cx),
        "subscriptions/listen" => Box::pin(subscriptions::listen(params, cx)).await,
        "tasks/get" => Box::pin(tasks::get(params, cx)).await,
        "tasks/update" => Box::pin(tasks::update(params, cx)).await,
        "tasks/cancel" => Box::pin(tasks::cancel(params, cx)).await,
        _ => Err(unknown_method(method)),
    }
}

/// Whether the method exists in the request's revision.
fn is_known(method: &str, is_modern: bool) -> bool {
    match method {
        "initialize"
        | "ping"
        | "logging/setLevel"
        | "resources/subscribe"
        | "resources/unsubscribe" => !is_modern,
        "subscriptions/listen" => is_modern,
        _ => true,
    }
}

fn unknown_method(method: &str) -> ErrorData {
    let why = format!("there is no method {method}");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None)
}

fn method_of_other_revisions(method: &str, cx: &RequestCx) -> ErrorData {
    let Some(revision) = cx.revision else {
        return unknown_method(method);
    };
    let why = format!("revision {revision} has no method {method}");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None)
}

/// A result without members.
pub(crate) fn empty(cx: &RequestCx) -> Reply {
    Reply::new(&cx.id, cx.era(), rmcp::model::ServerResult::empty(()))
}
