//! One run of a task's script, and what is kept of it.

use super::memo::Memo;
use crate::asking::{Desk, Rounds};
use crate::shared::Shared;
use crate::wire::{self, Era};
use model::{Caller, Door, Stop, Task, TaskStatus};
use rmcp::model::InputResponses;
use runtime::{Call, Progress, RequestError, Shape, Trail, Words, Work};
use serde_json::Value;
use std::sync::Arc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

const ENDED: &str = "the server ended before it did; call the tool again";

pub(super) type Answer = Result<model::Output, RequestError>;

pub(super) struct Run {
    call: JoinHandle<Answer>,
    pub(super) desk: Desk,
    pub(super) words: Words,
}

impl Run {
    pub(super) fn begin(shared: &Arc<Shared>, mut call: Call, desk: Desk, words: Words) -> Self {
        call.progress = Some(noted(words.clone(), call.progress.take()));
        let runtime = shared.runtime.clone();
        Self {
            call: tokio::spawn(async move { runtime.call(call).await }.in_current_span()),
            desk,
            words,
        }
    }

    pub(super) async fn answer(&mut self) -> Answer {
        match (&mut self.call).await {
            Ok(answer) => answer,
            Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
        }
    }

    /// Keeps what the run comes to.
    pub(super) async fn follow(mut self, shared: Arc<Shared>, work: Work) {
        let outcome = match self.answer().await {
            Ok(output) => Outcome::result(&wire::result(output, Era::Modern)),
            Err(error) if error.is_question() => match self.desk.left() {
                Ok(left) => {
                    return work
                        .end(TaskStatus::InputRequired, move |body| {
                            let mut memo = Memo::read(&body.memo);
                            memo.ask(left);
                            body.memo = memo.write();
                        })
                        .await;
                }
                Err(refusal) => Outcome::failed(&refusal),
            },
            // Whoever takes a task back says so in the store first.
            Err(error) if error.stop() == Some(Stop::Cancelled) => Outcome::ended(),
            Err(error) => match wire::failure(&error, Era::Modern, shared.errors) {
                Ok(result) => Outcome::result(&result),
                Err(error) => Outcome::failed(&error),
            },
        };
        work.end(outcome.status, move |body| {
            body.message = outcome.message;
            body.outcome = outcome.value;
            // Nothing goes on from here.
            body.memo = Value::Null;
        })
        .await;
    }
}

/// What the script says of its progress is kept for whoever asks, and told to whoever listens.
fn noted(words: Words, told: Option<Progress>) -> Progress {
    Arc::new(move |done, total, message| {
        let count = match total {
            Some(total) => format!("{done} of {total}"),
            None => done.to_string(),
        };
        words.say(match message {
            Some(message) => format!("{count}: {message}"),
            None => count,
        });
        if let Some(told) = &told {
            told(done, total, message);
        }
    })
}

struct Outcome {
    status: TaskStatus,
    message: Option<String>,
    value: Option<Value>,
}

impl Outcome {
    /// A tool that says it failed has still come to its end.
    fn result(result: &rmcp::model::CallToolResult) -> Self {
        Self {
            status: TaskStatus::Completed,
            message: None,
            value: serde_json::to_value(result).ok(),
        }
    }

    fn failed(error: &rmcp::ErrorData) -> Self {
        Self {
            status: TaskStatus::Failed,
            message: Some(error.message.to_string()),
            value: serde_json::to_value(error).ok(),
        }
    }

    fn ended() -> Self {
        Self { status: TaskStatus::Failed, message: Some(ENDED.into()), value: None }
    }
}

/// Runs a task's script again, from the top, with the answers it has got.
pub(super) fn go_on(shared: &Arc<Shared>, task: Task, caller: Caller) {
    let mut memo = Memo::read(&task.body.memo);
    let rounds: Rounds = std::mem::take(&mut memo.rounds);
    let given: InputResponses = std::mem::take(&mut memo.given);
    let desk = Desk::of_task(memo.capabilities, rounds, given);
    let cancel = CancellationToken::new();
    let words = Words::default();
    let tasks = shared.runtime.tasks();
    let mut work = tasks.go_on(&task, cancel.clone(), words.clone());
    let shared = Arc::clone(shared);
    let going_on = async move {
        tokio::select! {
            () = work.enter() => {}
            () = cancel.cancelled() => {}
        }
        let door = if caller.is_local() { Door::Stdio } else { Door::Http };
        let trail = Trail { via: Some("task".into()), ..Trail::by(door) };
        let call = Call {
            shape: Shape::Declared,
            asker: Some(desk.asker()),
            caller,
            cancel,
            long: true,
            trail,
            ..Call::new(task.body.tool, task.body.args)
        };
        let run = Run::begin(&shared, call, desk, words);
        run.follow(shared, work).await;
    };
    tokio::spawn(going_on.in_current_span());
}
