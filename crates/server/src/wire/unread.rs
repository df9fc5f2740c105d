//! Why nothing was read, in MCP's words. There is no `isError` here: everything is a JSON-RPC error.

use super::Era;
use rmcp::ErrorData;
use rmcp::model::ErrorCode;
use runtime::{Limited, ReadError};
use serde_json::{Value, json};

const LIMITED: i32 = 1001;

/// How many names a client is told of.
const MOST: usize = 20;

pub(crate) fn unread(error: ReadError, era: Era) -> ErrorData {
    let sentence = error.to_string();
    let refused = |sentence: String, data: Value| {
        let data = (!data.is_null()).then_some(data);
        ErrorData::new(ErrorCode::INVALID_PARAMS, sentence, data)
    };
    match error {
        ReadError::UnknownResource { uri, available } => {
            let code = match era {
                Era::Legacy => ErrorCode::RESOURCE_NOT_FOUND,
                Era::Modern => ErrorCode::INVALID_PARAMS,
            };
            let data = json!({"uri": uri, "available": first(available)});
            ErrorData::new(code, sentence, Some(data))
        }
        ReadError::UnknownPrompt { available, .. }
        | ReadError::UnknownArgument { available, .. } => {
            refused(sentence, json!({"available": first(available)}))
        }
        ReadError::AmbiguousPrompt { paths, .. } => {
            let paths = paths.iter().map(ToString::to_string).collect();
            refused(sentence, json!({"available": first(paths)}))
        }
        ReadError::Rejected { of, .. } => refused(format!("{of}: {sentence}"), Value::Null),
        ReadError::Scope { scope, .. } => refused(sentence, json!({"scope": scope})),
        ReadError::Limited(one) => limited(&one),
        ReadError::Failed { .. }
        | ReadError::Stopped { .. }
        | ReadError::Unaudited
        | ReadError::Unrecorded
        | ReadError::Asks { .. }
        | ReadError::Busy { .. } => ErrorData::internal_error(sentence, None),
    }
}

/// Who comes too often; the protocol has no code for that, and its own ones are not for others.
pub(crate) fn limited(limited: &Limited) -> ErrorData {
    let data = json!({"limit": limited.limit, "retryAfter": limited.retry_after_seconds()});
    ErrorData::new(ErrorCode(LIMITED), limited.to_string(), Some(data))
}

fn first(mut names: Vec<String>) -> Vec<String> {
    names.truncate(MOST);
    names
}
