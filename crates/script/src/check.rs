//! What can be known of a source without running it: names, unused things, types.

use crate::engine::Engine;
use crate::error::SourceMap;
use crate::load_thread::{GRACE, spawn_with_room};
use crate::nesting;
use crate::teach;
use model::{Fault, Limits, show_duration};
use parking_lot::Mutex;
use starlark::analysis::AstModuleLint;
use starlark::typing::{AstModuleTypecheck, Interface};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

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
const UNTYPED: &str = "W0210";

/// Sources that the type checker does not end with at which it is given up for all: each has a thread
/// that was abandoned.
const MOST_UNTYPED: usize = 8;

/// Digests of sources that the type checker does not end with.
#[derive(Default)]
pub(crate) struct Untyped(Mutex<HashSet<u64>>);

impl Untyped {
    fn add(&self, source: &str) {
        self.0.lock().insert(digest(source));
    }

    fn has(&self, source: &str) -> bool {
        let known = self.0.lock();
        known.len() >= MOST_UNTYPED || known.contains(&digest(source))
    }
}

/// All faults of each of these files, which are names with texts. The type checker may never end with
/// one: its thread is abandoned then, and everything else is checked all the same.
pub fn check(engine: &Arc<Engine>, files: Vec<(String, String)>) -> Vec<(String, Vec<Fault>)> {
    let limit = engine.limits.for_loading().time;
    let files = Arc::new(files);
    let mut checked = Vec::with_capacity(files.len());
    while let Some((file, _)) = files.get(checked.len()) {
        let results = match check_from(engine, &files, checked.len()) {
            Ok(results) => results,
            Err(error) => {
                let fault = Fault::new(format!("cannot be checked: no thread: {error}"));
                checked.push((file.clone(), vec![fault]));
                continue;
            }
        };
        for (file, source) in files.iter().skip(checked.len()) {
            match results.recv_timeout(limit + GRACE) {
                Ok(faults) => checked.push((file.clone(), faults)),
                Err(_) if engine.untyped.has(source) => {
                    let fault = Fault::new("cannot be checked: the engine gave up on this file");
                    checked.push((file.clone(), vec![fault]));
                    break;
                }
                // It is checked again, without its types.
                Err(_) => {
                    engine.untyped.add(source);
                    break;
                }
            }
        }
    }
    checked
}

/// Checks the files from this one on, on a thread that ends once its results are no longer read.
fn check_from(
    engine: &Arc<Engine>,
    files: &Arc<Vec<(String, String)>>,
    first: usize,
) -> io::Result<Receiver<Vec<Fault>>> {
    let (done, results) = channel();
    let (engine, files) = (Arc::clone(engine), Arc::clone(files));
    spawn_with_room("check", move || {
        for (file, source) in files.iter().skip(first) {
            if done.send(check_one(&engine, file, source)).is_err() {
                return;
            }
        }
    })?;
    Ok(results)
}

fn check_one(engine: &Engine, file: &str, source: &str) -> Vec<Fault> {
    if let Err(fault) = nesting::check(file, source, &Limits::default()) {
        return vec![coded(fault, SYNTAX)];
    }
    let ast = match Engine::parse(file, source) {
        Ok(ast) => ast,
        Err(fault) => return vec![coded(fault, SYNTAX)],
    };
    let sources = SourceMap::of(file, source.to_owned(), None);
    let names: HashSet<String> = engine.globals.names().map(|n| n.as_str().to_owned()).collect();
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
    if engine.untyped.has(source) {
        faults.push(untyped(&engine.limits));
        return faults;
    }
    // What a load brings has no type here; it is taken as it comes.
    let loads: HashMap<String, Interface> =
        ast.loads().iter().map(|load| (load.module_id.to_owned(), Interface::default())).collect();
    let (errors, _, _, _) = ast.typecheck(&engine.globals, &loads);
    faults.extend(errors.iter().map(|error| coded(sources.fault(error), TYPES)));
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

fn untyped(limits: &Limits) -> Fault {
    let limit = show_duration(limits.for_loading().time);
    Fault::new(format!("types were not checked: that takes longer than {limit}"))
        .code(UNTYPED)
        .help("look for a value that is put into itself again and again, as `x = (x, x)` in a loop")
}

fn digest(source: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    source.hash(&mut hasher);
    hasher.finish()
}

/// A fault that has no code of its own gets that of its kind.
fn coded(fault: Fault, code: &'static str) -> Fault {
    let code = fault.code.or(Some(code));
    Fault { code, ..fault }
}
