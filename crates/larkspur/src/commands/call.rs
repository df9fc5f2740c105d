//! `larkspur call`: one tool call from the shell, down the same road as a client's.

use crate::args::{Call as CallArgs, CallFormat, Global};
use crate::commands::arguments::arguments;
use crate::commands::missing::{missing, several, shown};
use crate::commands::save;
use crate::compose;
use crate::exit::{INTERRUPTED, SAID_ERROR, USAGE};
use crate::terminal::{error, note, say};
use compact::{Ways, count_tokens};
use model::{Args, Content, Grouped, Output, TaskUse, Tool};
use runtime::{
    Asked, Call, Catalog, Handle, Lookup, Meta, RequestError, RequestErrorKind, Runtime,
};
use serde_json::json;
use std::process::ExitCode;

pub(crate) fn run(global: &Global, args: &CallArgs) -> anyhow::Result<ExitCode> {
    if let Some(wanted) = &args.save_test {
        return save::run(global, args, wanted);
    }
    compose::with_runtime(global, |runtime| called(runtime, args))
}

fn called(runtime: &Runtime, args: &CallArgs) -> anyhow::Result<ExitCode> {
    let catalog = runtime.catalog();
    let target = match Target::find(&catalog, &args.tool) {
        Ok(target) => target,
        Err(lookup) => {
            let code = not_found(runtime, &args.tool, &lookup);
            // It fails, and is written down as a client's call would be.
            let call = Call::new(args.tool.clone(), Args::new());
            let _ = compose::executor()?.block_on(runtime.call(call));
            return Ok(code);
        }
    };
    let tool = target.tool();
    let given = arguments(&args.arguments, |name, text| tool.read_typed(name, text))?;
    let name = target.name();
    let call = Call {
        long: catalog.task_use(&name, Some(&given)) != TaskUse::Never,
        ..Call::new(name, given)
    };
    let answer = compose::until_signal(answer(runtime, &target, call, args))?;
    // What modules log at their end stands before the result.
    runtime.close();
    match answer {
        None => Ok(ExitCode::from(INTERRUPTED)),
        Some(Ok(mut output)) => {
            if args.format == CallFormat::Text {
                output.tell_data();
            }
            show(&output, args.format)?;
            Ok(ExitCode::from(if output.is_error { SAID_ERROR } else { 0 }))
        }
        Some(Err(failure)) => Ok(failed(&failure, tool, args.format)),
    }
}

/// What is called: a module's tool, or one of those through which all are.
pub(super) enum Target<'c> {
    Tool(Handle),
    Meta(&'c Tool),
}

impl<'c> Target<'c> {
    pub(super) fn find(catalog: &'c Catalog, name: &str) -> Result<Self, Lookup> {
        let meta = Meta::named(name).and_then(|meta| catalog.front.meta_tool(meta));
        match (meta, catalog.lookup(name)) {
            (Some(meta), _) => Ok(Self::Meta(meta)),
            (None, Lookup::Found(handle)) => Ok(Self::Tool(handle)),
            (None, other) => Err(other),
        }
    }

    fn tool(&self) -> &Tool {
        match self {
            Self::Tool(handle) => &handle.tool().tool,
            Self::Meta(tool) => tool,
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Tool(handle) => handle.to_string(),
            Self::Meta(tool) => tool.name.to_string(),
        }
    }
}

pub(super) fn asked(args: &CallArgs) -> Asked {
    Asked {
        format: match args.format {
            CallFormat::Text | CallFormat::Compact => None,
            CallFormat::Json => Some(compact::Format::Json),
            CallFormat::Toon => Some(compact::Format::Toon),
            CallFormat::Markdown => Some(compact::Format::Markdown),
        },
        select: args.select.clone(),
        ways: Ways::COMMAND,
        foreach: None,
    }
}

/// Makes the call. If a shorter form of the result is wanted, its note goes to stderr, and with a named
/// notation what the result costs a model, before and after.
async fn answer(
    runtime: &Runtime,
    target: &Target<'_>,
    call: Call,
    args: &CallArgs,
) -> Result<Output, RequestError> {
    let cancel = call.cancel.clone();
    let output = runtime.call(call).await?;
    let is_data = !output.is_error && output.content.iter().all(is_text);
    let Target::Tool(handle) = target else {
        return Ok(output);
    };
    let (is_shaped, tells_cost) = match args.format {
        CallFormat::Text => (handle.tool().tool.is_compact() || args.select.is_some(), false),
        CallFormat::Json => (args.select.is_some(), false),
        CallFormat::Compact | CallFormat::Toon | CallFormat::Markdown => (true, true),
    };
    if !is_shaped || !is_data {
        return Ok(output);
    }
    let raw = output.into_json();
    let before = tells_cost.then(|| count_tokens(&raw.to_string()));
    let said = runtime.say(handle, raw, asked(args), cancel).await;
    if let Some(text) = &said.note {
        note(text);
    }
    if let Some(before) = before {
        let (before, after) = (Grouped(before), Grouped(said.tokens));
        note(&format!("{before} tokens as json, {after} as {}", said.format));
    }
    Ok(Output::text(said.body))
}

fn is_text(block: &Content) -> bool {
    matches!(block, Content::Text { .. })
}

pub(super) fn show(output: &Output, format: CallFormat) -> anyhow::Result<()> {
    match format {
        CallFormat::Json => {
            let mut result = json!({"content": output.content, "isError": output.is_error});
            if let Some(structured) = &output.structured {
                result["structuredContent"] = structured.clone();
            }
            say(&serde_json::to_string_pretty(&result)?);
        }
        _ if output.is_error => error(&output.plain_text()),
        _ => say(&output.plain_text()),
    }
    Ok(())
}

pub(super) fn failed(failure: &RequestError, tool: &Tool, format: CallFormat) -> ExitCode {
    let is_usage = matches!(
        failure.kind,
        RequestErrorKind::Rejected { .. } | RequestErrorKind::Missing { .. }
    );
    if format == CallFormat::Json {
        let result =
            json!({"content": [{"type": "text", "text": failure.to_string()}], "isError": true});
        say(&result.to_string());
    }
    match &failure.kind {
        RequestErrorKind::Rejected { .. } => {
            error(&format!("{failure}\n  = help: {}", tool.signature()));
        }
        _ => error(&shown(failure)),
    }
    ExitCode::from(if is_usage { USAGE } else { SAID_ERROR })
}

pub(super) fn not_found(runtime: &Runtime, name: &str, lookup: &Lookup) -> ExitCode {
    let catalog = runtime.catalog();
    if let Lookup::Ambiguous(paths) = lookup {
        return several(&catalog, "tool", name, paths);
    }
    let tools = catalog.tools();
    let paths: Vec<String> = tools.map(|(_, tool)| tool.path().to_string()).collect();
    missing(runtime, "tool", name, &paths)
}
