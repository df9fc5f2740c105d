//! Errors of requests as MCP's results and JSON-RPC errors.

use super::{Era, result};
use compact::first_block;
use model::Output;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ErrorCode, MetaObject};
use runtime::{Limited, RequestError, RequestErrorKind as Kind, TargetKind};
use serde_json::{Value, json};
use settings::Errors;

const NOT_FOUND: ErrorCode = ErrorCode(-32000);
const FAILED: ErrorCode = ErrorCode(-32001);
const BAD_PARAMS: ErrorCode = ErrorCode(-32002);
const LIMITED: ErrorCode = ErrorCode(1001);

/// Names that a client is told of.
const MOST: usize = 20;

/// A failed call of a tool: what a model can correct is a result, what its client got wrong is an error.
pub(crate) fn failure(
    error: &RequestError,
    era: Era,
    errors: Errors,
) -> Result<CallToolResult, ErrorData> {
    if errors == Errors::Mapped {
        return Err(mapped(error));
    }
    let sentence = error.to_string();
    let sentence = match &error.kind {
        Kind::Unknown(_, available) | Kind::Ambiguous(_, available) => {
            let data = json!({"available": available});
            return Err(ErrorData::invalid_params(sentence, Some(data)));
        }
        Kind::Rejected { signature, .. } => {
            let signature = signature.as_ref().map(|signature| format!("\n{signature}"));
            let (target, signature) = (&error.target, signature.unwrap_or_default());
            format!("{target} was not called: {sentence}{signature}")
        }
        _ => first_block(sentence),
    };
    let mut result = result(Output::error(sentence), era);
    if let Some(raised) = raised(error) {
        let mut meta = MetaObject::new();
        meta.0.insert("larkspur/error".into(), raised);
        result.meta = Some(meta);
    }
    Ok(result)
}

/// Kind and data of a script's `error(…)`.
fn raised(error: &RequestError) -> Option<Value> {
    let raised = error.raised()?;
    Some(json!({"kind": raised.kind, "data": raised.data}))
}

/// Codes of their own for what goes wrong with a tool, for clients that want them.
fn mapped(error: &RequestError) -> ErrorData {
    let (sentence, target) = (error.to_string(), &error.target);
    let (code, data) = match &error.kind {
        Kind::Missing { available, .. } => {
            (NOT_FOUND, json!({"type": "not-found", "available": available}))
        }
        Kind::Unknown(_, available) | Kind::Ambiguous(_, available) => {
            (NOT_FOUND, json!({"type": "not-found", "tool": target, "available": available}))
        }
        Kind::Rejected { rejected, signature } => {
            let mut data = json!({
                "type": "validation-error",
                "tool": target,
                "validation-errors": rejected.by_field(),
            });
            if let Some(signature) = signature {
                data["signature"] = signature.as_str().into();
            }
            (BAD_PARAMS, data)
        }
        Kind::NotReadOnly => (FAILED, json!({"type": "permission-error", "tool": target})),
        Kind::Scope(scope) => {
            (FAILED, json!({"type": "permission-error", "tool": target, "scope": scope}))
        }
        Kind::Denied(_) => (FAILED, json!({"type": "permission-error", "cause": sentence})),
        Kind::Limited(limited) => (
            FAILED,
            json!({"type": "rate-limit", "limit": limited.limit, "retry-after": limited.retry_after_seconds()}),
        ),
        Kind::Unaudited | Kind::Unrecorded | Kind::Busy(_) => {
            (FAILED, json!({"type": "runtime-error", "cause": sentence}))
        }
        _ => (FAILED, failed(error)),
    };
    ErrorData::new(code, sentence, Some(data))
}

/// What a tool failed of: the kind and the members of its `error(…)`, which cannot take the place of ours.
fn failed(error: &RequestError) -> Value {
    let raised = error.raised();
    let members = raised.and_then(|raised| raised.data.as_object());
    let mut data = json!(members.cloned().unwrap_or_default());
    data["type"] = raised.map_or("runtime-error", |raised| &raised.kind).into();
    data["tool"] = error.target.as_str().into();
    data["cause"] = error.to_string().into();
    data
}

/// A failed read, prompt or completion: there is no `isError` here, everything is a JSON-RPC error.
pub(crate) fn unread(error: &RequestError, era: Era, errors: Errors) -> ErrorData {
    let (sentence, target) = (error.to_string(), &error.target);
    let data = match &error.kind {
        Kind::Unknown(TargetKind::Resource, available) => {
            let mut data = json!({"uri": target, "available": first(available)});
            let code = match (errors, era) {
                // -32002 is the code of rejected arguments there.
                (Errors::Mapped, _) => NOT_FOUND,
                (Errors::Mcp, Era::Legacy) => ErrorCode::RESOURCE_NOT_FOUND,
                (Errors::Mcp, Era::Modern) => ErrorCode::INVALID_PARAMS,
            };
            if errors == Errors::Mapped {
                data["type"] = "not-found".into();
            }
            return ErrorData::new(code, sentence, Some(data));
        }
        Kind::Unknown(_, available)
        | Kind::UnknownArgument { available, .. }
        | Kind::Ambiguous(_, available) => Some(json!({"available": first(available)})),
        Kind::Rejected { .. } => {
            return ErrorData::invalid_params(format!("{target}: {sentence}"), None);
        }
        Kind::Scope(scope) => Some(json!({"scope": scope})),
        Kind::Limited(one) => return limited(one),
        _ => return ErrorData::internal_error(sentence, raised(error)),
    };
    ErrorData::invalid_params(sentence, data)
}

/// The protocol has no code for a rate limit, and its own ones are not for others.
pub(crate) fn limited(limited: &Limited) -> ErrorData {
    let data = json!({"limit": limited.limit, "retryAfter": limited.retry_after_seconds()});
    ErrorData::new(LIMITED, limited.to_string(), Some(data))
}

fn first(names: &[String]) -> &[String] {
    &names[..names.len().min(MOST)]
}
