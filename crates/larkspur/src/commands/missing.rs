//! What is said when a name stands for nothing, or for several things.

use crate::exit::USAGE;
use crate::terminal::{error, note, unserved};
use model::did_you_mean;
use runtime::Catalog;
use std::fmt::Display;
use std::process::ExitCode;

/// There is none of this name. It may be in a file that cannot be loaded, so that is told as well.
pub(crate) fn missing(catalog: &Catalog, kind: &str, name: &str, names: &[String]) -> ExitCode {
    let near = did_you_mean(name, names.iter().map(String::as_str));
    let hint = near.map_or_else(
        || "`larkspur list` shows what there is".into(),
        |near| format!("did you mean `{near}`?"),
    );
    error(&format!("there is no {kind} `{name}`; {hint}"));
    tell_broken(catalog)
}

/// Several modules have one of this name.
pub(crate) fn several(
    catalog: &Catalog,
    kind: &str,
    name: &str,
    paths: &[impl Display],
) -> ExitCode {
    let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
    error(&format!(
        "several modules have a {kind} `{name}`: {}",
        paths.join(", ")
    ));
    tell_broken(catalog)
}

fn tell_broken(catalog: &Catalog) -> ExitCode {
    for (file, broken) in &catalog.broken {
        note(&unserved(file, broken));
    }
    ExitCode::from(USAGE)
}
