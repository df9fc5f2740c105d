//! The folders, and names in settings that no module has.

use super::Notes;
use runtime::{Runtime, Survey};
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
    for note in &runtime.catalog().notes {
        modules.warning(note.clone(), None);
    }
    [folders, modules]
}
