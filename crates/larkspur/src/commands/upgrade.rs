//! `larkspur check --upgrade`: what of a project made for version 0.1 breaks, and the fixes.

use crate::args::{Check, Global};
use crate::commands::check::{MOST_ROUNDS, report};
use crate::compose;
use crate::data_folder;
use crate::terminal::{BAD, count, error, note, print, say, styled};
use crate::upgrade::{Break, Repair, breaks};
use check::Finding;
use serde_json::{Value, json};
use std::process::ExitCode;

pub(crate) fn run(global: &Global, args: &Check) -> anyhow::Result<ExitCode> {
    let mut breaks = find(global)?;
    if args.fix {
        breaks = edited(global, breaks)?;
        breaks = moved(global, breaks)?;
    }
    let all = || breaks.iter().map(Break::to_json).collect::<Vec<Value>>();
    print(args.format, || json!({ "breaks": all() }), || show(&breaks))?;
    Ok(ExitCode::from(u8::from(!breaks.is_empty())))
}

fn find(global: &Global) -> anyhow::Result<Vec<Break>> {
    let project = compose::project(global)?;
    let runtime = compose::look(global)?;
    let findings = check::find(&runtime);
    Ok(breaks(global, &project, &runtime, findings))
}

/// Edits files until nothing more can be.
fn edited(global: &Global, mut breaks: Vec<Break>) -> anyhow::Result<Vec<Break>> {
    for _ in 0..MOST_ROUNDS {
        let findings = breaks.iter().filter_map(|one| match &one.repair {
            Repair::Edit(finding) => Some((**finding).clone()),
            Repair::MoveData | Repair::ByHand => None,
        });
        let findings: Vec<Finding> = findings.collect();
        if !report(&check::mend(&findings)) {
            break;
        }
        breaks = find(global)?;
    }
    Ok(breaks)
}

/// Moves the data folder, if it is certain whose it is.
fn moved(global: &Global, breaks: Vec<Break>) -> anyhow::Result<Vec<Break>> {
    if !breaks.iter().any(|one| matches!(one.repair, Repair::MoveData)) {
        return Ok(breaks);
    }
    if let Err(why) = data_folder::settle(global, &compose::project(global)?) {
        error(&why.to_string());
    }
    find(global)
}

fn show(breaks: &[Break]) {
    for one in breaks {
        say(&format!("{} {}", styled(BAD, format!("{}:", one.area)), one.what));
        if let Some(help) = &one.help {
            say(&format!("  → {help}"));
        }
    }
    if breaks.is_empty() {
        return note("nothing of this project breaks in this version");
    }
    note(&format!("{} of this project to change for this version", count(breaks.len(), "thing")));
    let fixable = breaks.iter().filter(|one| one.is_fixable()).count();
    if fixable > 0 {
        note(&format!("`larkspur check --upgrade --fix` changes {fixable} of them"));
    }
}
