//! `larkspur prompt`: the messages of one prompt, as a client would get them.

use crate::args::{Format, Global, Prompt};
use crate::commands::arguments::arguments;
use crate::commands::missing::{missing, several, shown};
use crate::compose;
use crate::exit::{SAID_ERROR, USAGE};
use crate::terminal::{STRONG, error, say, styled};
use model::{Conversation, Output, Role};
use runtime::{Asking, PromptLookup, RequestError, RequestErrorKind, Runtime};
use serde_json::json;
use std::process::ExitCode;

pub(crate) fn run(global: &Global, args: &Prompt) -> anyhow::Result<ExitCode> {
    let runtime = compose::open_to_use(global)?;
    // Texts are read by the parameters' types, as they are when a client sends them.
    let given = match arguments(&args.arguments, |_, text| json!(text)) {
        Ok(given) => given,
        Err(why) => {
            error(&format!("{why:#}"));
            return Ok(ExitCode::from(USAGE));
        }
    };
    let getting = runtime.prompt(&args.name, given, Asking::default());
    let answer = compose::executor()?.block_on(getting);
    let code = match answer {
        Ok(conversation) => show(conversation, args.format).map(|()| ExitCode::SUCCESS),
        Err(failure) => Ok(failed(&runtime, &args.name, &failure)),
    };
    runtime.close();
    code
}

fn show(conversation: Conversation, format: Format) -> anyhow::Result<()> {
    if format == Format::Json {
        say(&serde_json::to_string_pretty(&conversation)?);
        return Ok(());
    }
    for message in conversation.messages {
        let role = match message.role {
            Role::User => "user:",
            Role::Assistant => "assistant:",
        };
        let words = Output { content: vec![message.content], ..Output::default() };
        say(&format!("{} {}", styled(STRONG, role), words.plain_text().trim_end()));
    }
    Ok(())
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
