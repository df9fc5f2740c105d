//! Resources read, prompts got, arguments completed: down the same road as a tool's call, always on
//! a thread.

use crate::call::{Progress, either, near};
use crate::catalog::Module;
use crate::errand::{Ended, Errand};
use crate::gate::Gate;
use crate::prompts::{PromptHandle, PromptLookup};
use crate::runtime::Runtime;
use crate::stats::Stats;
use model::{
    Args, Completion, Contents, Conversation, Fault, PromptPath, Rejected, Stop, Structured,
    did_you_mean,
};
use script::{CallFailure, Raised, Turn};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tokio_util::sync::CancellationToken;

/// How something is asked for: who hears of progress, and who may take it back.
#[derive(Clone, Default)]
pub struct Asking {
    pub progress: Option<Progress>,
    pub cancel: CancellationToken,
}

/// Whose argument is completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// A prompt, as listed or as `module.prompt`.
    Prompt(String),
    /// A resource, by its template or URI as listed.
    Resource(String),
}

/// Why nothing was read; `of` is the URI or the prompt.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReadError {
    #[error("there is no resource `{uri}`{}", near(.available, "resources"))]
    UnknownResource { uri: String, available: Vec<String> },
    #[error("there is no prompt `{name}`{}", near(.available, "prompts"))]
    UnknownPrompt {
        name: String,
        available: Vec<String>,
    },
    #[error("several modules have a prompt `{name}`: get {}", either(.paths))]
    AmbiguousPrompt {
        name: String,
        paths: Vec<PromptPath>,
    },
    #[error("{of} has no argument `{argument}`{}", meant(.argument, .available))]
    UnknownArgument {
        of: String,
        argument: String,
        available: Vec<String>,
    },
    #[error("{rejected}")]
    Rejected { of: String, rejected: Rejected },
    #[error("{}", .fault.message)]
    Failed {
        of: String,
        fault: Fault,
        raised: Option<Raised>,
    },
    #[error("{}", .fault.message)]
    Stopped {
        of: String,
        stop: Stop,
        fault: Fault,
    },
    #[error("too many calls are waiting ({waiting}); try again in a moment (limit `queue`)")]
    Busy { waiting: usize },
}

fn meant(argument: &str, available: &[String]) -> String {
    match did_you_mean(argument, available.iter().map(String::as_str)) {
        Some(near) => format!("; did you mean `{near}`?"),
        None if available.is_empty() => "; it has none".into(),
        None => format!("; there are {}", available.join(", ")),
    }
}

impl Runtime {
    /// Reads a resource by its URI. Dropping the future, or its token, ends the script.
    pub async fn read(&self, uri: &str, asking: Asking) -> Result<Vec<Contents>, ReadError> {
        self.counted(self.read_inner(uri, asking)).await
    }

    /// The messages of a prompt. Texts among the arguments are read by type.
    pub async fn prompt(
        &self,
        name: &str,
        args: Args,
        asking: Asking,
    ) -> Result<Conversation, ReadError> {
        self.counted(self.prompt_inner(name, args, asking)).await
    }

    /// What an argument may become; `given` are the others, as far as they are known.
    pub async fn complete(
        &self,
        of: &Reference,
        argument: &str,
        value: &str,
        given: Args,
        asking: Asking,
    ) -> Result<Completion, ReadError> {
        self.counted(self.complete_inner(of, argument, value, given, asking))
            .await
    }

    async fn counted<T>(
        &self,
        reading: impl Future<Output = Result<T, ReadError>>,
    ) -> Result<T, ReadError> {
        let stats = self.stats();
        Stats::add(&stats.calls);
        let result = reading.await;
        if let Err(error) = &result {
            stats.add_failure(matches!(error, ReadError::Stopped { .. }));
        }
        result
    }

    async fn read_inner(&self, uri: &str, asking: Asking) -> Result<Vec<Contents>, ReadError> {
        let catalog = self.catalog();
        let Some((handle, variables)) = catalog.resources.find(uri) else {
            return Err(ReadError::UnknownResource {
                uri: uri.to_owned(),
                available: catalog.resources.nearest(uri),
            });
        };
        let of = uri.to_owned();
        let input = &handle.resource().resource.input;
        let args = input
            .accept(input.read_text(variables))
            .map_err(|rejected| ReadError::Rejected { of, rejected })?;
        let (uri, module) = (uri.to_owned(), Arc::clone(&handle.module));
        self.ask(uri.clone(), module, asking, move |module, turn| {
            module.script.read(handle.resource(), &uri, &args, turn)
        })
        .await
    }

    async fn prompt_inner(
        &self,
        name: &str,
        args: Args,
        asking: Asking,
    ) -> Result<Conversation, ReadError> {
        let handle = self.find_prompt(name)?;
        let of = handle.path().to_string();
        let input = &handle.prompt().prompt.input;
        let args = input.accept(input.read_text(args));
        let args = args.map_err(|rejected| ReadError::Rejected {
            of: of.clone(),
            rejected,
        })?;
        let module = Arc::clone(&handle.module);
        self.ask(of, module, asking, move |module, turn| {
            module.script.get_prompt(handle.prompt(), &args, turn)
        })
        .await
    }

    pub(crate) fn find_prompt(&self, name: &str) -> Result<PromptHandle, ReadError> {
        let name = name.to_owned();
        match self.catalog().prompts.lookup(&name) {
            PromptLookup::Found(handle) => Ok(handle),
            PromptLookup::Ambiguous(paths) => Err(ReadError::AmbiguousPrompt { name, paths }),
            PromptLookup::Unknown(available) => Err(ReadError::UnknownPrompt { name, available }),
        }
    }

    async fn complete_inner(
        &self,
        of: &Reference,
        argument: &str,
        value: &str,
        given: Args,
        asking: Asking,
    ) -> Result<Completion, ReadError> {
        let argument = self.argument(of, argument)?;
        let Some(completer) = argument.completer else {
            return Ok(Completion::new(argument.choices(value)));
        };
        let value = value.to_owned();
        self.ask(argument.of, argument.module, asking, move |module, turn| {
            module.script.complete(&completer, &value, &given, turn)
        })
        .await
    }

    /// Runs a script's work on a thread, with the world as its module may use it.
    async fn ask<T: Send + 'static>(
        &self,
        of: String,
        module: Arc<Module>,
        asking: Asking,
        work: impl FnOnce(&Module, &Turn<'_>) -> Result<T, CallFailure> + Send + 'static,
    ) -> Result<T, ReadError> {
        let errand = Errand {
            runtime: self.clone(),
            limits: Arc::clone(self.limits()),
            name: of.clone(),
            cancel: asking.cancel,
        };
        let runtime = self.clone();
        let result = errand.run(move |cancel| {
            let gate = Gate {
                module: module.name.as_str(),
                folder: &runtime.folders()[module.folder],
                progress: asking.progress.as_ref(),
                updates: Some(runtime.updates()),
                used: AtomicBool::new(false),
            };
            let turn = Turn {
                host: &gate,
                limits: runtime.limits(),
                cancel,
                structured: Structured::Any,
                trial: false,
            };
            work(&module, &turn)
        });
        result.await.map_err(|ended| ReadError::of(of, ended))
    }
}

impl ReadError {
    fn of(of: String, ended: Ended) -> Self {
        match ended {
            Ended::Failed { fault, raised } => Self::Failed { of, fault, raised },
            Ended::Stopped { stop, fault } => Self::Stopped { of, stop, fault },
            Ended::Busy { waiting } => Self::Busy { waiting },
        }
    }
}
