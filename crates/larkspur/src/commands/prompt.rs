//! `larkspur prompt`: the messages of one prompt, as a client would get them.

use crate::args::{Global, Prompt};
use crate::commands::arguments::arguments;
use crate::commands::missing::{missing, several, shown};
use crate::compose;
use crate::exit::{SAID_ERROR, USAGE};
use crate::terminal::{STRONG, error, print, say, styled};
use model::{Conversation, Output, Role};
use runtime::{Asking, PromptLookup, RequestError, RequestErrorKind, Runtime};
use serde_json::json;
use std::process::ExitCode;

pub(crate) fn run(global: &Global, args: &Prompt) -> anyhow::Result<ExitCode> {
    compose::with_runtime(global, |runtime| {
        // Texts are read by the parameters' types, as they are when a client sends them.
        let given = arguments(&args.arguments, |_, text| json!(text))?;
        let getting = runtime.prompt(&args.name, given, Asking::default());
        match compose::executor()?.block_on(getting) {
            Ok(conversation) => {
                print(args.format, || &conversation, || show(&conversation))?;
                Ok(ExitCode::SUCCESS)
            }
            Err(failure) => Ok(failed(runtime, &args.name, &failure)),
        }
    })
}

fn show(conversation: &Conversation) {
    for message in &conversation.messages {
        let role = match message.role {
            Role::User => "user:",
            Role::Assistant => "assistant:",
        };
        let words = Output { content: vec![message.content.clone()], ..Output::default() };
        say(&format!("{} {}", styled(STRONG, role), words.plain_text().trim_end()));
    }
}

fn failed(runtime: &Runtime, name: &str, failure: &RequestError) -> ExitCode {
    let catalog = &runtime.catalog();
    match &failure.kind {
        RequestErrorKind::Unknown(..) => {
            let prompts = catalog.prompts.listed();
            let paths: Vec<String> = prompts.map(|(_, p)| p.path().to_string()).collect();
            return missing(runtime, "prompt", name, &paths);
        }
        RequestErrorKind::Ambiguous(_, paths) => {
            return several(catalog, "prompt", name, paths);
        }
        RequestErrorKind::Rejected { .. } => {
            let help = match catalog.prompts.lookup(name) {
                PromptLookup::Found(handle) => {
                    format!("\n  = help: {}", handle.prompt().prompt.signature())
                }
                _ => String::new(),
            };
            error(&format!("{failure}{help}"));
            return ExitCode::from(USAGE);
        }
        _ => error(&shown(failure)),
    }
    ExitCode::from(SAID_ERROR)
}
