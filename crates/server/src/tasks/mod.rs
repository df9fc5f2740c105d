//! Calls that become tasks: one that takes long goes on while its client does something else, asks
//! how far it is, answers its questions or takes it back.

mod memo;
mod run;

use crate::asking::Desk;
use crate::context::RequestCx;
use crate::notifier::RequestNotifier;
use crate::reply::Reply;
use crate::rpc::{Params, missing};
use crate::tools::{self, ToolCall};
use crate::wire::{self, Era};
use memo::Memo;
use model::{Args, Output, Task, TaskBody, TaskStatus, TaskUse};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResponse, ErrorCode, GetTaskResult, InputResponses, ServerResult, TASKS_EXTENSION_ID,
};
use run::{Answer, Run};
use runtime::{Call, Shape, Words, Work};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A call that has ended by then is answered at once; one that asks by then asks by its result.
const SOON: Duration = Duration::from_millis(200);

/// Whether a call may become a task. A client that does not know tasks cannot call what must be one.
pub(crate) fn becomes_task(call: &ToolCall, cx: &RequestCx) -> Result<bool, ErrorData> {
    let catalog = cx.shared.runtime.view(&cx.caller);
    let task_use = catalog.task_use(&call.name, call.args.as_ref());
    if task_use == TaskUse::Never {
        return Ok(false);
    }
    let knows = cx.is_modern() && cx.capabilities().supports_tasks();
    if task_use == TaskUse::Required && !knows {
        return Err(needs_tasks());
    }
    Ok(knows)
}

fn needs_tasks() -> ErrorData {
    ErrorData::new(
        ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY,
        "the client has not declared the extension for tasks",
        Some(json!({"requiredCapabilities": {"extensions": {TASKS_EXTENSION_ID: {}}}})),
    )
}

pub(crate) async fn call(mut call: ToolCall, cx: &RequestCx) -> Result<Reply, ErrorData> {
    let tasks = cx.shared.runtime.tasks();
    let place = match tasks.place() {
        Ok(place) => place,
        Err(most) => return Ok(whole(too_many(most), cx)),
    };
    let desk = Desk::open(cx, call.matter())?;
    let notifier = RequestNotifier::new(cx);
    let cancel = CancellationToken::new();
    let args = call.args.unwrap_or_default();
    let tool = call.name;
    let call = Call {
        shape: Shape::Declared,
        progress: notifier.progress(),
        lines: notifier.lines(),
        asker: Some(desk.asker()),
        caller: cx.caller.clone(),
        cancel: cancel.clone(),
        long: true,
        trail: cx.trail(),
        ..Call::new(tool.clone(), args.clone())
    };
    let mut run = Run::begin(&cx.shared, call, desk, Words::default());
    // Until it is a task, the call belongs to its request.
    let unwanted = cancel.clone().drop_guard();
    let soon = tokio::time::timeout(SOON, wait(&mut run, cx, &cancel)).await;
    let answer = if let Ok(answer) = soon {
        answer
    } else {
        let body = body(tool, args, cx);
        let words = run.words.clone();
        let added = tasks.add(&cx.caller.name, body, place, cancel.clone(), words);
        match added.await {
            Ok((task, work)) => {
                unwanted.disarm();
                notifier.end();
                return Ok(created(&task, work, run, cx));
            }
            Err((why, _place)) => {
                tracing::warn!("a call could not become a task, so its client waits: {why}");
                wait(&mut run, cx, &cancel).await
            }
        }
    };
    notifier.end();
    match answer {
        Ok(output) => Ok(whole(output, cx)),
        Err(error) if error.is_question() => run.desk.questions(cx),
        Err(error) => Ok(tools::failure(&error, None, cx)),
    }
}

/// From here on the call goes on by itself.
fn created(task: &Task, work: Work, run: Run, cx: &RequestCx) -> Reply {
    tokio::spawn(run.follow(Arc::clone(&cx.shared), work));
    let created = wire::created(task).with_meta(cx.shared.meta.clone());
    let response = CallToolResponse::Task(created);
    Reply::new(&cx.id, Era::Modern, response)
}

fn whole(output: Output, cx: &RequestCx) -> Reply {
    tools::reply(wire::result(output, Era::Modern), false, cx)
}

/// Reads the task's id, for a client that knows tasks.
fn task_id(method: &str, params: &mut Params, cx: &RequestCx) -> Result<String, ErrorData> {
    if !cx.capabilities().supports_tasks() {
        return Err(needs_tasks());
    }
    params.take_string(method, "taskId")
}

pub(crate) async fn get(mut params: Box<Params>, cx: &RequestCx) -> Result<Reply, ErrorData> {
    let id = task_id("tasks/get", &mut params, cx)?;
    let task = cx.shared.runtime.tasks().get(&id, &cx.caller.name).await;
    let task = task.map_err(unkept)?.ok_or_else(|| unknown(&id))?;
    let questions = match task.status {
        TaskStatus::InputRequired => Memo::read(&task.body.memo).questions(),
        _ => rmcp::model::InputRequests::new(),
    };
    let mut result = GetTaskResult::new(wire::task(task, questions));
    result.meta = Some(cx.shared.meta.clone());
    Ok(Reply::new(&cx.id, cx.era(), result))
}

/// Takes answers to open questions; when none is left, the task goes on.
pub(crate) async fn update(mut params: Box<Params>, cx: &RequestCx) -> Result<Reply, ErrorData> {
    let method = "tasks/update";
    let id = task_id(method, &mut params, cx)?;
    let answers = params.take_object(method, "inputResponses")?;
    let answers = answers.ok_or_else(|| missing(method, "inputResponses"))?;
    let answers: InputResponses = answers.into_iter().collect();
    let goes_on = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&goes_on);
    let take = move |task: &mut Task| {
        let mut memo = Memo::read(&task.body.memo);
        if memo.take(answers) {
            task.status = TaskStatus::Working;
            seen.store(true, Ordering::Release);
        }
        task.body.memo = memo.write();
    };
    let tasks = cx.shared.runtime.tasks();
    let open = TaskStatus::InputRequired;
    let task = tasks.change(&id, &cx.caller.name, open, take).await;
    let task = task.map_err(unkept)?.ok_or_else(|| unknown(&id))?;
    if goes_on.load(Ordering::Acquire) {
        run::go_on(&cx.shared, task, cx.caller.clone());
    }
    Ok(acknowledged(cx))
}

pub(crate) async fn cancel(mut params: Box<Params>, cx: &RequestCx) -> Result<Reply, ErrorData> {
    let id = task_id("tasks/cancel", &mut params, cx)?;
    let is_there = cx.shared.runtime.tasks().cancel(&id, &cx.caller.name).await;
    if !is_there.map_err(unkept)? {
        return Err(unknown(&id));
    }
    Ok(acknowledged(cx))
}

fn acknowledged(cx: &RequestCx) -> Reply {
    Reply::new(&cx.id, cx.era(), ServerResult::task_ack(()))
}

/// Waits for the answer; a client that cancels its request ends the call.
async fn wait(run: &mut Run, cx: &RequestCx, cancel: &CancellationToken) -> Answer {
    tokio::select! {
        answer = run.answer() => return answer,
        () = cx.cancel.cancelled() => cancel.cancel(),
    }
    run.answer().await
}

fn body(tool: String, args: Args, cx: &RequestCx) -> TaskBody {
    let capabilities = cx.capabilities();
    TaskBody { tool, args, message: None, outcome: None, memo: Memo::new(capabilities).write() }
}

fn too_many(most: usize) -> Output {
    Output::error(format!(
        "as many tasks are under way as may be ({most}); try again in a moment (limit `tasks`)"
    ))
}

/// Somebody else's task is as unknown as one that never was.
fn unknown(id: &str) -> ErrorData {
    ErrorData::invalid_params(format!("there is no task `{id}`"), None)
}

fn unkept(error: impl std::fmt::Display) -> ErrorData {
    tracing::error!("a task cannot be looked up: {error}");
    ErrorData::internal_error("tasks cannot be looked up now", None)
}
