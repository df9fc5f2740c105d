//! Tasks in MCP's words.

use jiff::Timestamp;
use model::{Task, TaskStatus};
use rmcp::model::{
    CreateTaskResult, DetailedTask, InputRequests, JsonObject, Task as WireTask, TaskPayload,
    TaskStatus as WireStatus,
};
use serde_json::{Value, json};

/// How often a client should ask.
const POLL_MS: u64 = 500;

pub(crate) fn created(task: &Task) -> CreateTaskResult {
    CreateTaskResult::new(plain(task))
}

/// The task with what its status brings; `questions` are those that are open.
pub(crate) fn task(task: Task, questions: InputRequests) -> DetailedTask {
    let wire = plain(&task);
    let payload = match task.status {
        TaskStatus::Working => TaskPayload::Working,
        TaskStatus::Cancelled => TaskPayload::Cancelled,
        TaskStatus::InputRequired => TaskPayload::InputRequired { input_requests: questions },
        TaskStatus::Completed => {
            TaskPayload::Completed { result: object(task.body.outcome).unwrap_or_default() }
        }
        TaskStatus::Failed => TaskPayload::Failed {
            error: object(task.body.outcome)
                .unwrap_or_else(|| internal(task.body.message.as_deref())),
        },
    };
    DetailedTask::new(wire, payload)
}

fn plain(task: &Task) -> WireTask {
    let mut wire = WireTask::new(
        task.id.clone(),
        WireStatus::Working,
        time(task.created_ms),
        time(task.updated_ms),
    );
    wire.status_message.clone_from(&task.body.message);
    wire.ttl_ms = u64::try_from(task.expires_ms - task.created_ms).ok();
    wire.poll_interval_ms = Some(POLL_MS);
    wire
}

fn time(ms: i64) -> String {
    Timestamp::from_millisecond(ms).unwrap_or_default().to_string()
}

fn object(value: Option<Value>) -> Option<JsonObject> {
    match value {
        Some(Value::Object(map)) => Some(map),
        _ => None,
    }
}

fn internal(why: Option<&str>) -> JsonObject {
    let error = json!({"code": -32603, "message": why.unwrap_or("it failed")});
    object(Some(error)).unwrap_or_default()
}
