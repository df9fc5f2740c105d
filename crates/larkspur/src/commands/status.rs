//! `larkspur status`: asks the servers that run.

use crate::args::{Format, Global, Status as StatusArgs};
use crate::compose;
use crate::terminal::{BAD, DIM, GOOD, STRONG, count, note, say, styled};
use runtime::{ModuleStatus, Status};
use server::control;
use std::process::ExitCode;
use std::time::Duration;

pub(crate) fn run(global: &Global, args: &StatusArgs) -> anyhow::Result<ExitCode> {
    let wanted: Vec<String> = compose::folders(global)
        .iter()
        .map(|folder| {
            std::path::absolute(folder)
                .unwrap_or_else(|_| folder.clone())
                .display()
                .to_string()
        })
        .collect();
    let mut running = control::ask_all(&control::directory());
    if !args.all {
        running.retain(|status| status.folders.iter().any(|folder| wanted.contains(folder)));
    }
    if args.format == Format::Json {
        say(&serde_json::to_string_pretty(&running)?);
    } else {
        for status in &running {
            show(status);
        }
    }
    if running.is_empty() {
        note(&format!("no server is running for {}", wanted.join(" or ")));
        return Ok(ExitCode::from(1));
    }
    Ok(ExitCode::SUCCESS)
}

fn show(status: &Status) {
    let up = Duration::from_millis(status.uptime_ms).as_secs();
    say(&format!(
        "{}  process {}, up {up} s, {}, {} ({} failed, {} in flight), {}",
        styled(STRONG, format!("larkspur {}", status.version)),
        status.pid,
        count(status.tools, "tool"),
        count(usize::try_from(status.calls).unwrap_or(usize::MAX), "call"),
        status.failed,
        status.in_flight,
        count(
            usize::try_from(status.reloads).unwrap_or(usize::MAX),
            "reload"
        ),
    ));
    if status.stuck > 0 {
        say(&format!(
            "  {} {} threads did not come back at their deadline",
            styled(BAD, "✗"),
            status.stuck
        ));
    }
    for module in &status.modules {
        say(&line(module));
    }
    for text in &status.notes {
        say(&format!("  note: {text}"));
    }
}

fn line(module: &ModuleStatus) -> String {
    let name = module.name.as_deref().unwrap_or(&module.file);
    match (module.state.as_str(), &module.report) {
        ("ok", _) => {
            format!(
                "  {} {name}  {}  {}",
                styled(GOOD, "●"),
                count(module.tools, "tool"),
                styled(DIM, &module.file)
            )
        }
        (state, report) => {
            let served = if state == "stale" {
                "the last good version is still served"
            } else {
                "not served"
            };
            let report = report
                .as_deref()
                .unwrap_or_default()
                .replace('\n', "\n    ");
            format!(
                "  {} {name}  {state}: {served}\n    {report}",
                styled(BAD, "✗")
            )
        }
    }
}
