//! `larkspur serve`, and bare `larkspur`: MCP over stdio.

use crate::args::{Global, Serve, Surface};
use crate::compose;
use crate::terminal::{BAD, count, note, styled};
use runtime::{Change, Event, Runtime};
use server::control::{self, Control};
use std::io::IsTerminal;
use std::process::ExitCode;

pub(crate) fn run(global: &Global, serve: &Serve) -> anyhow::Result<ExitCode> {
    let Surface::Flat = serve.surface;
    let runtime = compose::watch(global, tell)?;
    welcome(&runtime);
    let executor = compose::executor()?;
    let result = executor.block_on(until_the_end(runtime.clone()));
    let left = runtime.close();
    if left > 0 {
        tracing::warn!("{} did not stop in time", count(left, "module"));
    }
    // A script that does not end must not keep the process.
    executor.shutdown_background();
    result.map(|()| ExitCode::SUCCESS)
}

async fn until_the_end(runtime: Runtime) -> anyhow::Result<()> {
    let _control = match Control::start(runtime.clone(), &control::directory()) {
        Ok(control) => Some(control),
        Err(error) => {
            tracing::warn!("`larkspur status` will not find this server: {error}");
            None
        }
    };
    tokio::select! {
        served = server::serve_stdio(runtime) => Ok(served?),
        () = compose::told_to_end() => Ok(()),
    }
}

/// Somebody who starts a stdio server by hand sees nothing: say what it waits for.
fn welcome(runtime: &Runtime) {
    let catalog = runtime.catalog();
    for note_of in &catalog.notes {
        note(&format!("note: {note_of}"));
    }
    for folder in runtime.folders().iter().filter(|folder| !folder.exists()) {
        note(&format!(
            "note: there is no folder {} yet; it is served when it appears",
            folder.root().display()
        ));
    }
    if std::io::stdin().is_terminal() {
        note(&format!(
            "larkspur: speaking MCP on stdin and stdout, {} in {}; waiting for a client\n  \
             at a terminal you may want: larkspur dev · larkspur list · larkspur call MODULE.TOOL",
            count(catalog.tool_count(), "tool"),
            count(catalog.modules().count(), "module"),
        ));
    }
}

/// What an author should see while a client is served.
fn tell(event: &Event) {
    let name = event
        .module
        .as_ref()
        .map_or_else(|| event.file.clone(), ToString::to_string);
    match &event.change {
        Change::Loaded { .. } | Change::Tests => {}
        Change::Reloaded { tools } => note(&format!("reloaded {name}: {}", count(*tools, "tool"))),
        Change::Removed => note(&format!("removed {name}")),
        Change::Waiting { fault } => note(&format!("{} is waiting\n{fault}", event.file)),
        Change::Broken {
            fault,
            still_served,
        } => {
            let rest = if *still_served {
                "; its last good version is still served"
            } else {
                ""
            };
            note(&format!(
                "{} {} cannot be loaded{rest}\n{fault}",
                styled(BAD, "error:"),
                event.file
            ));
        }
    }
}
