//! Requests about resources, prompts and completions.

use crate::asking::{Desk, Matter};
use crate::context::RequestCx;
use crate::notifier::RequestNotifier;
use crate::reply::Reply;
use crate::rpc::Params;
use crate::wire;
use rmcp::ErrorData;
use rmcp::model::{
    ArgumentInfo, CacheScope, CompleteResult, CompletionContext, ReadResourceResult,
};
use runtime::{Asking, RequestError};
use serde_json::Value;
use std::collections::BTreeMap;

/// What a request led to.
enum ReadOutcome<T> {
    Whole(T),
    /// It has failed, or comes again with the answers to questions.
    Ended(Reply),
}

pub(crate) async fn read_resource(
    mut params: Box<Params>,
    cx: &RequestCx,
) -> Result<Reply, ErrorData> {
    let method = "resources/read";
    let uri = params.take_string(method, "uri")?;
    let responses = params.take_object(method, "inputResponses")?;
    let matter = Matter {
        method,
        name: &uri,
        args: None,
        responses: responses.map(|all| all.into_iter().collect()),
        state: params.take_optional_string(method, "requestState")?,
    };
    let read = async |asking| cx.shared.runtime.read(&uri, asking).await;
    let contents = match ask(cx, matter, read).await? {
        ReadOutcome::Whole(contents) => contents,
        ReadOutcome::Ended(reply) => return Ok(reply),
    };
    let contents = contents.into_iter().map(wire::contents).collect();
    let mut result = ReadResourceResult::new(contents);
    if cx.is_modern() {
        result.meta = Some(cx.shared.meta.clone());
        // Only its module knows when a document changes, and it need not be for everyone.
        result.ttl_ms = Some(0);
        result.cache_scope = Some(CacheScope::Private);
    }
    Ok(Reply::new(&cx.id, cx.era(), rmcp::model::ServerResult::ReadResourceResult(result)))
}

pub(crate) async fn get_prompt(
    mut params: Box<Params>,
    cx: &RequestCx,
) -> Result<Reply, ErrorData> {
    let method = "prompts/get";
    let name = params.take_string(method, "name")?;
    let args = params.take_object(method, "arguments")?.unwrap_or_default();
    let responses = params.take_object(method, "inputResponses")?;
    let given = args.clone();
    let matter = Matter {
        method,
        name: &name,
        args: Some(&given),
        responses: responses.map(|all| all.into_iter().collect()),
        state: params.take_optional_string(method, "requestState")?,
    };
    let get = async |asking| cx.shared.runtime.prompt(&name, args, asking).await;
    let mut result = match ask(cx, matter, get).await? {
        ReadOutcome::Whole(conversation) => wire::conversation(conversation),
        ReadOutcome::Ended(reply) => return Ok(reply),
    };
    if cx.is_modern() {
        result.meta = Some(cx.shared.meta.clone());
    }
    Ok(Reply::new(&cx.id, cx.era(), rmcp::model::ServerResult::GetPromptResult(result)))
}

pub(crate) async fn complete(mut params: Box<Params>, cx: &RequestCx) -> Result<Reply, ErrorData> {
    let method = "completion/complete";
    let form =
        "{\"type\": \"ref/prompt\", \"name\": …} or {\"type\": \"ref/resource\", \"uri\": …}";
    let reference = wire::reference(params.take(method, "ref", form)?)?;
    let form = "{\"name\": …, \"value\": …}";
    let typed: ArgumentInfo = params.take(method, "argument", form)?;
    let context = params.take_object(method, "context")?;
    let form = "{\"arguments\": {…}}";
    let context: Option<CompletionContext> = context
        .map(|context| serde_json::from_value(Value::Object(context)))
        .transpose()
        .map_err(|_| {
            let why = format!("`context` of {method} must be {form}");
            ErrorData::invalid_params(why, None)
        })?;
    let given = context.and_then(|context| context.arguments);
    let given = given.into_iter().flatten();
    let given: BTreeMap<String, Value> = given.map(|(name, text)| (name, text.into())).collect();
    let asking = Asking {
        cancel: cx.cancel.clone(),
        caller: cx.caller.clone(),
        trail: cx.trail(),
        ..Asking::default()
    };
    let given = given.into_iter().collect();
    let runtime = &cx.shared.runtime;
    let found = runtime.complete(&reference, &typed.name, &typed.value, given, asking);
    let completion = match found.await {
        Ok(completion) => completion,
        Err(error) => return Ok(failure(&error, cx)),
    };
    let mut result = CompleteResult::new(wire::completion(completion));
    if cx.is_modern() {
        result.meta = Some(cx.shared.meta.clone());
    }
    Ok(Reply::new(&cx.id, cx.era(), result))
}

/// Asks the runtime; notifications and questions go out before the response.
async fn ask<T>(
    cx: &RequestCx,
    matter: Matter<'_>,
    ask: impl AsyncFnOnce(Asking) -> Result<T, RequestError>,
) -> Result<ReadOutcome<T>, ErrorData> {
    let desk = Desk::open(cx, matter)?;
    let notifier = RequestNotifier::new(cx);
    let asking = Asking {
        progress: notifier.progress(),
        lines: notifier.lines(),
        asker: Some(desk.asker()),
        cancel: cx.cancel.clone(),
        caller: cx.caller.clone(),
        trail: cx.trail(),
    };
    let answer = ask(asking).await;
    notifier.end();
    match answer {
        Ok(whole) => Ok(ReadOutcome::Whole(whole)),
        Err(error) if error.is_question() => desk.questions(cx).map(ReadOutcome::Ended),
        Err(error) => Ok(ReadOutcome::Ended(failure(&error, cx))),
    }
}

/// The reply to a request that has no result.
fn failure(error: &RequestError, cx: &RequestCx) -> Reply {
    let why = wire::unread(error, cx.era(), cx.shared.errors);
    Reply::error(&cx.id, &why).failed_of(error)
}
