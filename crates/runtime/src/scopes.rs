//! What a caller's token is for. Unlike a role, a scope that is missing is told: it can be asked for.

use crate::catalog::{Catalog, Handle, Lookup};
use crate::prompts::PromptLookup;
use crate::registry::{Meta, planned, tasks};
use crate::request::{RequestError, RequestErrorKind};
use crate::resources::ResourceHandle;
use crate::runtime::Runtime;
use model::{Args, Caller, Limits, call_target};
use parking_lot::Mutex;
use std::sync::Arc;

/// What is asked of the server, as far as it is about tools.
pub enum Wish<'w> {
    /// Under the name clients see, or a meta tool.
    Tool {
        name: &'w str,
        args: &'w Args,
    },
    Resource(&'w str),
    /// A resource by its URI or template, as it is listed.
    Declared(&'w str),
    Prompt(&'w str),
}

/// Something that a caller's token is not for.
#[derive(Debug, PartialEq, Eq)]
pub struct Lacking {
    pub module: String,
    pub version: Option<String>,
    pub name: String,
    pub scope: String,
}

impl Runtime {
    /// Could anything be missing? Where not, nobody need know what is asked for.
    pub fn has_scopes(&self, caller: &Caller) -> bool {
        caller.scopes.is_some() && self.catalog().rules.policy.has_scopes()
    }

    /// All that the caller lacks a scope for, so that they can be asked for at once.
    pub fn lacking(&self, caller: &Caller, wish: &Wish<'_>) -> Vec<Lacking> {
        if !self.has_scopes(caller) {
            return Vec::new();
        }
        let catalog = self.view(caller);
        let policy = &catalog.rules.policy;
        let missing = |(module, name): (String, String)| {
            let scope = policy.missing_scope(caller, &module, &name)?.to_owned();
            let version = catalog.module(&module).and_then(|module| module.version());
            Some(Lacking { module, version, name, scope })
        };
        wanted(&catalog, wish).into_iter().filter_map(missing).collect()
    }
}

/// Modules and names, as far as they are there.
pub(crate) fn wanted(catalog: &Arc<Catalog>, wish: &Wish<'_>) -> Vec<(String, String)> {
    match wish {
        Wish::Tool { name, args } => match Meta::named(name) {
            Some(Meta::Schema) => Vec::new(),
            Some(meta) if meta.is_batch(args) => steps(catalog, meta, name, args),
            Some(_) => {
                let (module, tool) = call_target(args);
                named(catalog, &format!("{module}.{tool}")).into_iter().collect()
            }
            None => named(catalog, name).into_iter().collect(),
        },
        Wish::Resource(uri) => {
            let found = catalog.resources.find(uri);
            found.iter().map(|(handle, _)| named_resource(handle)).collect()
        }
        Wish::Declared(uri) => {
            catalog.resources.declared(uri).into_iter().map(named_resource).collect()
        }
        Wish::Prompt(name) => match catalog.prompts.lookup(name) {
            PromptLookup::Found(handle) => {
                let path = handle.path();
                vec![(path.module.to_string(), path.prompt.to_string())]
            }
            _ => Vec::new(),
        },
    }
}

/// The tools of a batch, as far as they are there.
fn steps(catalog: &Arc<Catalog>, meta: Meta, name: &str, args: &Args) -> Vec<(String, String)> {
    let Ok(tasks) = tasks(meta, name, args.clone()) else {
        return Vec::new();
    };
    let found = Mutex::new(Vec::new());
    let note = |handle: &Handle| {
        let path = handle.path();
        let path = (path.module.to_string(), path.tool.to_string());
        found.lock().push(path);
        Ok(())
    };
    // What is wrong with the plan is told by whoever would run it.
    let _ = planned(catalog, &tasks, &Limits::default(), &note, &|_, _| {});
    found.into_inner()
}

fn named_resource(handle: &ResourceHandle) -> (String, String) {
    (handle.module.name.to_string(), handle.resource().resource.name.clone())
}

fn named(catalog: &Catalog, name: &str) -> Option<(String, String)> {
    match catalog.lookup(name) {
        Lookup::Found(handle) => {
            let path = handle.path();
            Some((path.module.to_string(), path.tool.to_string()))
        }
        _ => None,
    }
}

pub(crate) fn check_scope(
    catalog: &Catalog,
    handle: &Handle,
    caller: &Caller,
) -> Result<(), RequestError> {
    let (module, tool) = (&handle.module.name, &handle.tool().tool.name);
    check_scope_of(catalog, caller, (module.as_str(), tool.as_str()), || handle.to_string())
}

/// Checks the scope of a tool, a resource or a prompt by its module and name.
pub(crate) fn check_scope_of(
    catalog: &Catalog,
    caller: &Caller,
    (module, name): (&str, &str),
    target: impl FnOnce() -> String,
) -> Result<(), RequestError> {
    match catalog.rules.policy.missing_scope(caller, module, name) {
        None => Ok(()),
        Some(scope) => Err(RequestErrorKind::Scope(scope.to_owned()).of(target())),
    }
}
