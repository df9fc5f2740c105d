//! `larkspur check`: mistakes, without running a tool.

use crate::args::{Check, Format, Global};
use crate::compose;
use crate::terminal::{BAD, note, say, styled};
use model::{Fault, Limits};
use runtime::{Folder, Runtime};
use script::Engine;
use serde_json::json;
use std::collections::BTreeMap;
use std::process::ExitCode;

pub(crate) fn run(global: &Global, check: &Check) -> anyhow::Result<ExitCode> {
    let runtime = compose::look(global)?;
    let mut faults: BTreeMap<String, Vec<Fault>> = BTreeMap::new();
    let mut files = 0;
    for folder in runtime.folders() {
        files += read_folder(folder, &mut faults);
    }
    add_load_faults(&runtime, &mut faults);
    let count: usize = faults.values().map(Vec::len).sum();
    match check.format {
        Format::Json => {
            let all: Vec<_> = faults
                .iter()
                .flat_map(|(file, faults)| {
                    faults
                        .iter()
                        .map(move |fault| json!({"file": file, "fault": fault}))
                })
                .collect();
            say(&serde_json::to_string_pretty(
                &json!({"files": files, "faults": all}),
            )?);
        }
        Format::Text => show(&faults, count, files),
    }
    Ok(if count == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

fn show(faults: &BTreeMap<String, Vec<Fault>>, count: usize, files: usize) {
    for (file, faults) in faults {
        for fault in faults {
            let place = if fault.place.is_none() {
                format!("{file}: ")
            } else {
                String::new()
            };
            say(&format!("{} {place}{fault}\n", styled(BAD, "error:")));
        }
    }
    let verdict = if count == 0 {
        "nothing wrong".to_owned()
    } else {
        format!("{count} mistakes")
    };
    note(&format!("{verdict} in {files} files"));
}

/// Names, unused things and types, file by file.
fn read_folder(folder: &Folder, faults: &mut BTreeMap<String, Vec<Fault>>) -> usize {
    let plain = Engine::new(Limits::default());
    let testing = Engine::for_tests(Limits::default());
    let (sources, tests) = (folder.sources(), folder.tests());
    let with_engine = sources
        .iter()
        .map(|file| (file, &plain))
        .chain(tests.iter().map(|file| (file, &testing)));
    for (file, engine) in with_engine {
        let shown = folder.path(file).display().to_string();
        let found = match folder.read_text(file) {
            Ok(source) => script::check(engine, &shown, &source),
            Err(why) => vec![Fault::new(format!("cannot be read: {why}"))],
        };
        if !found.is_empty() {
            faults.insert(shown, found);
        }
    }
    sources.len() + tests.len()
}

/// What only loading shows: loads, declarations, schemas. A file that failed above has said enough.
fn add_load_faults(runtime: &Runtime, faults: &mut BTreeMap<String, Vec<Fault>>) {
    for (file, broken) in &runtime.catalog().broken {
        faults
            .entry(file.clone())
            .or_insert_with(|| vec![broken.fault.clone()]);
    }
}
