//! Functions that look like tools, and that nobody declares or calls: the line at the end was forgotten.

use crate::Finding;
use crate::inspection::Inspection;
use model::Fault;
use runtime::Surveyed;
use script::Definition;

/// The names that the runtime itself looks for.
const HOOKS: [&str; 3] = ["start", "stop", "status"];

pub(super) fn check(inspection: &Inspection<'_>, module: &Surveyed, findings: &mut Vec<Finding>) {
    let Some(entry) = inspection.entry(module).filter(|_| module.script.is_some()) else {
        return;
    };
    let facts = &entry.facts;
    for named in facts.definitions.iter().filter(|named| is_like_a_tool(named)) {
        let name = &named.name;
        if facts.mentions(name) || facts.texts.contains(name) || is_loaded(inspection, name) {
            continue;
        }
        let says = format!("`{name}` looks like a tool, and nobody can call it");
        let help = format!("add `tool({name})`; if it is none, delete it or call it `_{name}`");
        let fault = Fault::new(says).code("W0609").at(named.place.clone()).help(help);
        findings.push(Finding::new(&entry.shown, fault));
    }
}

/// It tells a model what it does and what it takes.
fn is_like_a_tool(named: &Definition) -> bool {
    let signature = named.signature.as_deref().unwrap_or_default();
    let is_typed = signature.split_once('(').is_some_and(|(_, rest)| rest.contains(':'));
    let tells = named.docs.lines().any(|line| line.trim() == "Args:");
    is_typed && tells && !named.name.starts_with('_') && !HOOKS.contains(&named.name.as_str())
}

/// Does any file load it, a test included?
fn is_loaded(inspection: &Inspection<'_>, name: &str) -> bool {
    let mut loads = inspection.files.iter().flat_map(|file| &file.facts.loads);
    loads.any(|load| load.names.iter().any(|(_, theirs)| theirs == name))
}
