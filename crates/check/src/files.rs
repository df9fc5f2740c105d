//! Names, unused things and types, file by file; and what only loading shows.

use crate::Finding;
use model::{Fault, Limits};
use runtime::{Folder, Runtime};
use script::Engine;
use std::sync::Arc;
use testing::{Event, Keeping, Options};

/// Reads all files of a folder; answers how many there are.
pub(super) fn read(folder: &Folder, limits: &Limits, findings: &mut Vec<Finding>) -> usize {
    let (sources, tests) = (folder.sources(), folder.tests());
    let count = sources.len() + tests.len();
    let plain = Engine::new(limits.clone());
    let testing = Engine::for_tests(limits.clone());
    for (files, engine) in [(sources, plain), (tests, testing)] {
        let mut texts = Vec::with_capacity(files.len());
        for file in files {
            let shown = folder.path(&file).display().to_string();
            match folder.read_text(&file) {
                Ok(text) => texts.push((shown, text)),
                Err(why) => {
                    let fault = Fault::new(format!("cannot be read: {why}"));
                    findings.push(Finding::new(&shown, fault));
                }
            }
        }
        for (shown, faults) in script::check(&Arc::new(engine), texts) {
            findings.extend(faults.into_iter().map(|fault| Finding::new(&shown, fault)));
        }
    }
    count
}

/// Loads, declarations, schemas. A file that failed above has said enough.
pub(super) fn add_broken(runtime: &Runtime, findings: &mut Vec<Finding>) {
    for (file, broken) in &runtime.catalog().broken {
        add(runtime, file, coded(file, broken.fault.clone()), findings);
    }
}

/// Tools whose listed names belong to others.
pub(super) fn add_unlisted(runtime: &Runtime, findings: &mut Vec<Finding>) {
    for tool in &runtime.catalog().unlisted {
        findings.push(Finding::new(&tool.file, tool.fault()));
    }
}

/// Tests are loaded as well, and none is run.
pub(super) fn add_broken_tests(runtime: &Runtime, findings: &mut Vec<Finding>) {
    let mut options = Options::new(runtime.folders().to_vec());
    options.filter = Some(testing::LOAD.to_owned());
    options.snapshots = Keeping::Nothing;
    options.abandoned = Arc::clone(runtime.abandoned());
    testing::run(&options, &mut |event| {
        if let Event::Failed { file, fault, .. } = event {
            let paths = runtime.folders().iter().map(|folder| folder.path(&file));
            let path = paths.into_iter().find(|path| path.is_file());
            let shown = path.map_or(file, |path| path.display().to_string());
            add(runtime, &shown, fault, findings);
        }
    });
}

fn add(runtime: &Runtime, file: &str, fault: Fault, findings: &mut Vec<Finding>) {
    let fault = located(runtime, fault);
    let place = fault.place.as_ref().map_or(file, |place| &place.file);
    let is_of = |one: &Finding| one.file == file || one.file == place;
    if !findings.iter().any(|one| is_of(one) && one.is_error()) {
        findings.push(Finding::new(file, fault));
    }
}

/// The loader knows files by what they are called below their folder; people by the whole path.
pub(super) fn located(runtime: &Runtime, mut fault: Fault) -> Fault {
    if let Some(place) = &mut fault.place {
        let paths = runtime.folders().iter().map(|folder| folder.path(&place.file));
        if let Some(path) = paths.into_iter().find(|path| path.is_file()) {
            place.file = path.display().to_string();
        }
    }
    fault
}

/// What is wrong with a manifest has a code of its own.
fn coded(file: &str, fault: Fault) -> Fault {
    let place = fault.place.as_ref().map_or(file, |place| &place.file);
    if fault.code.is_none() && place.ends_with("module.toml") {
        return fault.code("E0400");
    }
    fault
}
