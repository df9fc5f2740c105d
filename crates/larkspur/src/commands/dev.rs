//! `larkspur dev`: the folder while somebody writes in it.

use crate::args::Global;
use crate::commands::test::run_tests;
use crate::compose;
use crate::terminal::{BAD, DIM, GOOD, STRONG, count, offers, say, styled};
use runtime::{Catalog, Change, Event, Runtime};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Changes that come together are answered by one run of the tests.
const TOGETHER: Duration = Duration::from_millis(30);

pub(crate) fn run(global: &Global) -> anyhow::Result<ExitCode> {
    let (tell, told) = channel();
    let runtime = compose::watch(global, move |event| drop(tell.send(event.clone())))?;
    let executor = compose::executor()?;
    executor.spawn(end_with_ctrl_c(runtime.clone()));
    let folders: Vec<String> = runtime
        .folders()
        .iter()
        .map(|f| f.root().display().to_string())
        .collect();
    say(&format!(
        "{} watching {}   {}",
        styled(
            STRONG,
            format!("larkspur {} dev", env!("CARGO_PKG_VERSION"))
        ),
        folders.join(", "),
        styled(DIM, "ctrl-c to stop")
    ));
    // The first look has been told of as well; the board says it better.
    while told.try_recv().is_ok() {}
    board(&runtime.catalog());
    tests(global);
    follow(global, &told);
    Ok(ExitCode::SUCCESS)
}

/// Modules that have started are stopped, then nothing is left to do.
async fn end_with_ctrl_c(runtime: Runtime) {
    compose::told_to_end().await;
    let _ = tokio::task::spawn_blocking(move || runtime.close()).await;
    std::process::exit(0);
}

fn board(catalog: &Catalog) {
    for module in catalog.modules() {
        let script = &module.script;
        let offers = offers(
            module.tools.len(),
            script.resources.len(),
            script.prompts.len(),
        );
        say(&format!(
            "  {} {}  {}  loaded in {:.1} ms",
            styled(GOOD, "●"),
            styled(STRONG, &module.name),
            offers,
            module.loaded_in.as_secs_f64() * 1000.0
        ));
    }
    for (file, broken) in &catalog.broken {
        say(&format!(
            "  {} {file}\n{}",
            styled(BAD, "✗"),
            indented(&broken.fault.to_string())
        ));
    }
    for text in &catalog.notes {
        say(&format!("  note: {text}"));
    }
    if catalog.modules().count() == 0 && catalog.broken.is_empty() {
        say("  no modules yet; `larkspur new hello` writes one");
    }
}

fn follow(global: &Global, told: &Receiver<Event>) {
    while let Ok(first) = told.recv() {
        show(&first);
        loop {
            match told.recv_timeout(TOGETHER) {
                Ok(event) => show(&event),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        tests(global);
    }
}

fn show(event: &Event) {
    let name = event
        .module
        .as_ref()
        .map_or_else(|| event.file.clone(), ToString::to_string);
    let took = format!("{:.1} ms", event.took.as_secs_f64() * 1000.0);
    say(&match &event.change {
        Change::Loaded { tools } => format!(
            "  {} {name}  loaded, {}, {took}",
            styled(GOOD, "●"),
            count(*tools, "tool")
        ),
        Change::Reloaded { tools } => format!(
            "  {} {name}  reloaded, {}, {took}",
            styled(GOOD, "●"),
            count(*tools, "tool")
        ),
        Change::Removed => format!("  {} {name}  removed", styled(DIM, "○")),
        Change::Tests => format!("  {} {}  saved", styled(DIM, "○"), event.file),
        Change::Waiting { fault } => format!(
            "  {} {}  waiting\n{}",
            styled(DIM, "◐"),
            event.file,
            indented(&fault.to_string())
        ),
        Change::Broken {
            fault,
            still_served,
        } => {
            let served = if *still_served {
                "new version refused, the last good one is still served"
            } else {
                "not served"
            };
            format!(
                "  {} {}  {served}\n{}",
                styled(BAD, "✗"),
                event.file,
                indented(&fault.to_string())
            )
        }
    });
}

/// Failures in full, passes as a number.
fn tests(global: &Global) {
    let mut lines = Vec::new();
    let summary = run_tests(global, None, &mut |line| lines.push(line.to_owned()));
    if summary.total == 0 {
        return;
    }
    if summary.failed == 0 {
        say(&format!("    tests: {} passed", summary.passed));
        return;
    }
    for line in lines
        .iter()
        .filter(|line| line.trim_start().starts_with('✗'))
    {
        say(&indented(line));
    }
    say(&format!(
        "    tests: {}, {} passed",
        styled(BAD, format!("{} failed", summary.failed)),
        summary.passed
    ));
}

fn indented(text: &str) -> String {
    text.lines()
        .map(|line| format!("    {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}
