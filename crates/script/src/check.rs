//! What can be known of a source without running it: names, unused things, types.

use crate::engine::Engine;
use crate::error::SourceMap;
use crate::nesting;
use crate::teach;
use model::{Fault, Limits};
use starlark::analysis::AstModuleLint;
use starlark::typing::{AstModuleTypecheck, Interface};
use std::collections::{HashMap, HashSet};

/// Lints worth an author's time; the others are matters of taste.
const LINTS: [(&str, &str); 8] = [
    ("using-undefined", "E0201"),
    ("unused-load", "W0203"),
    ("unreachable", "W0206"),
    ("missing-return-expression", "E0207"),
    ("duplicate-key", "E0208"),
    ("no-effect", "W0209"),
    ("ident-as-statement", "W0209"),
    ("using-unassigned", "E0201"),
];
const SYNTAX: &str = "E0100";
const TYPES: &str = "E0202";

/// All faults of one file; `interfaces` are the types of the files it loads, by their names there.
pub fn check(engine: &Engine, file: &str, source: &str) -> Vec<Fault> {
    if let Err(fault) = nesting::check(file, source, &Limits::default()) {
        return vec![coded(fault, SYNTAX)];
    }
    let ast = match Engine::parse(file, source) {
        Ok(ast) => ast,
        Err(fault) => return vec![coded(fault, SYNTAX)],
    };
    let sources = SourceMap::of(file, source.to_owned(), None);
    let names: HashSet<String> = engine
        .globals
        .names()
        .map(|n| n.as_str().to_owned())
        .collect();
    let mut faults: Vec<Fault> = ast
        .lint(Some(&names))
        .into_iter()
        .filter_map(|lint| {
            let mut lints = LINTS.iter();
            let (_, code) = lints.find(|(name, _)| *name == lint.short_name)?;
            let fault = teach::fault(lint.problem, sources.place(&lint.location));
            Some(coded(fault, code))
        })
        .collect();
    // What a load brings has no type here; it is taken as it comes.
    let loads: HashMap<String, Interface> = ast
        .loads()
        .iter()
        .map(|load| (load.module_id.to_owned(), Interface::default()))
        .collect();
    let (errors, _, _, _) = ast.typecheck(&engine.globals, &loads);
    faults.extend(
        errors
            .iter()
            .map(|error| coded(sources.fault(error), TYPES)),
    );
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

/// A fault that has no code of its own gets that of its kind.
fn coded(fault: Fault, code: &'static str) -> Fault {
    let code = fault.code.or(Some(code));
    Fault { code, ..fault }
}
