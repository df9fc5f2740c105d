//! `larkspur list`: tools, resources and prompts, as signatures.

use crate::args::{Global, List};
use crate::commands::tokens;
use crate::compose;
use crate::exit::FAILED;
use crate::terminal::{
    DIM, STRONG, count, error, no_modules, note, offers, print, say, styled, unread, unserved,
    waiting_for,
};
use model::did_you_mean;
use runtime::{Catalog, Module, Offers, PromptHandle, Runtime};
use serde_json::{Value, json};
use std::process::ExitCode;
use store::Store;

/// Kept names that are shown; there may be thousands.
const SHOWN: usize = 10;

pub(crate) fn run(global: &Global, list: &List) -> anyhow::Result<ExitCode> {
    if let Some(name) = &list.release_name {
        return release(global, name);
    }
    let runtime = compose::open(global)?;
    let catalog = runtime.catalog();
    if list.tokens {
        print(list.format, || tokens::as_json(&catalog), || tokens::as_text(&catalog))?;
    } else {
        print(list.format, || as_json(&runtime, &catalog), || as_text(&runtime, &catalog))?;
    }
    for text in unread(runtime.folders()) {
        note(&format!("note: {text}"));
    }
    for (file, broken) in &catalog.broken {
        error(&unserved(file, broken));
    }
    for tool in &catalog.unlisted {
        error(&tool.fault().to_string());
    }
    runtime.close();
    Ok(if catalog.broken.is_empty() && catalog.unlisted.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FAILED)
    })
}

/// Frees a name that clients may have been allowed to call.
fn release(global: &Global, name: &str) -> anyhow::Result<ExitCode> {
    let project = compose::project_with_data(global)?;
    let store = Store::at(project.data_dir());
    if let Some(owner) = store.release_name(name)? {
        say(&format!(
            "`{name}` belonged to `{owner}` and is free; a running server frees it when it is restarted"
        ));
        return Ok(ExitCode::SUCCESS);
    }
    let known = store.names()?;
    let near = did_you_mean(name, known.iter().map(|(name, _)| name.as_str()));
    let hint = near.map(|near| format!("; did you mean `{near}`?"));
    let hint =
        hint.unwrap_or_else(|| "; `larkspur list --format json` shows all owners".to_owned());
    error(&format!("`{name}` belongs to no tool{hint}"));
    Ok(ExitCode::from(FAILED))
}

/// Names that belong to tools which are not listed under them any more.
fn kept_names(catalog: &Catalog) -> Option<String> {
    let owners = catalog.rules.owners.iter();
    let kept: Vec<String> = owners
        .filter(|(name, _)| !catalog.is_listed(name))
        .map(|(name, owner)| format!("`{name}` of {owner}"))
        .collect();
    let more = kept.len().saturating_sub(SHOWN);
    let shown = kept[..kept.len() - more].join(", ");
    let more = match more {
        0 => String::new(),
        more => format!(" and {more} more (--format json has all)"),
    };
    (!kept.is_empty()).then(|| {
        format!(
            "names kept for tools that are not listed: {shown}{more}; `larkspur list --release-name \
             NAME` frees one"
        )
    })
}

fn as_text(runtime: &Runtime, catalog: &Catalog) {
    for module in catalog.modules() {
        say(&heading(module));
        for tool in &module.tools {
            say(&format!("  {}  {}", tool.tool.signature(), styled(DIM, tool.tool.summary())));
        }
        for resource in &module.resources {
            let resource = &resource.resource;
            say(&format!("  resource {}  {}", resource.uri, styled(DIM, resource.summary())));
        }
        for prompt in &module.prompts {
            let prompt = &prompt.prompt;
            say(&format!("  prompt {}  {}", prompt.signature(), styled(DIM, prompt.summary())));
        }
    }
    for module in catalog.modules() {
        for secret in runtime.waiting_for(module) {
            let waits = waiting_for(module.name.as_str(), &secret);
            note(&format!("note: {} {waits}", module.name));
        }
    }
    let kept = kept_names(catalog);
    let notes = catalog.notes.iter().chain(&kept);
    for text in notes.chain(&catalog.extension_note()) {
        note(&format!("note: {text}"));
    }
    let modules = catalog.modules().count();
    if modules == 0 && catalog.broken.is_empty() {
        note(&nothing(runtime));
    } else {
        note(&format!("{} in {}", all(catalog), count(modules, "module")));
    }
}

/// Why there is nothing to show.
fn nothing(runtime: &Runtime) -> String {
    let survey = runtime.survey();
    let left_out = survey.named().filter(|(_, module)| module.disabled);
    let left_out: Vec<&str> = left_out.map(|(name, _)| name.as_str()).collect();
    if left_out.is_empty() {
        return no_modules(runtime);
    }
    let names = left_out.join(", ");
    format!("`enable` in larkspur.toml leaves out every module: {names}")
}

fn all(catalog: &Catalog) -> String {
    let resources = catalog.resources.exact().count() + catalog.resources.templates().count();
    let prompts = catalog.prompts.listed().count();
    offers(Offers { tools: catalog.tool_count(), resources, prompts })
}

fn heading(module: &Module) -> String {
    let version = module.version().unwrap_or_default();
    let about = module.description().unwrap_or_default();
    let rest = [version.as_str(), about]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("  ");
    let name = styled(STRONG, &module.name);
    if rest.is_empty() {
        return name;
    }
    format!("{name}  {}", styled(DIM, rest))
}

fn as_json(runtime: &Runtime, catalog: &Catalog) -> Value {
    let listed = |module: &Module, tool: &model::Tool| {
        let path = format!("{}.{}", module.name, tool.name);
        catalog
            .tools()
            .find(|(_, handle)| handle.path().to_string() == path)
            .map(|(name, _)| name.to_owned())
    };
    let modules: Vec<Value> = catalog
        .modules()
        .map(|module| {
            let tools: Vec<Value> = module
                .tools
                .iter()
                .map(|tool| {
                    json!({
                        "name": tool.tool.name.as_str(),
                        "listed": listed(module, &tool.tool),
                        "description": tool.tool.description,
                        "signature": tool.tool.signature(),
                        "inputSchema": tool.tool.input.listed(),
                        "outputSchema": tool.tool.output,
                    })
                })
                .collect();
            json!({
                "module": module.name.as_str(),
                "file": module.shown,
                "version": module.version(),
                "description": module.description(),
                "tools": tools,
                "resources": resources(module),
                "prompts": prompts(module, catalog),
                "waitingFor": runtime.waiting_for(module),
            })
        })
        .collect();
    let note = catalog.extension_note();
    let broken: Vec<Value> = catalog
        .broken
        .iter()
        .map(|(file, broken)| json!({"file": file, "error": broken.fault}))
        .collect();
    let notes: Vec<&String> = catalog.notes.iter().chain(&note).collect();
    let unlisted = catalog.unlisted.iter();
    let unlisted: Vec<Value> = unlisted
        .map(|tool| json!({"tool": tool.tool.to_string(), "error": tool.fault()}))
        .collect();
    let owners = catalog.rules.owners.iter();
    let names: Vec<Value> = owners
        .map(|(name, owner)| {
            let is_listed = catalog.is_listed(name);
            json!({"name": name, "owner": owner.to_string(), "listed": is_listed})
        })
        .collect();
    json!({
        "modules": modules,
        "broken": broken,
        "unlisted": unlisted,
        "names": names,
        "notes": notes,
    })
}

fn resources(module: &Module) -> Vec<Value> {
    let resources = module.resources.iter();
    resources
        .map(|resource| {
            let resource = &resource.resource;
            let key = if resource.uri.is_exact() { "uri" } else { "uriTemplate" };
            json!({
                key: resource.uri.as_str(),
                "name": resource.name,
                "description": resource.description,
                "mimeType": resource.mime,
            })
        })
        .collect()
}

fn prompts(module: &Module, catalog: &Catalog) -> Vec<Value> {
    let ours = |handle: &PromptHandle| handle.module.name == module.name;
    let listed = catalog.prompts.listed().filter(|(_, handle)| ours(handle));
    listed
        .map(|(listed, handle)| {
            let prompt = &handle.prompt().prompt;
            json!({
                "name": prompt.name.as_str(),
                "listed": listed,
                "description": prompt.description,
                "signature": prompt.signature(),
            })
        })
        .collect()
}
