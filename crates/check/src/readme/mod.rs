//! A module's README, made from its manifest and the schemas of its tools.

mod configuration;
mod marks;
mod tools;
mod words;

pub use marks::renewed;

use model::{Fault, ModuleName};
use runtime::Surveyed;
use serde_json::json;
use settings::Manifest;
use words::{and, code};

pub const FILE: &str = "README.md";

/// The whole page, or why the module does not show what it offers.
pub fn page(module: &Surveyed) -> Result<String, Fault> {
    let (Some(name), Some(script)) = (&module.name, &module.script) else {
        let broken = module.broken.as_ref();
        return Err(broken.map_or_else(
            || Fault::new(format!("{} cannot be loaded", module.file)),
            |broken| broken.fault.clone(),
        ));
    };
    let manifest = module.manifest.as_deref();
    let sections = [
        about(module),
        installation(name, manifest),
        configuration::section(name, manifest.map(|m| &m.config)),
        tools::section(name, script.tools.iter().map(|tool| &tool.tool)),
    ];
    let text = sections.into_iter().filter(|text| !text.is_empty());
    let text = text.collect::<Vec<_>>().join("\n");
    Ok(format!("# {name}\n\n{}", marks::around(name, &text)))
}

/// Description, version, who made it and where.
fn about(module: &Surveyed) -> String {
    let declared = module.script.as_ref().map(|script| &script.declared);
    let manifest = module.manifest.as_deref();
    let description = match manifest {
        Some(manifest) => Some(manifest.description.clone()),
        None => declared.and_then(|d| d.description.clone()),
    };
    let version = match manifest {
        Some(manifest) => Some(manifest.version_text()),
        None => declared.and_then(|d| d.version.clone()),
    };
    let facts = [
        version.map(|version| format!("Version {version}")),
        manifest.and_then(|m| m.author.as_ref().map(|who| format!("by {who}"))),
        manifest.and_then(|m| m.license.clone()),
        manifest.and_then(|m| m.homepage.as_ref().map(|url| format!("<{url}>"))),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    let lines = [description.unwrap_or_default(), facts.join(", ")];
    let lines = lines.iter().filter(|line| !line.is_empty());
    lines.map(|line| format!("{}\n", line.trim())).collect::<Vec<_>>().join("\n")
}

fn installation(name: &ModuleName, manifest: Option<&Manifest>) -> String {
    let what = match manifest {
        Some(_) => format!("folder to `modules/{name}`"),
        None => "file into `modules`".to_owned(),
    };
    let args = ["serve", "--modules", "/path/to/modules"];
    let server = json!({"command": "larkspur", "args": args});
    let settings = json!({"mcpServers": {"larkspur": server}});
    format!(
        "## Installation\n\n\
         Copy the {what}, and have your client serve `modules`:\n\n\
         ```json\n{settings:#}\n```\n{}",
        manifest.map(neighbours).unwrap_or_default()
    )
}

/// The modules that must be there, and those that may.
fn neighbours(manifest: &Manifest) -> String {
    let names = |names: &[ModuleName]| and(names.iter().map(|name| code(name.as_str())));
    let needed = match manifest.depends_on.as_slice() {
        [] => String::new(),
        needed => format!("\nIt depends on {}.\n", names(needed)),
    };
    let optional = match manifest.optional_deps.as_slice() {
        [] => String::new(),
        optional => format!("\nIt can use {}.\n", names(optional)),
    };
    needed + &optional
}
