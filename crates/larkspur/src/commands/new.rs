//! `larkspur new`: a module that works, with a test that passes, and a project's file.

use crate::args::{Global, New};
use crate::exit::wrong_usage;
use crate::terminal::{GOOD, note, say, styled};
use crate::{compose, file_to_folder, scaffold};
use anyhow::bail;
use model::{BadName, Fault, ModuleName, kebab_name};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) fn run(global: &Global, new: &New) -> anyhow::Result<ExitCode> {
    if let Some(file) = &new.from {
        return from_file(file);
    }
    let name = new.name.as_deref().map(|given| read_name(given, new.single));
    let name = name.transpose().map_err(wrong_usage)?;
    let project = new.project.then(|| compose::project_path(global));
    let folder = compose::folders(global).into_iter().next();
    let folder = folder.unwrap_or_else(|| PathBuf::from("modules"));
    let places = name.iter().flat_map(|name| scaffold::places(&folder, name));
    if let Some(taken) = places.chain(project.clone()).find(|path| is_taken(path)) {
        bail!("{} is already there; nothing was written", taken.display());
    }
    let mut written = Vec::new();
    if let Some(project) = project {
        scaffold::write(&project, &settings::project_template())?;
        written.push(project);
    }
    if let Some(name) = &name {
        written.extend(if new.single {
            scaffold::write_single(&folder, name)?
        } else {
            scaffold::write_folder(&folder, name)?
        });
    }
    for path in &written {
        say(&format!("{} {}", styled(GOOD, "created"), path.display()));
    }
    say_what_is_next(global, name.as_ref(), new.single);
    Ok(ExitCode::SUCCESS)
}

fn from_file(file: &Path) -> anyhow::Result<ExitCode> {
    let converted = file_to_folder::convert(file)?;
    for path in &converted.written {
        say(&format!("{} {}", styled(GOOD, "created"), path.display()));
    }
    for path in &converted.removed {
        say(&format!("{} {}", styled(GOOD, "removed"), path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Only a manifest asks for kebab-case.
fn read_name(given: &str, single: bool) -> Result<ModuleName, Fault> {
    if single {
        let name = given.parse::<ModuleName>();
        return name.map_err(|why: BadName| Fault::new(why.to_string()));
    }
    kebab_name(given)
}

/// A link that leads nowhere is there as well.
fn is_taken(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn say_what_is_next(global: &Global, name: Option<&ModuleName>, single: bool) {
    let mut next = Vec::new();
    if let Some(name) = name {
        warn_if_left_out(global, name);
        let tests = if single { "2 tests" } else { "3 tests" };
        next.push((format!("call {name}.hello name=Ada"), "call its tool"));
        next.push(("test".to_owned(), tests));
        next.push(("dev".to_owned(), "watch while you write"));
    }
    if !single {
        let told = "what modules are told, and by whom";
        next.push(("config show --origin".to_owned(), told));
    }
    let program = global
        .modules
        .iter()
        .fold("larkspur".to_owned(), |all, f| format!("{all} -e {}", f.display()));
    say("\nNext");
    for (command, what) in next {
        say(&format!("  {:<40} {what}", format!("{program} {command}")));
    }
}

/// A project's file that lists its modules does not serve one more by itself.
fn warn_if_left_out(global: &Global, name: &ModuleName) {
    let Ok(project) = compose::project(global) else {
        return;
    };
    let enable = project.project().enable.as_ref();
    if enable.is_some_and(|names| !names.contains(name)) {
        let file = project.path().display();
        note(&format!("note: `enable` in {file} does not name `{name}`; add it there"));
    }
}
