//! Names, unused things and types, file by file; and what only loading shows.

use crate::Finding;
use crate::inspection::{Inspection, SourceFile};
use model::{Fault, Limits};
use runtime::Runtime;
use script::Engine;
use std::path::Path;
use std::sync::Arc;
use testing::{Event, Keeping, Options};

/// Findings that the texts of the files alone show.
pub(crate) fn check(inspection: &Inspection<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let limits = inspection.runtime.limits();
    for is_test in [false, true] {
        let mut texts = Vec::new();
        for SourceFile { shown, text, .. } in
            inspection.files.iter().filter(|file| file.is_test == is_test)
        {
            match text {
                Ok(text) => texts.push((shown.clone(), text.clone())),
                Err(why) => {
                    let fault = Fault::new(format!("cannot be read: {why}"));
                    findings.push(Finding::new(shown, fault));
                }
            }
        }
        findings.extend(find_in_texts(is_test, limits, texts));
    }
    findings
}

/// Findings about a file that belongs to no module.
pub fn find_in_text(file: &Path, text: &str) -> Vec<Finding> {
    let shown = file.display().to_string();
    let is_test = shown.ends_with("_test.star");
    find_in_texts(is_test, &Limits::default(), vec![(shown, text.to_owned())])
}

fn find_in_texts(is_test: bool, limits: &Limits, texts: Vec<(String, String)>) -> Vec<Finding> {
    if texts.is_empty() {
        return Vec::new();
    }
    let engine = if is_test { Engine::for_tests } else { Engine::new };
    let checked = script::check(&Arc::new(engine(limits.clone())), texts).into_iter();
    let findings = checked.flat_map(|(shown, faults)| {
        let findings = faults.into_iter().map(|fault| Finding::new(&shown, fault));
        findings.collect::<Vec<_>>()
    });
    findings.collect()
}

/// Loads, declarations, schemas. A file that failed above has said enough.
pub(super) fn add_broken(inspection: &Inspection<'_>, findings: &mut Vec<Finding>) {
    for (file, broken) in &inspection.catalog.broken {
        add(inspection.runtime, file, coded(file, broken.fault.clone()), findings);
    }
}

/// Tools whose listed names belong to others.
pub(super) fn add_unlisted(inspection: &Inspection<'_>, findings: &mut Vec<Finding>) {
    for tool in &inspection.catalog.unlisted {
        findings.push(Finding::new(&tool.file, tool.fault()));
    }
}

/// Tests are loaded as well, and none is run.
pub(super) fn add_broken_tests(inspection: &Inspection<'_>, findings: &mut Vec<Finding>) {
    let runtime = inspection.runtime;
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
