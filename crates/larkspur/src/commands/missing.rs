//! What is said when a name stands for nothing, or for several things.

use crate::exit::USAGE;
use crate::terminal::{error, note, unserved};
use model::did_you_mean;
use runtime::{Catalog, RequestError, Runtime, State, Survey, Surveyed};
use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

/// There is none of this name, or none that is served: then its module says why.
pub(crate) fn missing(runtime: &Runtime, kind: &str, name: &str, names: &[String]) -> ExitCode {
    let survey = runtime.survey();
    let owner = owner(&survey, name);
    if let Some(why) = owner.and_then(|(module, found)| not_served(module, found)) {
        error(&why);
        return ExitCode::from(USAGE);
    }
    let near = did_you_mean(name, names.iter().map(String::as_str));
    let hint = near.map_or_else(
        || "`larkspur list` shows what there is".into(),
        |near| format!("did you mean `{near}`?"),
    );
    error(&format!("there is no {kind} `{name}`; {hint}"));
    // It may be in a file that cannot be loaded, unless its module can.
    if owner.is_none() {
        tell_broken(&runtime.catalog());
    }
    ExitCode::from(USAGE)
}

/// Several modules have one of this name.
pub(crate) fn several(
    catalog: &Catalog,
    kind: &str,
    name: &str,
    paths: &[impl Display],
) -> ExitCode {
    let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
    error(&format!("several modules have a {kind} `{name}`: {}", paths.join(", ")));
    tell_broken(catalog);
    ExitCode::from(USAGE)
}

/// The module that `MODULE.NAME` names, as it lies in its folder.
fn owner<'a>(survey: &'a Survey, name: &'a str) -> Option<(&'a str, &'a Surveyed)> {
    let (module, _) = name.split_once('.')?;
    let is_it = |found: &&Surveyed| match &found.name {
        Some(name) => name.as_str() == module,
        None => place_name(&found.file) == Some(module),
    };
    let found = survey.modules.iter().find(is_it)?;
    Some((module, found))
}

/// What a module is called that cannot even say its name: as its file, or as its folder.
fn place_name(file: &str) -> Option<&str> {
    let path = Path::new(file);
    let is_folder = path.file_name().is_some_and(|name| name == "module.toml");
    let named = if is_folder { path.parent()? } else { path };
    named.file_stem()?.to_str()
}

fn not_served(module: &str, found: &Surveyed) -> Option<String> {
    if found.disabled {
        return Some(format!(
            "module `{module}` is left out by `enable` in larkspur.toml; add it there"
        ));
    }
    let broken = found.broken.as_ref()?;
    let what = match broken.state {
        State::Waiting => "is waiting",
        State::Stopped => "is stopped",
        State::Stale | State::Failed => "cannot be loaded",
        State::Partial => "is served without an invalid tool",
    };
    Some(format!("module `{module}` {what}:\n{}", broken.fault))
}

fn tell_broken(catalog: &Catalog) {
    for (file, broken) in &catalog.broken {
        note(&unserved(file, broken));
    }
}

/// The author's view of a failure, with the place in the script, where there is one.
pub(super) fn shown(failure: &RequestError) -> String {
    failure.fault().map_or_else(|| failure.to_string(), ToString::to_string)
}
