//! `larkspur call`: one tool call from the shell, down the same road as a client's.

use crate::args::{Call as CallArgs, Format, Global};
use crate::compose;
use crate::terminal::{error, note, say, unserved};
use anyhow::{Context, bail};
use model::{Args, Output, Tool, did_you_mean};
use runtime::{Call, CallError, Lookup, Runtime};
use serde_json::{Value, json};
use std::io::Read;
use std::process::ExitCode;

/// The tool said error.
const SAID_ERROR: u8 = 5;
/// Wrong usage, or no such tool.
const USAGE: u8 = 2;
/// Ended by ctrl-c, as shells say it.
const INTERRUPTED: u8 = 130;

pub(crate) fn run(global: &Global, args: &CallArgs) -> anyhow::Result<ExitCode> {
    let runtime = compose::open(global)?;
    let handle = match runtime.catalog().lookup(&args.tool) {
        Lookup::Found(handle) => handle,
        other => return Ok(not_found(&runtime, &args.tool, &other)),
    };
    let given = match arguments(&args.arguments, &handle.tool().tool) {
        Ok(given) => given,
        Err(why) => {
            error(&format!("{why:#}"));
            return Ok(ExitCode::from(USAGE));
        }
    };
    let call = Call::new(handle.path().to_string(), given);
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
        Err(failure) => Ok(failed(&failure, &handle.tool().tool, args.format)),
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
        let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
        error(&format!(
            "several modules have a tool `{name}`: {}",
            paths.join(", ")
        ));
    } else {
        let paths: Vec<String> = catalog
            .tools()
            .map(|(_, handle)| handle.path().to_string())
            .collect();
        let near = did_you_mean(name, paths.iter().map(String::as_str));
        let hint = near.map_or_else(
            || "`larkspur list` shows what there is".into(),
            |n| format!("did you mean `{n}`?"),
        );
        error(&format!("there is no tool `{name}`; {hint}"));
    }
    for (file, broken) in &catalog.broken {
        note(&unserved(file, broken));
    }
    ExitCode::from(USAGE)
}

/// `name=value` is read by the parameter's type, `name:=json` as it stands, `-` takes standard input.
fn arguments(words: &[String], tool: &Tool) -> anyhow::Result<Args> {
    let mut args = Args::new();
    for word in words {
        if word == "-" {
            let mut text = String::new();
            std::io::stdin()
                .read_to_string(&mut text)
                .context("standard input cannot be read")?;
            match serde_json::from_str(&text).context("standard input is not JSON")? {
                Value::Object(given) => args.extend(given),
                _ => bail!("standard input must hold a JSON object"),
            }
            continue;
        }
        let (name, value) = argument(word, tool)?;
        args.insert(name, value);
    }
    Ok(args)
}

fn argument(word: &str, tool: &Tool) -> anyhow::Result<(String, Value)> {
    let Some((name, text)) = word.split_once('=') else {
        bail!("`{word}` is not an argument; write name=value, name:=json or -");
    };
    if let Some(name) = name.strip_suffix(':') {
        let json = serde_json::from_str(text)
            .with_context(|| format!("the value of `{name}` is not JSON"))?;
        return Ok((name.to_owned(), json));
    }
    let field = tool.input.fields().iter().find(|field| field.name == name);
    let value = match field {
        Some(field) => field.schema.read_text(text),
        None => from_schema(tool, name, text),
    };
    Ok((name.to_owned(), value))
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
