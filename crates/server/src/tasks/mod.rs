//! Calls that become tasks: one that takes long goes on while its client does something else, asks
//! how far it is, answers its questions or takes it back.

mod memo;
mod run;

use crate::asking::{Desk, Matter};
use crate::caller::{caller, trail};
use crate::handler::Handler;
use crate::http::rate_charge;
use crate::wire::{self, Era};
use memo::Memo;
use model::{Args, Caller, Output, Task, TaskBody, TaskStatus, TaskUse};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, GetTaskResult,
    InputResponses,
};
use rmcp::service::{RequestContext, RoleServer};
use run::{Answer, Run};
use runtime::{Call, Shape, Words, Work};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A call that has ended by then is answered at once; one that asks by then asks by its result.
const SOON: Duration = Duration::from_millis(200);

impl Handler {
    /// May this call become a task? A client that does not know tasks cannot call what must be one.
    pub(crate) fn becomes_task(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        era: Era,
    ) -> Result<bool, ErrorData> {
        let catalog = self.shared.runtime.view(&caller(&context.extensions));
        let task_use = catalog.task_use(&request.name, request.arguments.as_ref());
        if task_use == TaskUse::Never {
            return Ok(false);
        }
        let capabilities = context.client_capabilities();
        let knows = era == Era::Modern && capabilities.is_some_and(|all| all.supports_tasks());
        if task_use == TaskUse::Required && !knows {
            return Err(ErrorData::missing_required_client_capability(
                ClientCapabilities::builder().enable_tasks().build(),
            ));
        }
        Ok(knows)
    }

    pub(crate) async fn call_as_task(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tasks = self.shared.runtime.tasks();
        let place = match tasks.place() {
            Ok(place) => place,
            Err(most) => return Ok(self.whole(too_many(most))),
        };
        let matter = Matter {
            method: "tools/call",
            name: &request.name,
            args: request.arguments.as_ref(),
            responses: request.input_responses,
            state: request.request_state,
        };
        let desk = Desk::open(self, &context, Era::Modern, matter)?;
        let words = self.words(&context, Era::Modern);
        let caller = caller(&context.extensions);
        let cancel = CancellationToken::new();
        let args = request.arguments.unwrap_or_default();
        let call = Call {
            shape: Shape::Declared,
            progress: words.as_ref().and_then(|words| words.progress.clone()),
            lines: words.as_ref().and_then(|words| words.lines.clone()),
            asker: Some(desk.asker()),
            caller: caller.clone(),
            cancel: cancel.clone(),
            long: true,
            trail: trail(&self.shared.runtime, &context),
            charged: rate_charge(&context.extensions),
            ..Call::new(request.name.clone(), args.clone())
        };
        let mut run = Run::begin(&self.shared, call, desk, Words::default());
        // Until it is a task, the call belongs to its request.
        let unwanted = cancel.clone().drop_guard();
        let soon = tokio::time::timeout(SOON, heard(&mut run, &context, &cancel)).await;
        let answer = if let Ok(answer) = soon {
            answer
        } else {
            let body = body(request.name.into_owned(), args, &context);
            let added = tasks.add(&caller.name, body, place, cancel.clone(), run.words.clone());
            match added.await {
                Ok((task, work)) => {
                    unwanted.disarm();
                    all_said(words).await;
                    return Ok(self.created(&task, work, run));
                }
                Err((why, _place)) => {
                    tracing::warn!("a call could not become a task, so its client waits: {why}");
                    heard(&mut run, &context, &cancel).await
                }
            }
        };
        all_said(words).await;
        self.answered(answer, &run)
    }

    /// From here on the call goes on by itself.
    fn created(&self, task: &Task, work: Work, run: Run) -> CallToolResponse {
        tokio::spawn(run.follow(Arc::clone(&self.shared), work));
        let created = wire::created(task).with_meta(self.shared.meta.clone());
        CallToolResponse::Task(created)
    }

    fn answered(&self, answer: Answer, run: &Run) -> Result<CallToolResponse, ErrorData> {
        match answer {
            Ok(output) => Ok(self.whole(output)),
            Err(error) if error.is_question() => run.desk.questions(self).map(Into::into),
            Err(error) => wire::failure(&error, Era::Modern, self.shared.errors)
                .map(|result| self.dressed(result)),
        }
    }

    fn whole(&self, output: Output) -> CallToolResponse {
        self.dressed(wire::result(output, Era::Modern))
    }

    fn dressed(&self, mut result: CallToolResult) -> CallToolResponse {
        wire::add_meta(&mut result, self.shared.meta.clone());
        CallToolResponse::Complete(result)
    }

    pub(crate) async fn task(&self, id: &str, caller: &Caller) -> Result<GetTaskResult, ErrorData> {
        let task = self.shared.runtime.tasks().get(id, &caller.name).await;
        let task = task.map_err(unkept)?.ok_or_else(|| unknown(id))?;
        let questions = match task.status {
            TaskStatus::InputRequired => Memo::read(&task.body.memo).questions(),
            _ => rmcp::model::InputRequests::new(),
        };
        let mut result = GetTaskResult::new(wire::task(task, questions));
        result.meta = Some(self.shared.meta.clone());
        Ok(result)
    }

    /// Answers that nobody waits for are nobody's; the rest lets the task go on.
    pub(crate) async fn answer_task(
        &self,
        id: &str,
        answers: InputResponses,
        caller: Caller,
    ) -> Result<(), ErrorData> {
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
        let tasks = self.shared.runtime.tasks();
        let open = TaskStatus::InputRequired;
        let task = tasks.change(id, &caller.name, open, take).await;
        let task = task.map_err(unkept)?.ok_or_else(|| unknown(id))?;
        if goes_on.load(Ordering::Acquire) {
            run::go_on(&self.shared, task, caller);
        }
        Ok(())
    }

    pub(crate) async fn cancel_task_of(&self, id: &str, caller: &Caller) -> Result<(), ErrorData> {
        let there = self.shared.runtime.tasks().cancel(id, &caller.name).await;
        if there.map_err(unkept)? {
            Ok(())
        } else {
            Err(unknown(id))
        }
    }
}

/// The answer; a client that takes its request back ends the call.
async fn heard(
    run: &mut Run,
    context: &RequestContext<RoleServer>,
    cancel: &CancellationToken,
) -> Answer {
    tokio::select! {
        answer = run.answer() => return answer,
        () = context.ct.cancelled() => cancel.cancel(),
    }
    run.answer().await
}

async fn all_said(words: Option<crate::words::Words>) {
    if let Some(words) = words {
        words.finish().await;
    }
}

fn body(tool: String, args: Args, context: &RequestContext<RoleServer>) -> TaskBody {
    let capabilities = context.client_capabilities().unwrap_or_default();
    TaskBody {
        tool,
        args,
        message: None,
        outcome: None,
        memo: Memo::new(capabilities).write(),
    }
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
