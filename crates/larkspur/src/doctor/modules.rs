//! The folders, and how each module in them loads.

use super::Notes;
use crate::terminal::{count, unread};
use runtime::{Runtime, Survey, Surveyed};
use std::io::ErrorKind;

pub(super) fn findings(runtime: &Runtime, survey: &Survey) -> [Notes; 2] {
    let mut folders = Notes::of("folders");
    let is_any_there = runtime.folders().iter().any(runtime::Folder::exists);
    for folder in runtime.folders() {
        let shown = folder.root().display();
        let closed = folder.trouble();
        let closed = closed.filter(|why| why.kind() != ErrorKind::NotFound);
        if let Some(why) = closed {
            folders.problem(format!("{shown} cannot be read: {why}"), None);
            continue;
        }
        match (folder.exists(), is_any_there) {
            (true, _) => folders.ok(shown.to_string()),
            (false, true) => folders.warning(
                format!("{shown} is not there; it is served when it appears"),
                None,
            ),
            (false, false) => folders.problem(
                format!("{shown} is not there"),
                Some("go to your project's folder, name one with --modules, or begin with `larkspur new hello`".into()),
            ),
        }
    }
    let mut modules = Notes::of("modules");
    if survey.modules.is_empty() && is_any_there {
        modules.warning("there are none", Some("`larkspur new hello` writes one".into()));
    }
    for module in &survey.modules {
        look_at(module, &mut modules);
    }
    for text in unread(runtime.folders()) {
        modules.warning(text, None);
    }
    let catalog = runtime.catalog();
    for note in catalog.notes.iter().chain(&catalog.extension_note()) {
        modules.warning(note.clone(), None);
    }
    [folders, modules]
}

fn look_at(module: &Surveyed, notes: &mut Notes) {
    let name = module.name.as_ref().map(ToString::to_string);
    let name = name.unwrap_or_else(|| module.file.clone());
    if module.disabled {
        return notes.ok(format!("{name} is left out by `enable`"));
    }
    if let Some(broken) = &module.broken {
        let why = broken.fault.to_string();
        let fix = Some("`larkspur check` finds all mistakes at once".into());
        return notes.problem(format!("{name} is not served: {why}"), fix);
    }
    if let Err(fault) = &module.config {
        return notes.problem(format!("{name} is configured wrongly: {fault}"), None);
    }
    let version = module.manifest.as_ref().map(|manifest| manifest.version.to_string());
    let version = version.map_or(String::new(), |version| format!(" {version}"));
    let tools = module.script.as_ref().map_or(0, |script| script.tools.len());
    notes.ok(format!("{name}{version}, {}", count(tools, "tool")));
}
