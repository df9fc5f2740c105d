//! Public caches in modules with secrets: results of a personal secret are never shared.

use crate::inspection::Inspection;
use crate::{Finding, tools};
use model::{Cache, Fault, Place};
use runtime::Surveyed;

pub(super) fn check(inspection: &Inspection<'_>, module: &Surveyed, findings: &mut Vec<Finding>) {
    let has_secrets = |module: &Surveyed| {
        let manifest = module.manifest.as_ref();
        manifest.is_some_and(|manifest| !manifest.secrets.is_empty())
    };
    let Some(script) = module.script.as_ref().filter(|_| has_secrets(module)) else {
        return;
    };
    let is_public = |cache: Option<Cache>| cache.is_some_and(|cache| cache.public);
    for tool in &script.tools {
        if is_public(tool.tool.cache) {
            let name = tool.tool.name.as_str();
            let (file, place) = tools::place(inspection, module, name);
            findings.push(finding(&file, &format!("tool `{name}`"), place));
        }
    }
    for resource in &script.resources {
        if is_public(resource.resource.cache) {
            let file = Inspection::entry_path(module);
            let what = format!("resource `{}`", resource.resource.name);
            findings.push(finding(&file, &what, None));
        }
    }
}

fn finding(file: &str, what: &str, place: Option<Place>) -> Finding {
    let says = format!(
        "{what} has a public cache, and its module uses secrets: a result made with a caller's own \
         secret is cached for that caller alone"
    );
    let fault = Fault { place, ..Fault::new(says).code("W0303") };
    let help = "write cache = \"60s\", or move what needs no secret to a module without secrets";
    Finding::new(file, fault.help(help))
}
