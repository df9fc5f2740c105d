//! Calls of tools.

use crate::asking::{Desk, Matter};
use crate::context::RequestCx;
use crate::notifier::RequestNotifier;
use crate::reply::Reply;
use crate::rpc::Params;
use crate::tasks;
use crate::wire::{self, Era};
use model::Args;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, InputResponses};
use runtime::{Call, RequestError, Shape};
use serde_json::Value;
use settings::Errors;

const METHOD: &str = "tools/call";

/// What a call brings.
pub(crate) struct ToolCall {
    pub(crate) name: String,
    pub(crate) args: Option<Args>,
    pub(crate) responses: Option<InputResponses>,
    pub(crate) state: Option<String>,
}

impl ToolCall {
    fn read(mut params: Box<Params>) -> Result<Self, ErrorData> {
        let responses = params.take_object(METHOD, "inputResponses")?;
        Ok(Self {
            name: params.take_string(METHOD, "name")?,
            args: params.take_object(METHOD, "arguments")?,
            responses: responses.map(|all| all.into_iter().collect()),
            state: params.take_optional_string(METHOD, "requestState")?,
        })
    }

    /// The part that questions of the call are bound to.
    pub(crate) fn matter(&mut self) -> Matter<'_> {
        Matter {
            method: METHOD,
            name: &self.name,
            args: self.args.as_ref(),
            responses: self.responses.take(),
            state: self.state.take(),
        }
    }
}

pub(crate) async fn call(params: Box<Params>, cx: &RequestCx) -> Result<Reply, ErrorData> {
    let mut call = ToolCall::read(params)?;
    if tasks::becomes_task(&call, cx)? {
        return Box::pin(tasks::call(call, cx)).await;
    }
    let desk = Desk::open(cx, call.matter())?;
    let notifier = RequestNotifier::new(cx);
    let is_mapped = cx.shared.errors == Errors::Mapped;
    let sent = call.args.as_ref().filter(|_| is_mapped);
    let sent = sent.map(|args| match (call.name.as_str(), args.get("params")) {
        ("call" | "call_readonly", Some(Value::Object(params))) => params.clone(),
        _ => args.clone(),
    });
    let call = Call {
        progress: notifier.progress(),
        lines: notifier.lines(),
        given_up: Some(cx.give_up()),
        asker: Some(desk.asker()),
        caller: cx.caller.clone(),
        cancel: cx.cancel.clone(),
        shape: Shape::Declared,
        trail: cx.trail(),
        ..Call::new(call.name, call.args.unwrap_or_default())
    };
    let answer = Box::pin(cx.shared.runtime.call(call)).await;
    notifier.end();
    let is_cached = answer.as_ref().is_ok_and(|output| output.cached);
    match answer {
        Ok(output) => Ok(reply(wire::result(output, cx.era()), is_cached, cx)),
        Err(error) if error.is_question() => desk.questions(cx),
        Err(error) => Ok(failure(&error, sent, cx)),
    }
}

/// The reply to a call that has no result.
pub(crate) fn failure(error: &RequestError, sent: Option<Args>, cx: &RequestCx) -> Reply {
    let reply = match wire::failure(error, cx.era(), cx.shared.errors) {
        Ok(result) => reply(result, false, cx),
        Err(rejection) => Reply::error(&cx.id, &with_arguments(rejection, sent)),
    };
    reply.failed_of(error)
}

/// Under `errors = "mapped"`, rejected arguments come back with the error.
fn with_arguments(mut error: ErrorData, sent: Option<Args>) -> ErrorData {
    if let Some(data) = &mut error.data
        && data["type"] == "validation-error"
    {
        data["arguments"] = sent.unwrap_or_default().into();
    }
    error
}

pub(crate) fn reply(mut result: CallToolResult, is_cached: bool, cx: &RequestCx) -> Reply {
    if cx.era() == Era::Modern {
        wire::add_meta(&mut result, wire::meta(&cx.shared.meta, is_cached));
    }
    Reply::call(&cx.id, &result)
}
