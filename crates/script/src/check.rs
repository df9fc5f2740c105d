//! What can be known of a source without running it: names, unused things, types.

use crate::engine::Engine;
use crate::error::SourceMap;
use crate::nesting;
use model::{Fault, Limits};
use starlark::analysis::AstModuleLint;
use starlark::typing::{AstModuleTypecheck, Interface};
use std::collections::{HashMap, HashSet};

/// Lints worth an author's time; the others are matters of taste.
const LINTS: [&str; 6] = [
    "using-undefined",
    "unused-load",
    "unreachable",
    "missing-return-expression",
    "duplicate-key",
    "redundant-expression",
];

/// All faults of one file; `interfaces` are the types of the files it loads, by their names there.
pub fn check(engine: &Engine, file: &str, source: &str) -> Vec<Fault> {
    if let Err(fault) = nesting::check(file, source, &Limits::default()) {
        return vec![fault];
    }
    let ast = match Engine::parse(file, source) {
        Ok(ast) => ast,
        Err(fault) => return vec![fault],
    };
    let sources = SourceMap(HashMap::from([(
        file.to_owned(),
        (source.to_owned(), None),
    )]));
    let names: HashSet<String> = engine
        .globals
        .names()
        .map(|n| n.as_str().to_owned())
        .collect();
    let mut faults: Vec<Fault> = ast
        .lint(Some(&names))
        .into_iter()
        .filter(|lint| LINTS.contains(&lint.short_name.as_str()))
        .map(|lint| Fault {
            message: lint.problem,
            place: sources.place(&lint.location),
            help: None,
        })
        .collect();
    // What a load brings has no type here; it is taken as it comes.
    let loads: HashMap<String, Interface> = ast
        .loads()
        .iter()
        .map(|load| (load.module_id.to_owned(), Interface::default()))
        .collect();
    let (errors, _, _, _) = ast.typecheck(&engine.globals, &loads);
    faults.extend(errors.iter().map(|error| sources.fault(error)));
    faults.sort_by_key(|fault| fault.place.as_ref().map(|p| (p.line, p.column)));
    // The linter and the type checker both see an undefined name; the latter says more.
    faults.dedup_by(|later, earlier| {
        let same = earlier.place.is_some() && earlier.place == later.place;
        if same {
            std::mem::swap(later, earlier);
        }
        same
    });
    faults
}
