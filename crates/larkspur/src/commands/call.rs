//! `larkspur call`: one tool call from the shell, down the same road as a client's.

use crate::args::{Call as CallArgs, Format, Global};
use crate::commands::arguments::arguments;
use crate::commands::missing::{USAGE, missing, several};
use crate::compose;
use crate::terminal::{error, say};
use model::{Output, TaskUse, Tool};
use runtime::{Call, CallError, Lookup, Runtime};
use serde_json::{Value, json};
use std::process::ExitCode;

/// The tool said error.
const SAID_ERROR: u8 = 5;
/// Ended by ctrl-c, as shells say it.
const INTERRUPTED: u8 = 130;

pub(crate) fn run(global: &Global, args: &CallArgs) -> anyhow::Result<ExitCode> {
    let runtime = compose::open(global)?;
    let handle = match runtime.catalog().lookup(&args.tool) {
        Lookup::Found(handle) => handle,
        other => {
            let code = not_found(&runtime, &args.tool, &other);
            runtime.close();
            return Ok(code);
        }
    };
    let tool = &handle.tool().tool;
    let given = match arguments(&args.arguments, |name, text| read(tool, name, text)) {
        Ok(given) => given,
        Err(why) => {
            runtime.close();
            error(&format!("{why:#}"));
            return Ok(ExitCode::from(USAGE));
        }
    };
    let call = Call {
        long: tool.task != TaskUse::Never,
        ..Call::new(handle.path().to_string(), given)
    };
    let answer = compose::executor()?.block_on(async {
        tokio::select! {
            answer = runtime.call(call) => Some(answer),
            () = compose::told_to_end() => None,
        }
    });
    // Commands that a script has started do not hear the terminal: they are ended here.
    runtime.close();
    let Some(answer) = answer else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    match answer {
        Ok(output) => {
            show(&output, args.format)?;
            Ok(ExitCode::from(if output.is_error { SAID_ERROR } else { 0 }))
        }
        Err(failure) => Ok(failed(&failure, tool, args.format)),
    }
}

fn show(output: &Output, format: Format) -> anyhow::Result<()> {
    match format {
        Format::Text if output.is_error => error(&output.plain_text()),
        Format::Text => say(&output.plain_text()),
        Format::Json => {
            let mut result = json!({"content": output.content, "isError": output.is_error});
            if let Some(structured) = &output.structured {
                result["structuredContent"] = structured.clone();
            }
            say(&serde_json::to_string_pretty(&result)?);
        }
    }
    Ok(())
}

fn failed(failure: &CallError, tool: &Tool, format: Format) -> ExitCode {
    let rejected = matches!(failure, CallError::Rejected { .. });
    if format == Format::Json {
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
    ExitCode::from(if rejected { USAGE } else { SAID_ERROR })
}

fn not_found(runtime: &Runtime, name: &str, lookup: &Lookup) -> ExitCode {
    let catalog = runtime.catalog();
    if let Lookup::Ambiguous(paths) = lookup {
        return several(&catalog, "tool", name, paths);
    }
    let tools = catalog.tools();
    let paths: Vec<String> = tools.map(|(_, tool)| tool.path().to_string()).collect();
    missing(&catalog, "tool", name, &paths)
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
