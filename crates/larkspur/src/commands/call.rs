//! `larkspur call`: one tool call from the shell, down the same road as a client's.

use crate::args::{Call as CallArgs, CallFormat, Global};
use crate::commands::arguments::arguments;
use crate::commands::missing::{missing, several};
use crate::commands::save;
use crate::compose::{self, Signals};
use crate::exit::{INTERRUPTED, SAID_ERROR, USAGE};
use crate::terminal::{error, note, say};
use model::{Args, Content, Grouped, Output, Structured, TaskUse, Tool, Ways, count_tokens};
use runtime::{Asked, Call, CallError, Catalog, Handle, Lookup, Meta, Runtime, Shape};
use serde_json::{Value, json};
use std::process::ExitCode;

pub(crate) fn run(global: &Global, args: &CallArgs) -> anyhow::Result<ExitCode> {
    if let Some(wanted) = &args.save_test {
        return save::run(global, args, wanted);
    }
    let runtime = compose::open_to_use(global)?;
    let catalog = runtime.catalog();
    let target = match Target::find(&catalog, &args.tool) {
        Ok(target) => target,
        Err(lookup) => {
            let code = not_found(&runtime, &args.tool, &lookup);
            // It fails, and is written down as a client's call would be.
            let call = Call::new(args.tool.clone(), Args::new());
            let _ = compose::executor()?.block_on(runtime.call(call));
            runtime.close();
            return Ok(code);
        }
    };
    let tool = target.tool();
    let given = match arguments(&args.arguments, |name, text| read(tool, name, text)) {
        Ok(given) => given,
        Err(why) => {
            runtime.close();
            error(&format!("{why:#}"));
            return Ok(ExitCode::from(USAGE));
        }
    };
    let name = target.name();
    let call = Call {
        long: catalog.task_use(&name, Some(&given)) != TaskUse::Never,
        shape: target.shape(args),
        structured: match args.format {
            CallFormat::Text => Structured::Text,
            _ => Structured::Any,
        },
        ..Call::new(name, given)
    };
    let is_compact = matches!(call.shape, Shape::Compact(_)) && args.format == CallFormat::Text;
    let answer = compose::executor()?.block_on(async {
        let mut signals = Signals::listen()?;
        anyhow::Ok(tokio::select! {
            answer = answer(&runtime, &target, call, args) => Some(answer),
            () = signals.next() => None,
        })
    })?;
    // Commands that a script has started do not hear the terminal: they are ended here.
    runtime.close();
    let Some(answer) = answer else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    match answer {
        Ok(mut output) => {
            if let Some(text) = is_compact.then(|| beside(&mut output)).flatten() {
                note(&text);
            }
            show(&output, args.format)?;
            Ok(ExitCode::from(if output.is_error { SAID_ERROR } else { 0 }))
        }
        Err(failure) => Ok(failed(&failure, tool, args.format)),
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

    fn shape(&self, args: &CallArgs) -> Shape {
        match (self, args.format) {
            (Self::Tool(handle), CallFormat::Text)
                if handle.tool().is_compact() || args.select.is_some() =>
            {
                Shape::Compact(asked(args))
            }
            (Self::Tool(_), CallFormat::Json) if args.select.is_some() => {
                Shape::Compact(asked(args))
            }
            (_, CallFormat::Text) => Shape::Declared,
            _ => Shape::Raw,
        }
    }
}

pub(super) fn asked(args: &CallArgs) -> Asked {
    Asked {
        format: match args.format {
            CallFormat::Text | CallFormat::Compact => None,
            CallFormat::Json => Some(model::Format::Json),
            CallFormat::Toon => Some(model::Format::Toon),
            CallFormat::Markdown => Some(model::Format::Markdown),
        },
        select: args.select.clone(),
        ways: Ways::COMMAND,
        foreach: None,
    }
}

/// Makes the call; what it costs a model, before and after, is said beside the answer.
async fn answer(
    runtime: &Runtime,
    target: &Target<'_>,
    call: Call,
    args: &CallArgs,
) -> Result<Output, CallError> {
    let cancel = call.cancel.clone();
    let output = runtime.call(call).await?;
    let is_data = !output.is_error && output.content.iter().all(is_text);
    let Target::Tool(handle) = target else {
        return Ok(output);
    };
    match args.format {
        CallFormat::Compact | CallFormat::Toon | CallFormat::Markdown if is_data => {}
        _ => return Ok(output),
    }
    let raw = output.into_json();
    let before = count_tokens(&raw.to_string());
    let said = runtime.say(handle, raw, asked(args), cancel).await;
    if let Some(text) = &said.note {
        note(text);
    }
    note(&format!(
        "{} tokens as json, {} as {}",
        Grouped(before),
        Grouped(said.tokens),
        said.format
    ));
    Ok(Output::text(said.body))
}

/// The line about what is not in an answer that was made compact: it stands below the answer's text,
/// where models read it, and is no part of the result.
fn beside(output: &mut Output) -> Option<String> {
    let raw = output.structured.as_ref().filter(|_| !output.is_error)?;
    let texts = output.content.iter().enumerate();
    let mut texts = texts.filter(|(_, block)| is_text(block));
    let (_, body) = texts.next()?;
    let (below, _) = texts.next()?;
    let is_whole = matches!(body, Content::Text { text, .. } if raw == text);
    match output.content.remove(below) {
        Content::Text { text, .. } if !is_whole => Some(text),
        _ => None,
    }
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

pub(super) fn failed(failure: &CallError, tool: &Tool, format: CallFormat) -> ExitCode {
    let is_usage = matches!(
        failure,
        CallError::Rejected { .. } | CallError::Missing { .. }
    );
    if format == CallFormat::Json {
        let result =
            json!({"content": [{"type": "text", "text": failure.to_string()}], "isError": true});
        say(&result.to_string());
    }
    match failure {
        CallError::Failed { fault, .. } | CallError::Stopped { fault, .. } => {
            error(&fault.to_string());
        }
        CallError::Rejected { .. } => error(&format!("{failure}\n  = help: {}", tool.signature())),
        other => error(&other.to_string()),
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

/// A value is read by the parameter's type.
pub(crate) fn read(tool: &Tool, name: &str, text: &str) -> Value {
    let field = tool.input.fields().iter().find(|field| field.name == name);
    match field {
        Some(field) => field.schema.read_text(text),
        None => from_schema(tool, name, text),
    }
}

/// A parameter of a schema written by hand: its `type` says how to read it.
fn from_schema(tool: &Tool, name: &str, text: &str) -> Value {
    let property = tool
        .input
        .to_json()
        .get("properties")
        .and_then(|p| p.get(name));
    match property.and_then(|p| p.get("type")).and_then(Value::as_str) {
        Some("string") => json!(text),
        _ => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
    }
}
