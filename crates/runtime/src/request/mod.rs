//! Requests: tool calls, reads, prompts and completions, all prepared, run and finished the same way.

mod cached;
mod error;
mod finish;
mod nested;
mod prepare;
mod read;
mod reply;
mod run;
mod target;
mod tool_call;

pub(crate) use error::suggest;
pub use error::{RequestError, RequestErrorKind, RequestVerdict, TargetKind};
pub(crate) use nested::Within;
pub use read::Reference;
pub(crate) use read::{find_prompt, unknown_resource};
pub(crate) use reply::RequestReply;

use crate::audit::Trail;
use crate::registry::{Meta, Shape};
use crate::runtime::Runtime;
use model::{Args, Asker, Caller, Completion, Contents, Conversation, Level, Output};
use read::{ArgumentCompletion, PromptGet, ResourceRead};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tool_call::ToolRequest;

/// Told how far a request has come.
pub type Progress = Arc<dyn Fn(f64, Option<f64>, Option<&str>) + Send + Sync>;

/// Receives what scripts log: the module, the level, the message and its fields.
pub type Lines = Arc<dyn Fn(&str, Level, &str, &serde_json::Value) + Send + Sync>;

/// Receives the timeout error of an inline call that is stuck.
pub type GivenUp = Arc<dyn Fn(RequestError) + Send + Sync>;

/// The context of a request: its caller, and what receives progress, log lines and questions.
#[derive(Clone, Default)]
pub struct Asking {
    pub progress: Option<Progress>,
    pub lines: Option<Lines>,
    /// Takes the script's questions to the client.
    pub asker: Option<Arc<dyn Asker>>,
    pub cancel: CancellationToken,
    pub caller: Caller,
    pub trail: Trail,
}

/// One call of one tool, on any transport.
pub struct Call {
    /// As listed, or `module.tool`.
    pub name: String,
    pub args: Args,
    /// In which form the result is wanted.
    pub shape: Shape,
    pub progress: Option<Progress>,
    pub lines: Option<Lines>,
    /// Takes the error when the call's own task is stuck and cannot return it.
    pub given_up: Option<GivenUp>,
    /// Takes the script's questions to the client.
    pub asker: Option<Arc<dyn Asker>>,
    pub caller: Caller,
    pub cancel: CancellationToken,
    /// It may take as long as a task may.
    pub long: bool,
    pub trail: Trail,
    /// Shorter than the time limit of its tool: it covers the wait for a thread, too.
    pub timeout: Option<Duration>,
}

impl Call {
    pub fn new(name: impl Into<String>, args: Args) -> Self {
        Self {
            name: name.into(),
            args,
            shape: Shape::default(),
            progress: None,
            lines: None,
            given_up: None,
            asker: None,
            caller: Caller::default(),
            cancel: CancellationToken::new(),
            long: false,
            trail: Trail::default(),
            timeout: None,
        }
    }

    fn into_request(self) -> (ToolRequest, Asking) {
        let target = ToolRequest {
            name: self.name,
            args: self.args,
            shape: self.shape,
            given_up: self.given_up,
            long: self.long,
            timeout: self.timeout,
        };
        let asking = Asking {
            progress: self.progress,
            lines: self.lines,
            asker: self.asker,
            cancel: self.cancel,
            caller: self.caller,
            trail: self.trail,
        };
        (target, asking)
    }
}

impl Runtime {
    /// Calls a tool. Dropping the future, or its token, ends the script.
    pub async fn call(&self, call: Call) -> Result<Output, RequestError> {
        if let Some(meta) = Meta::named(&call.name) {
            // The tools that it calls are counted and seen; it is no call of a tool by itself.
            return Box::pin(self.call_meta(meta, call)).await;
        }
        let (target, asking) = call.into_request();
        self.request(target, asking).await
    }

    /// Reads a resource by its URI.
    pub async fn read(&self, uri: &str, asking: Asking) -> Result<Vec<Contents>, RequestError> {
        let target = ResourceRead { uri: uri.to_owned() };
        Box::pin(self.request(target, asking)).await
    }

    /// Returns the messages of a prompt. Strings among the arguments are read by type.
    pub async fn prompt(
        &self,
        name: &str,
        args: Args,
        asking: Asking,
    ) -> Result<Conversation, RequestError> {
        let name = name.to_owned();
        Box::pin(self.request(PromptGet { name, args }, asking)).await
    }

    /// Completes an argument; `given` are the other arguments, as far as they are known.
    pub async fn complete(
        &self,
        of: &Reference,
        argument: &str,
        value: &str,
        given: Args,
        asking: Asking,
    ) -> Result<Completion, RequestError> {
        let target = ArgumentCompletion {
            of: of.clone(),
            argument: argument.to_owned(),
            value: value.to_owned(),
            given,
        };
        Box::pin(self.request(target, asking)).await
    }
}

#[cfg(test)]
mod count_tests;
