//! The program itself, and `larkspur.toml`.

use super::Notes;
use crate::args::Global;
use crate::compose;
use std::env::consts::{ARCH, OS};

pub(super) fn program() -> Notes {
    let mut notes = Notes::of("program");
    let version = env!("CARGO_PKG_VERSION");
    let place = std::env::current_exe()
        .map_or_else(|_| String::new(), |path| format!(", {}", path.display()));
    notes.ok(format!("larkspur {version} for {OS} {ARCH}{place}"));
    notes
}

pub(super) fn file(global: &Global) -> Notes {
    let mut notes = Notes::of("configuration");
    let path = compose::project_path(global);
    match compose::project(global) {
        Err(bad) => notes.problem(bad.to_string(), None),
        Ok(_) if path.exists() => notes.ok(path.display().to_string()),
        Ok(_) => notes.hint(
            format!("no {}, so what is usual holds", path.display()),
            "`larkspur new --project` writes one with every setting, commented out",
        ),
    }
    notes
}
