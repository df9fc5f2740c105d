//! `larkspur serve`, and bare `larkspur`: MCP over stdio, HTTP or both.

use crate::args::{Global, Serve};
use crate::compose::{self, SignalOrder, Signals};
use crate::data_folder;
use crate::doors::{self, Plan, Refused};
use crate::terminal::{BAD, count, error, note, offers, styled, unread};
use crate::variables;
use runtime::{Change, Event, Runtime, Settings};
use server::control::{self, Control};
use server::{HttpListener, Login, Server, StdioEnd};
use settings::Surface;
use std::io::{ErrorKind, IsTerminal};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

/// How long tasks have to notice that the server ends.
const LAST_WORDS: Duration = Duration::from_secs(2);

pub(crate) fn run(global: &Global, serve: &Serve) -> anyhow::Result<ExitCode> {
    compose::prepare_engine();
    let project = compose::project_with_data(global)?;
    let server_table = &project.project().server;
    let plan = match doors::plan(serve, &project) {
        Ok(plan) => plan,
        Err(refused) => return Ok(refused_by(&refused)),
    };
    let executor = compose::executor()?;
    // Before anything is started: whoever cannot listen has nothing to serve.
    let door = match plan.transport.http.then(|| executor.block_on(doors::open(&plan))) {
        Some(Err(refused)) => return Ok(refused_by(&refused)),
        Some(Ok(door)) => Some(door),
        None => None,
    };
    let settings = doors::server_settings(server_table);
    let runtime = Runtime::watch(
        Settings {
            refuses_extensions: plan.refuses_extensions,
            ..compose::settings_with_surface(global, serve.surface)?
        },
        tell,
    );
    data_folder::warn_of_damage(&runtime);
    // From the first line on that says it is there, a signal ends it in order.
    let signals = Signals::listen_on(&executor)?;
    for text in doors::unused(serve, &plan) {
        note(&format!("note: {text}"));
    }
    welcome(&runtime, &plan);
    if let Some(door) = &door {
        listening(door, &plan)?;
    }
    let server = Server::new(runtime.clone(), &settings);
    let result = executor.block_on(async {
        let result = serve_all(&server, &runtime, &plan, door, signals).await;
        server.abort();
        let _ = tokio::time::timeout(LAST_WORDS, server.end_tasks()).await;
        result
    });
    let left = runtime.close();
    if left > 0 {
        tracing::warn!("{} did not stop in time", count(left, "module"));
    }
    // A script that does not end must not keep the process.
    executor.shutdown_background();
    let cut_off = result?.cut_off;
    if cut_off.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let (requests, subjects) = (count(cut_off.len(), "request"), cut_off.join(", "));
    error(&format!("{requests} cut off without a response: {subjects}"));
    Ok(ExitCode::FAILURE)
}

pub(crate) fn refused_by(refused: &Refused) -> ExitCode {
    error(&refused.to_string());
    ExitCode::from(refused.code)
}

/// Serves on all transports until they have ended.
async fn serve_all(
    server: &Server,
    runtime: &Runtime,
    plan: &Plan,
    listener: Option<HttpListener>,
    mut signals: Signals,
) -> anyhow::Result<StdioEnd> {
    let address = listener.as_ref().and_then(|listener| listener.address().ok());
    let _control = answer_orders(runtime, address);
    let has_http = listener.is_some();
    let stdio = async {
        if !plan.transport.stdio {
            return Ok(StdioEnd::default());
        }
        let end = server.serve_stdio();
        tokio::pin!(end);
        tokio::select! {
            end = &mut end => return end,
            () = server.input_closed() => {}
        }
        if has_http {
            note("larkspur: stdin closed; HTTP is still served");
        }
        let end = end.await;
        if !has_http {
            server.end();
        }
        end
    };
    let http = async {
        if let Some(listener) = listener {
            server.serve_http(listener).await;
        }
    };
    let all = async {
        let (end, ()) = tokio::join!(stdio, http);
        end
    };
    tokio::select! {
        end = all => Ok(end?),
        () = obey_signals(server, runtime, &mut signals) => Ok(StdioEnd::default()),
    }
}

/// Lets `larkspur status` and its kin find this server, as long as what is given back lives.
pub(crate) fn answer_orders(runtime: &Runtime, address: Option<SocketAddr>) -> Option<Control> {
    Control::start(runtime.clone(), address, &control::directory())
        .inspect_err(|error| {
            tracing::warn!("`larkspur status` will not find this server: {error}");
        })
        .ok()
}

/// The first signal lets what was begun be finished; the second ends this.
pub(crate) async fn obey_signals(server: &Server, runtime: &Runtime, signals: &mut Signals) {
    let mut next = async || {
        while signals.next_order().await == SignalOrder::Reread {
            note("larkspur: SIGHUP: reading the configuration and the folders again");
            runtime.reread();
        }
    };
    tokio::select! {
        () = next() => server.end(),
        () = server.ending() => {}
    }
    next().await;
}

fn listening(door: &HttpListener, plan: &Plan) -> anyhow::Result<()> {
    note(&format!("larkspur: listening on http://{}/mcp", door.address()?));
    if plan.made_token
        && let Login::Token(token) = &plan.entrance.login
    {
        note(&format!(
            "  send `Authorization: Bearer {}`\n  this token holds until the server ends; set {} \
             to choose one that lasts",
            token.reveal(),
            variables::TOKEN
        ));
    }
    Ok(())
}

/// Somebody who starts a stdio server by hand sees nothing: say what it waits for.
fn welcome(runtime: &Runtime, plan: &Plan) {
    let catalog = runtime.catalog();
    let reached = catalog.extension_note().filter(|_| plan.transport.http);
    for note_of in catalog.notes.iter().chain(&reached) {
        note(&format!("note: {note_of}"));
    }
    for tool in &catalog.unlisted {
        error(&tool.fault().to_string());
    }
    let (choice, is_watched) = (&catalog.front.choice, std::io::stdin().is_terminal());
    // That every tool is listed is news to nobody but who looks.
    if choice.asked == Surface::Auto && (choice.shows_modules || is_watched) {
        note(&format!("surface: {choice}"));
    }
    for folder in runtime.folders() {
        let shown = folder.root().display();
        match folder.trouble() {
            None => {}
            Some(why) if why.kind() == ErrorKind::NotFound => {
                note(&format!(
                    "note: there is no folder {shown} yet; it is served when it appears"
                ));
            }
            Some(why) => note(&format!("note: the folder {shown} cannot be read: {why}")),
        }
    }
    for text in unread(runtime.folders()) {
        note(&format!("note: {text}"));
    }
    if plan.transport.stdio && is_watched {
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
    let name = event.module.as_ref().map_or_else(|| event.file.clone(), ToString::to_string);
    match &event.change {
        Change::Loaded(_) | Change::Tests => {}
        Change::Reloaded(all) => note(&format!("reloaded {name}: {}", offers(*all))),
        Change::Removed => note(&format!("removed {name}")),
        Change::Surface(choice) => note(&format!("surface: {choice}")),
        Change::Partial { fault } => note(&format!(
            "{} {} is served without an invalid tool\n{fault}",
            styled(BAD, "error:"),
            event.file
        )),
        Change::Waiting { fault } => note(&format!("{} is waiting\n{fault}", event.file)),
        Change::Unlisted { fault } => error(&fault.to_string()),
        Change::Halted { fault } => {
            let error = styled(BAD, "error:");
            note(&format!("{error} {} was stopped\n{fault}", event.file));
        }
        Change::Broken { fault, still_served } => {
            let rest = if *still_served { "; its last good version is still served" } else { "" };
            note(&format!(
                "{} {} cannot be loaded{rest}\n{fault}",
                styled(BAD, "error:"),
                event.file
            ));
        }
    }
}
