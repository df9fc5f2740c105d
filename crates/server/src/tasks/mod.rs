//! Calls that become tasks: one that takes long goes on while its client does something else, asks
//! how far it is, answers its questions or takes it back.

mod memo;
mod run;

use crate::asking::{Desk, Matter};
use crate::handler::Handler;
use crate::wire::{self, Era};
use memo::Memo;
use model::{Caller, Output, TaskBody, TaskStatus, TaskUse};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, GetTaskResult,
    InputResponses,
};
use rmcp::service::{RequestContext, RoleServer};
use run::{Answer, Run};
use runtime::{Call, CallError, Words};
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
        let catalog = self.shared.runtime.catalog();
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
        let cancel = CancellationToken::new();
        let args = request.arguments.unwrap_or_default();
        let call = Call {
            structured: Era::Modern.structured(),
            progress: words.as_ref().and_then(|words| words.progress.clone()),
            lines: words.as_ref().and_then(|words| words.lines.clone()),
            asker: Some(desk.asker()),
            cancel: cancel.clone(),
            long: true,
            ..Call::new(request.name.clone(), args.clone())
        };
        let mut run = Run::begin(&self.shared, call, desk, Words::default());
        // Until it is a task, the call belongs to its request.
        let unwanted = cancel.clone().drop_guard();
        let soon = tokio::select! {
            answer = run.answer() => Some(answer),
            () = cancelled(&context, &cancel) => Some(run.answer().await),
            () = tokio::time::sleep(SOON) => None,
        };
        if let Some(answer) = soon {
            if let Some(words) = words {
                words.finish().await;
            }
            return self.answered(answer, &run);
        }
        let capabilities = context.client_capabilities().unwrap_or_default();
        let body = TaskBody {
            tool: request.name.into_owned(),
            args,
            message: None,
            outcome: None,
            memo: Memo::new(capabilities).write(),
        };
        let owner = Caller::default().name;
        let added = tasks.add(&owner, body, place, cancel.clone(), run.words.clone());
        match added.await {
            Ok((task, work)) => {
                unwanted.disarm();
                if let Some(words) = words {
                    words.finish().await;
                }
                tokio::spawn(run.follow(Arc::clone(&self.shared), work));
                let created = wire::created(&task).with_meta(self.shared.meta.clone());
                Ok(CallToolResponse::Task(created))
            }
            Err((why, _place)) => {
                tracing::warn!("a call could not become a task, so its client waits: {why}");
                let answer = tokio::select! {
                    answer = run.answer() => answer,
                    () = cancelled(&context, &cancel) => run.answer().await,
                };
                if let Some(words) = words {
                    words.finish().await;
                }
                self.answered(answer, &run)
            }
        }
    }

    fn answered(&self, answer: Answer, run: &Run) -> Result<CallToolResponse, ErrorData> {
        match answer {
            Ok(output) => Ok(self.whole(output)),
            Err(CallError::Asks { .. }) => run.desk.questions(self).map(Into::into),
            Err(error) => wire::failure(error, Era::Modern, self.shared.errors)
                .map(|result| self.dressed(result)),
        }
    }

    fn whole(&self, output: Output) -> CallToolResponse {
        self.dressed(wire::result(output, Era::Modern))
    }

    fn dressed(&self, mut result: CallToolResult) -> CallToolResponse {
        result.meta = Some(self.shared.meta.clone());
        CallToolResponse::Complete(result)
    }

    pub(crate) async fn task(&self, id: &str) -> Result<GetTaskResult, ErrorData> {
        let owner = Caller::default().name;
        let task = self.shared.runtime.tasks().get(id, &owner).await;
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
    ) -> Result<(), ErrorData> {
        let owner = Caller::default().name;
        let goes_on = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&goes_on);
        let take = move |task: &mut model::Task| {
            let mut memo = Memo::read(&task.body.memo);
            if memo.take(answers) {
                task.status = TaskStatus::Working;
                seen.store(true, Ordering::Release);
            }
            task.body.memo = memo.write();
        };
        let tasks = self.shared.runtime.tasks();
        let open = TaskStatus::InputRequired;
        let task = tasks.change(id, &owner, open, take).await;
        let task = task.map_err(unkept)?.ok_or_else(|| unknown(id))?;
        if goes_on.load(Ordering::Acquire) {
            run::go_on(&self.shared, task);
        }
        Ok(())
    }

    pub(crate) async fn cancel_task_of(&self, id: &str) -> Result<(), ErrorData> {
        let owner = Caller::default().name;
        let there = self.shared.runtime.tasks().cancel(id, &owner).await;
        if there.map_err(unkept)? {
            Ok(())
        } else {
            Err(unknown(id))
        }
    }
}

/// Its client has taken the request back.
async fn cancelled(context: &RequestContext<RoleServer>, cancel: &CancellationToken) {
    context.ct.cancelled().await;
    cancel.cancel();
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
