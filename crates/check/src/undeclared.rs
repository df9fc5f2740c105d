//! Functions that look like tools, and that nobody declares or calls: the line at the end was forgotten.

use crate::{Finding, tools};
use model::Fault;
use runtime::{Runtime, Surveyed};
use script::{Named, Sketch, outline};

/// The names that the runtime itself looks for.
const HOOKS: [&str; 3] = ["start", "stop", "status"];

pub(super) fn check(runtime: &Runtime, module: &Surveyed, findings: &mut Vec<Finding>) {
    if module.script.is_none() {
        return;
    }
    let (file, source) = tools::entry(runtime, module);
    let (Ok(outline), Ok(sketch)) = (outline(&file, &source), Sketch::read(&file, &source)) else {
        return;
    };
    for named in outline.names.into_iter().filter(is_like_a_tool) {
        let name = &named.name;
        let is_used = sketch.names.contains(name) || sketch.texts.contains(name);
        if is_used || is_loaded(runtime, name) {
            continue;
        }
        let says = format!("`{name}` looks like a tool, and nobody can call it");
        let help = format!("add `tool({name})`; if it is none, delete it or call it `_{name}`");
        let fault = Fault::new(says).code("W0609").at(named.place).help(help);
        findings.push(Finding::new(&file, fault));
    }
}

/// It tells a model what it does and what it takes.
fn is_like_a_tool(named: &Named) -> bool {
    let signature = named.signature.as_deref().unwrap_or_default();
    let is_typed = signature.split_once('(').is_some_and(|(_, rest)| rest.contains(':'));
    let tells = named.docs.lines().any(|line| line.trim() == "Args:");
    is_typed && tells && !named.name.starts_with('_') && !HOOKS.contains(&named.name.as_str())
}

/// Does any file take it, a test included?
fn is_loaded(runtime: &Runtime, name: &str) -> bool {
    runtime.folders().iter().any(|folder| {
        let files = folder.sources().into_iter().chain(folder.tests());
        let sources = files.filter_map(|file| folder.read_text(&file).ok());
        let outlines = sources.filter_map(|source| outline("", &source).ok());
        let mut loads = outlines.flat_map(|outline| outline.loads);
        loads.any(|load| load.names.iter().any(|(_, theirs, _)| theirs == name))
    })
}
