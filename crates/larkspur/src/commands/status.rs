//! `larkspur status`: asks the servers that run.

use crate::args::{Global, Status as StatusArgs};
use crate::compose;
use crate::exit::FAILED;
use crate::terminal::{BAD, DIM, GOOD, STRONG, WARN, count, note, print, say, styled, waiting_for};
use runtime::{ModuleStatus, Status};
use serde_json::Value;
use server::control::{self, Running};
use std::process::ExitCode;
use std::time::Duration;

pub(crate) fn run(global: &Global, args: &StatusArgs) -> anyhow::Result<ExitCode> {
    let running = running(global, args.all);
    let statuses: Vec<&Status> = running.iter().map(|server| &server.status).collect();
    print(args.format, || &statuses, || statuses.iter().copied().for_each(show))?;
    if running.is_empty() {
        let wanted = wanted(global).join(" or ");
        note(&format!("no server is running for {wanted}"));
        return Ok(ExitCode::from(FAILED));
    }
    Ok(ExitCode::SUCCESS)
}

/// The servers that run for these folders, or for any.
pub(crate) fn running(global: &Global, all: bool) -> Vec<Running> {
    let wanted = wanted(global);
    let mut running = control::ask_all(&control::directory());
    running.retain(|server| {
        let mut folders = server.status.folders.iter();
        all || folders.any(|folder| wanted.contains(folder))
    });
    running
}

fn wanted(global: &Global) -> Vec<String> {
    let folders = compose::folders(global).into_iter();
    let absolute = folders.map(|folder| std::path::absolute(&folder).unwrap_or(folder));
    absolute.map(|folder| folder.display().to_string()).collect()
}

pub(crate) fn show(status: &Status) {
    let up = Duration::from_millis(status.uptime_ms).as_secs();
    say(&format!(
        "{}  process {}, up {up} s, {}, {} ({} failed, {} in flight), {}",
        styled(STRONG, format!("larkspur {}", status.version)),
        status.pid,
        count(status.tools, "tool"),
        count(usize::try_from(status.calls).unwrap_or(usize::MAX), "call"),
        status.failed,
        status.in_flight,
        count(usize::try_from(status.reloads).unwrap_or(usize::MAX), "reload"),
    ));
    let address = status.address.map(|address| format!(" at http://{address}/mcp"));
    say(&format!("  serves {}{}", status.folders.join(", "), address.unwrap_or_default()));
    if status.tools > 0 {
        say(&format!("  surface: {}", status.surface));
    }
    if status.stuck > 0 {
        let stuck = usize::try_from(status.stuck).unwrap_or(usize::MAX);
        say(&format!("  {} {}", styled(BAD, "✗"), ignoring(stuck)));
    }
    for module in &status.modules {
        say(&line(module));
        if module.stuck > 0 {
            say(&format!("    {} {}", styled(BAD, "✗"), ignoring(module.stuck)));
        }
        let name = module.name.as_deref().unwrap_or_default();
        for secret in &module.waiting_for {
            let waits = waiting_for(name, secret);
            say(&format!("    {} {waits}", styled(WARN, "◐")));
        }
    }
    for text in &status.notes {
        say(&format!("  note: {text}"));
    }
}

fn ignoring(stuck: usize) -> String {
    let verb = if stuck == 1 { "ignores its" } else { "ignore their" };
    format!("{} {verb} deadline", count(stuck, "thread"))
}

fn line(module: &ModuleStatus) -> String {
    let name = module.name.as_deref().unwrap_or(&module.file);
    let version = module.version.as_deref().unwrap_or_default();
    let name = format!("{name} {version}");
    let name = name.trim_end();
    match module.state.as_str() {
        "running" => {
            let (mark, says) = health(module.status.as_ref());
            format!(
                "  {mark} {name}  {}  {}{says}",
                count(module.tools.len(), "tool"),
                styled(DIM, &module.file)
            )
        }
        "stopped" => format!("  {} {name}  stopped", styled(DIM, "○")),
        "waiting" => {
            let why = module.error.as_deref().unwrap_or_default();
            format!("  {} {name}  waiting: {why}", styled(DIM, "◐"))
        }
        state => {
            let served = match state {
                "stale" => "the last good version is still served",
                "partial" => "served without an invalid tool",
                _ => "not served",
            };
            let report = module.report.as_deref().unwrap_or_default();
            let report = report.replace('\n', "\n    ");
            let bad = styled(BAD, "✗");
            format!("  {bad} {name}  {state}: {served}\n    {report}")
        }
    }
}

/// The mark of a module that runs, and what it says of itself if that is worth a line.
fn health(status: Option<&Value>) -> (String, String) {
    let word = status.and_then(|status| status["status"].as_str());
    match (word, status) {
        (Some("ok") | None, _) | (_, None) => (styled(GOOD, "●"), String::new()),
        (Some(_), Some(status)) => (styled(BAD, "●"), format!("\n    {status}")),
    }
}
