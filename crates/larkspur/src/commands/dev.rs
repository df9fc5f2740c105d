//! `larkspur dev`: the folder while somebody writes in it, and clients call what is there.

use crate::args::{Dev, Global};
use crate::commands::serve::{answer_orders, obey_signals, refused_by};
use crate::commands::test::run_tests;
use crate::compose::{self, Signals};
use crate::data_folder;
use crate::doors::{self, Plan};
use crate::live;
use crate::terminal::{BAD, DIM, GOOD, STRONG, WARN, note, offers, say, styled, waiting_for};
use model::Fault;
use runtime::{Catalog, Change, Event, Module, Runtime, Settings};
use server::control::Control;
use server::{HttpListener, Server};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Changes that come together are answered by one run of the tests.
const TOGETHER: Duration = Duration::from_millis(30);

pub(crate) fn run(global: &Global, dev: &Dev) -> anyhow::Result<ExitCode> {
    let project = compose::project_with_data(global)?;
    let server_table = &project.project().server;
    let plan = match doors::plan_dev(dev, &project) {
        Ok(plan) => plan,
        Err(refused) => return Ok(refused_by(&refused)),
    };
    let executor = compose::executor()?;
    // Only what was typed is asked for: the port in larkspur.toml may be in use by what is served.
    let opening = doors::open_somewhere(&plan, dev.port.is_some());
    let door = match executor.block_on(opening) {
        Ok(door) => door,
        Err(refused) => return Ok(refused_by(&refused)),
    };
    let address = door.address()?;
    let (tell, told) = channel();
    let tell = move |event: &Event| drop(tell.send(event.clone()));
    let loading = compose::settings_with_surface(global, dev.surface)?;
    let loading = Settings { observer: Some(Arc::new(live::show)), ..loading };
    let runtime = Runtime::watch(loading, tell);
    data_folder::warn_of_damage(&runtime);
    if let Some(text) = doors::unused_token(&plan) {
        note(&format!("note: {text}"));
    }
    let signals = Signals::listen_on(&executor)?;
    welcome(&runtime, &plan, address);
    let server = Server::new(runtime.clone(), &doors::server_settings(server_table));
    let control = {
        let _within = executor.enter();
        answer_orders(&runtime, Some(address))
    };
    executor.spawn(serve(server, runtime.clone(), door, control, signals));
    // The first look has been told of as well; the board says it better.
    while told.try_recv().is_ok() {}
    board(&runtime, &runtime.catalog());
    tests(global, &runtime);
    follow(global, &runtime, &told);
    Ok(ExitCode::SUCCESS)
}

fn welcome(runtime: &Runtime, plan: &Plan, address: SocketAddr) {
    let folders = runtime.folders().iter();
    let folders: Vec<String> = folders.map(|f| f.root().display().to_string()).collect();
    say(&format!(
        "{} watching {}   {}",
        styled(STRONG, format!("larkspur {} dev", env!("CARGO_PKG_VERSION"))),
        folders.join(", "),
        styled(DIM, "ctrl-c to stop")
    ));
    let moved = if plan.port != 0 && plan.port != address.port() {
        format!("   port {} is taken", plan.port)
    } else {
        String::new()
    };
    say(&format!(
        "  serving http://{address}/mcp{moved}\n  for a client's configuration:\n{}",
        live::configuration(address, plan)
    ));
}

/// Serves until it is told to end: what was begun is finished, modules that have started are stopped,
/// and then nothing is left to do.
async fn serve(
    server: Server,
    runtime: Runtime,
    door: HttpListener,
    control: Option<Control>,
    mut signals: Signals,
) {
    tokio::select! {
        () = server.serve_http(door) => {}
        () = obey_signals(&server, &runtime, &mut signals) => {}
    }
    server.abort();
    drop(control);
    let _ = tokio::task::spawn_blocking(move || runtime.close()).await;
    std::process::exit(0);
}

fn board(runtime: &Runtime, catalog: &Catalog) {
    for module in catalog.modules() {
        let offers = offers(module.offers());
        say(&format!(
            "  {} {}  {}  loaded in {:.1} ms",
            styled(GOOD, "●"),
            styled(STRONG, &module.name),
            offers,
            module.loaded_in.as_secs_f64() * 1000.0
        ));
        waits(runtime, module);
    }
    for (file, broken) in &catalog.broken {
        say(&format!("  {} {file}\n{}", styled(BAD, "✗"), indented(&broken.fault.to_string())));
    }
    for tool in &catalog.unlisted {
        say(&unlisted(tool.tool.module.as_str(), &tool.fault()));
    }
    for text in &catalog.notes {
        say(&format!("  note: {text}"));
    }
    if catalog.tool_count() > 0 {
        say(&format!("  surface: {}", catalog.front.choice));
    }
    if catalog.modules().count() == 0 && catalog.broken.is_empty() {
        say("  no modules yet; `larkspur new hello` writes one");
    }
}

/// A module with a tool that is not listed.
fn unlisted(module: &str, fault: &Fault) -> String {
    let fault = indented(&fault.to_string());
    format!("  {} {module}  a tool is not listed\n{fault}", styled(BAD, "✗"))
}

/// What a module cannot do before somebody has set its secrets.
fn waits(runtime: &Runtime, module: &Module) {
    for secret in runtime.waiting_for(module) {
        let waits = waiting_for(module.name.as_str(), &secret);
        say(&format!("    {} {waits}", styled(WARN, "◐")));
    }
}

fn follow(global: &Global, runtime: &Runtime, told: &Receiver<Event>) {
    let show = |event: &Event| {
        show(event);
        let catalog = runtime.catalog();
        let mut modules = catalog.modules();
        if let Change::Loaded(_) | Change::Reloaded(_) = event.change
            && let Some(module) = modules.find(|m| Some(&m.name) == event.module.as_ref())
        {
            waits(runtime, module);
        }
    };
    while let Ok(first) = told.recv() {
        show(&first);
        loop {
            match told.recv_timeout(TOGETHER) {
                Ok(event) => show(&event),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        tests(global, runtime);
    }
}

fn show(event: &Event) {
    let name = event.module.as_ref().map_or_else(|| event.file.clone(), ToString::to_string);
    let took = format!("{:.1} ms", event.took.as_secs_f64() * 1000.0);
    let (good, quiet) = (styled(GOOD, "●"), styled(DIM, "○"));
    let bad = |mark: String, what: &str, fault: &Fault| {
        format!("  {mark} {}  {what}\n{}", event.file, indented(&fault.to_string()))
    };
    let cross = styled(BAD, "✗");
    say(&match &event.change {
        Change::Loaded(all) => format!("  {good} {name}  loaded, {}, {took}", offers(*all)),
        Change::Reloaded(all) => format!("  {good} {name}  reloaded, {}, {took}", offers(*all)),
        Change::Removed => format!("  {quiet} {name}  removed"),
        Change::Surface(choice) => format!("  surface: {choice}"),
        Change::Tests => format!("  {quiet} {}  saved", event.file),
        Change::Partial { fault } => bad(cross, "served without an invalid tool", fault),
        Change::Waiting { fault } => bad(styled(DIM, "◐"), "waiting", fault),
        Change::Unlisted { fault } => unlisted(&name, fault),
        Change::Halted { fault } => bad(cross, "stopped", fault),
        Change::Broken { fault, still_served: true } => {
            bad(cross, "new version refused, the last good one is still served", fault)
        }
        Change::Broken { fault, still_served: false } => bad(cross, "not served", fault),
    });
}

/// Failures in full, passes as a number.
fn tests(global: &Global, runtime: &Runtime) {
    let mut lines = Vec::new();
    let abandoned = runtime.abandoned();
    let summary = run_tests(global, abandoned, &mut |line| lines.push(line.to_owned()));
    if summary.total == 0 {
        return;
    }
    if summary.failed == 0 {
        say(&format!("    tests: {} passed", summary.passed));
        return;
    }
    for line in lines.iter().filter(|line| line.trim_start().starts_with('✗')) {
        say(&indented(line));
    }
    say(&format!(
        "    tests: {}, {} passed",
        styled(BAD, format!("{} failed", summary.failed)),
        summary.passed
    ));
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}
