//! `larkspur batch`: calls that use each other's results, down the same road as a client's batch, with a
//! picture of them on the terminal while they run.

use crate::args::{Batch as BatchArgs, Format, Global};
use crate::compose::{self, Signals};
use crate::exit::{FAILED, SAID_ERROR, wrong_usage};
use crate::terminal::{BAD, DIM, GOOD, STRONG, error, note, say, styled};
use anyhow::Context;
use model::Caller;
use plan::{Run, Stage, Status, Task};
use runtime::{Batch, BatchAnswer, Meta, Runtime, Trail, Watch};
use serde_json::{Map, Value};
use std::io::{IsTerminal, Read};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// Of a picture: it is drawn again and again, so all of it must be on the screen.
const MOST_LINES: usize = 20;
pub(crate) fn run(global: &Global, args: &BatchArgs) -> anyhow::Result<ExitCode> {
    let tasks = Value::String(text(&args.file).map_err(wrong_usage)?);
    compose::with_runtime(global, |runtime| run_batch(runtime, tasks, args.format))
}

fn run_batch(runtime: &Runtime, tasks: Value, format: Format) -> anyhow::Result<ExitCode> {
    let cancel = CancellationToken::new();
    let batch = Batch {
        meta: Meta::Batch,
        tasks,
        watch: std::io::stderr().is_terminal().then(picture),
        lines: None,
        caller: Caller::default(),
        cancel: cancel.clone(),
        trail: Trail::default(),
    };
    let answer = compose::executor()?.block_on(async {
        let mut signals = Signals::listen()?;
        let mut work = std::pin::pin!(runtime.batch(batch));
        let answer = tokio::select! {
            answer = &mut work => answer,
            () = signals.next() => {
                // Results of finished tasks are still printed.
                cancel.cancel();
                work.await
            }
        };
        anyhow::Ok(answer)
    })?;
    // What modules log at their end stands before the results.
    runtime.close();
    let answer =
        answer.map_err(|refused| wrong_usage(format!("nothing was called:\n{refused}")))?;
    Ok(show(answer, format))
}

/// The file's text, or what stands on standard input.
#[expect(clippy::disallowed_methods, reason = "the file is named on the command line")]
fn text(file: &str) -> anyhow::Result<String> {
    if file == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("standard input is not text")?;
        return Ok(text);
    }
    std::fs::read_to_string(file).with_context(|| format!("cannot read {file}"))
}

fn show(answer: BatchAnswer, format: Format) -> ExitCode {
    let (is_error, whole) = (answer.is_error(), answer.into_json());
    let part = |name: &str| whole.get(name).and_then(Value::as_object);
    let none = Map::new();
    let errors = part("errors").unwrap_or(&none);
    match format {
        Format::Json => say(&format!("{whole:#}")),
        Format::Text => {
            results(part("results").unwrap_or(&none), part("tasks"));
            for (id, failure) in errors {
                let why = failure["message"].as_str().unwrap_or_default();
                error(&format!("{id}: {why}"));
            }
        }
    }
    match (is_error, errors.is_empty()) {
        (true, _) => ExitCode::from(SAID_ERROR),
        (false, false) => ExitCode::from(FAILED),
        (false, true) => ExitCode::SUCCESS,
    }
}

/// One result is shown as it is; several have their names above them.
fn results(results: &Map<String, Value>, tasks: Option<&Map<String, Value>>) {
    for (id, result) in results {
        if results.len() > 1 {
            say(&styled(STRONG, format!("# {id}")));
        }
        match result {
            Value::String(text) => say(text),
            value => say(&format!("{value:#}")),
        }
        let told = tasks.and_then(|tasks| tasks.get(id)?.get("note")?.as_str());
        if let Some(told) = told {
            note(&styled(DIM, told));
        }
    }
}

/// A line a task, drawn over the lines before.
fn picture() -> Watch {
    let drawn = Mutex::new(0);
    Arc::new(move |run: &Run| {
        let mut drawn = drawn.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = lines(run);
        let up = match *drawn {
            0 => String::new(),
            lines => format!("\x1b[{lines}A"),
        };
        *drawn = lines.len();
        let lines: Vec<String> = lines.iter().map(|line| format!("\x1b[2K{line}")).collect();
        // What was drawn below, and is no longer there, goes.
        note(&format!("{up}{}\x1b[J", lines.join("\n")));
    })
}

/// Every task, or where they would not fit on a screen those that run and how many have ended.
fn lines(run: &Run) -> Vec<String> {
    let line = |task: &Task, stage| format!("{} {}  {}", mark(stage), task.id, beside(stage));
    let stages: Vec<_> = run.stages().collect();
    if stages.len() <= MOST_LINES {
        return stages.iter().map(|(task, stage)| line(task, *stage)).collect();
    }
    let running = stages.iter();
    let running = running.filter(|(_, stage)| matches!(stage, Stage::Running { .. }));
    let mut lines: Vec<String> = running.map(|(task, stage)| line(task, *stage)).collect();
    let ended = stages.iter();
    let ended = ended.filter(|(_, stage)| matches!(stage, Stage::Ended(_)));
    lines.push(format!("{} of {} have ended", ended.count(), stages.len()));
    lines
}

fn mark(stage: Stage) -> String {
    match stage {
        Stage::Waiting => styled(DIM, "·"),
        Stage::Running { .. } => styled(STRONG, "◐"),
        Stage::Ended(Status::Ok) => styled(GOOD, "●"),
        Stage::Ended(Status::Skipped) => styled(DIM, "○"),
        Stage::Ended(Status::Error | Status::Cancelled) => styled(BAD, "✗"),
    }
}

fn beside(stage: Stage) -> String {
    let words = match stage {
        Stage::Running { of, ended } if of > 1 => format!("{ended} of {of}"),
        Stage::Ended(status) if status != Status::Ok => status.as_str().to_owned(),
        _ => String::new(),
    };
    styled(DIM, words)
}
