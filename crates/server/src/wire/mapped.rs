//! Codes of their own for what goes wrong with a tool, for clients that want them.

use rmcp::ErrorData;
use rmcp::model::ErrorCode;
use runtime::CallError;
use serde_json::json;

const NOT_FOUND: ErrorCode = ErrorCode(-32000);
const FAILED: ErrorCode = ErrorCode(-32001);
const BAD_PARAMS: ErrorCode = ErrorCode(-32002);

pub(super) fn mapped(error: CallError) -> ErrorData {
    let sentence = error.to_string();
    let (code, data) = match error {
        CallError::Unknown { name, available } => {
            let data = json!({"type": "not-found", "tool": name, "available": available});
            (NOT_FOUND, data)
        }
        CallError::Ambiguous { name, paths } => {
            let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
            let data = json!({"type": "not-found", "tool": name, "available": paths});
            (NOT_FOUND, data)
        }
        CallError::Missing { available, .. } => (
            NOT_FOUND,
            json!({"type": "not-found", "available": available}),
        ),
        CallError::Rejected {
            tool,
            rejected,
            signature,
        } => {
            let mut data = json!({
                "type": "validation-error",
                "tool": tool,
                "validation-errors": rejected.by_field(),
            });
            if let Some(signature) = signature {
                data["signature"] = signature.into();
            }
            (BAD_PARAMS, data)
        }
        CallError::Failed { tool, .. }
        | CallError::Stopped { tool, .. }
        | CallError::Asks { tool } => {
            let tool = tool.to_string();
            let data = json!({"type": "runtime-error", "tool": tool, "cause": sentence});
            (FAILED, data)
        }
        CallError::NotReadOnly { tool } => {
            let tool = tool.to_string();
            (FAILED, json!({"type": "permission-error", "tool": tool}))
        }
        CallError::Scope { tool, scope } => {
            let tool = tool.to_string();
            (
                FAILED,
                json!({"type": "permission-error", "tool": tool, "scope": scope}),
            )
        }
        CallError::Limited(limited) => (
            FAILED,
            json!({"type": "rate-limit", "limit": limited.limit, "retry-after": limited.retry_after_seconds()}),
        ),
        CallError::Denied(_) => (
            FAILED,
            json!({"type": "permission-error", "cause": sentence}),
        ),
        CallError::Unaudited | CallError::Unrecorded | CallError::Busy { .. } => {
            (FAILED, json!({"type": "runtime-error", "cause": sentence}))
        }
    };
    ErrorData::new(code, sentence, Some(data))
}
