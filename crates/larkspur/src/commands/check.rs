//! `larkspur check`: what an author should know, without running a tool.

use crate::args::{Check, Global};
use crate::chosen::Chosen;
use crate::commands::upgrade;
use crate::compose;
use crate::exit::wrong_usage;
use crate::given;
use crate::terminal::{BAD, GOOD, WARN, count, error, note, print, say, styled, unread};
use check::{Finding, Findings, Mended};
use model::ModuleName;
use runtime::Folder;
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;

/// One mistake may hide others, such as a line that cannot be read.
pub(crate) const MOST_ROUNDS: usize = 20;

pub(crate) fn run(global: &Global, args: &Check) -> anyhow::Result<ExitCode> {
    given::folders(global)?;
    if args.upgrade {
        return upgrade::run(global, args);
    }
    let (chosen, global) = Chosen::new(global, &args.paths).map_err(wrong_usage)?;
    if let Some(path) = args.paths.iter().find(|path| holds_nothing(path)) {
        return Err(wrong_usage(format!(
            "there is nothing to check in {}: name a .star file, a module.toml or a folder",
            path.display()
        )));
    }
    let mut findings = found(&global, &chosen)?;
    let reached = runtime::extension_note(&extensions(&findings));
    let folders = compose::folders(&global).into_iter().map(Folder::new);
    let unread = unread(&folders.collect::<Vec<_>>());
    for text in findings.notes.iter().chain(&reached).chain(&unread) {
        note(&format!("note: {text}"));
    }
    if args.fix {
        findings = mended(&global, &chosen, findings)?;
    }
    print(args.format, || to_json(&findings), || show(&findings))?;
    let bad = findings.errors() > 0 || (args.strict && findings.warnings() > 0);
    Ok(ExitCode::from(u8::from(bad)))
}

fn extensions(findings: &Findings) -> Vec<&str> {
    findings.extensions.iter().map(ModuleName::as_str).collect()
}

/// Is it a file of another kind than those that modules are made of?
fn holds_nothing(path: &Path) -> bool {
    let is_source = path.extension().is_some_and(|ending| ending == "star");
    let is_manifest = path.file_name().is_some_and(|name| name == "module.toml");
    path.is_file() && !is_source && !is_manifest
}

fn found(global: &Global, chosen: &Chosen) -> anyhow::Result<Findings> {
    let runtime = compose::look(global)?;
    let mut findings = check::find(&runtime);
    if !chosen.is_everything() {
        findings.all.retain(|finding| chosen.has(Path::new(&finding.file)));
        findings.files.retain(|path| chosen.has(path));
        findings.extensions.clear();
        findings.notes.clear();
    }
    Ok(findings)
}

/// Mends until nothing more can be.
fn mended(global: &Global, chosen: &Chosen, mut findings: Findings) -> anyhow::Result<Findings> {
    for _ in 0..MOST_ROUNDS {
        if !report(&check::mend(&findings.all)) {
            break;
        }
        findings = found(global, chosen)?;
    }
    Ok(findings)
}

/// Says what was fixed and what could not be; whether anything was.
pub(crate) fn report(mended: &Mended<'_>) -> bool {
    for why in &mended.failed {
        error(why);
    }
    for finding in &mended.done {
        let place = finding.fault.place.as_ref();
        let line = place.map_or_else(String::new, |place| format!(":{}", place.line));
        let place = format!("{}{line}", finding.file);
        let what = format!("{place} {} {}", finding.code, finding.fault.message);
        note(&format!("{} {what}", styled(GOOD, "mended")));
    }
    !mended.done.is_empty()
}

fn to_json(findings: &Findings) -> Value {
    let all: Vec<Value> = findings.all.iter().map(Finding::to_json).collect();
    json!({
        "files": findings.files.len(),
        "errors": findings.errors(),
        "warnings": findings.warnings(),
        "faults": all,
    })
}

fn show(findings: &Findings) {
    for finding in &findings.all {
        let place = if finding.fault.place.is_none() {
            format!("{}: ", finding.file)
        } else {
            String::new()
        };
        let style = if finding.is_error() { BAD } else { WARN };
        let level = format!("{}[{}]:", finding.level(), finding.code);
        say(&format!("{} {place}{}\n", styled(style, level), finding.fault));
    }
    let files = count(findings.files.len(), "file");
    if findings.all.is_empty() {
        return note(&format!("nothing wrong in {files}"));
    }
    let sum = [(findings.errors(), "error"), (findings.warnings(), "warning")];
    let sum = sum.iter().filter(|(number, _)| *number > 0);
    let sum: Vec<String> = sum.map(|(number, thing)| count(*number, thing)).collect();
    note(&format!("{} in {files}", sum.join(" and ")));
    let fixable = findings.all.iter().filter(|one| one.fix.is_some()).count();
    if fixable > 0 {
        note(&format!("`larkspur check --fix` mends {fixable} of them"));
    }
    if let Some(first) = findings.all.first() {
        note(&format!("`larkspur explain {}` tells more", first.code));
    }
}

/// `larkspur explain`: what a code means, or which there are.
pub(crate) fn explain(code: Option<&str>) -> anyhow::Result<ExitCode> {
    let Some(code) = code else {
        for lesson in check::lessons() {
            say(&format!("{}  {}", lesson.code, lesson.title));
        }
        return Ok(ExitCode::SUCCESS);
    };
    let lesson = check::lesson(code).map_err(|near| {
        let hint = match near {
            Some(near) => format!("did you mean {near}?"),
            None => "`larkspur explain` lists all there are".to_owned(),
        };
        wrong_usage(format!("there is no code `{code}`; {hint}"))
    })?;
    say(lesson.text.trim_start_matches("## "));
    Ok(ExitCode::SUCCESS)
}
