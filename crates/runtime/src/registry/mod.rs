//! The meta tools: a few tools through which all others are found and called. They are known by their
//! reserved names wherever tools are called, and what they call goes down the one road.

mod batch;
mod batch_answer;
mod budgeted_text;
mod call;
mod catalogue;
mod cost;
mod detail;
mod front;
mod inner_batch;
mod listed;
mod listing;
mod meta;
mod module_list;
mod offer_text;
mod say;
mod schema;
mod search_text;
mod shape;
mod start_surface;
mod tool_index;

pub use batch::{Batch, Watch};
pub(crate) use batch::{planned, tasks};
pub use batch_answer::BatchAnswer;
pub use cost::Cost;
pub use front::{Choice, Front};
pub use listing::Listing;
pub use meta::Meta;
pub(crate) use shape::Shaping;
pub use shape::{Asked, ForeachResults, Shape};
pub(crate) use start_surface::StartSurface;
pub(crate) use tool_index::ToolIndex;

use crate::audit::Trail;
use crate::call::{Call, Within};
use crate::catalog::{Catalog, Module};
use crate::request::{RequestError, RequestErrorKind, suggest};
use crate::runtime::Runtime;
use call::Wanted;
use model::{Args, Caller, Output};
use schema::SchemaRequest;

impl Runtime {
    /// Answers a call of a meta tool.
    pub(crate) async fn call_meta(&self, meta: Meta, call: Call) -> Result<Output, RequestError> {
        let catalog = self.view(&call.caller);
        if meta.is_batch(&call.args) {
            return self.call_batch(meta, call).await;
        }
        match meta {
            Meta::Schema => {
                let observed = self.observe(&call.name);
                let request = SchemaRequest::read(call.args);
                let result = request.map(|request| request.answer(&catalog));
                if let Some(observed) = observed {
                    observed.end(&result);
                }
                result
            }
            Meta::Call | Meta::CallReadonly | Meta::Batch => {
                let asked = Wanted::name_in(&call.args);
                let read = Wanted::read(&catalog, meta, &call.name, call.args);
                let (wanted, args) = read.inspect_err(|error| {
                    self.note_unread(&asked, &call.caller, &call.trail.via(meta.name()), error);
                })?;
                let call = Call {
                    trail: call.trail.via(meta.name()),
                    name: wanted.name(),
                    args,
                    shape: wanted.shape(),
                    ..call
                };
                wanted.answer(self.call(call).await)
            }
        }
    }
}

impl Runtime {
    /// What `call` could not even make a call of.
    pub(crate) fn note_unread(
        &self,
        name: &str,
        caller: &Caller,
        trail: &Trail,
        error: &RequestError,
    ) {
        if let Ok(mut entry) = self.enter(name, &Args::new(), caller, trail) {
            if let RequestErrorKind::Missing { .. } = error.kind {
                self.note_missing(&mut entry, name);
            }
            // Nothing has run: the line need not be waited for.
            let _ = entry.end::<Output>(&Err(error.clone()));
        }
    }
}

impl Within<'_> {
    /// The same, for a script that calls it.
    pub(crate) fn call_meta(&self, meta: Meta, args: Args) -> Result<Output, RequestError> {
        if meta.is_batch(&args) {
            return self.call_batch(meta, args);
        }
        match meta {
            Meta::Schema => Ok(SchemaRequest::read(args)?.answer(self.catalog)),
            Meta::Call | Meta::CallReadonly | Meta::Batch => {
                let asked = Wanted::name_in(&args);
                let read = Wanted::read(self.catalog, meta, meta.name(), args);
                let (wanted, args) = read.inspect_err(|error| {
                    let trail = self.trail.via(self.name.to_string());
                    self.runtime.note_unread(&asked, self.caller, &trail, error);
                })?;
                let shape = wanted.script_shape();
                wanted.answer(self.call_counted(&wanted.name(), args, shape, None))
            }
        }
    }
}

/// Returns the error for a module that does not exist.
pub(crate) fn missing_module(catalog: &Catalog, name: &str) -> RequestError {
    let names = catalog.modules().map(|module| module.name.as_str());
    let near = model::near_names(name, names);
    let way_out = "`get_module_schema` lists the modules";
    missing(name, &format!("module `{name}`"), near, way_out)
}

/// Returns the error for a tool that its module does not have.
pub(crate) fn missing_tool(module: &Module, tool: &str) -> RequestError {
    let names = module.tools.iter().map(|tool| tool.tool.name.as_str());
    let near = model::near_names(tool, names);
    let module = &module.name;
    let way_out = format!("`get_module_schema` with modules: [\"{module}\"] lists its tools");
    let target = format!("{module}.{tool}");
    missing(&target, &format!("tool `{target}`"), near, &way_out)
}

fn missing(target: &str, what: &str, near: Vec<&str>, way_out: &str) -> RequestError {
    let available: Vec<String> = near.into_iter().map(str::to_owned).collect();
    let sentence = match suggest(&available) {
        suggestion if suggestion.is_empty() => format!("there is no {what}; {way_out}"),
        suggestion => format!("there is no {what}{suggestion}"),
    };
    let kind = RequestErrorKind::Missing {
        sentence,
        available,
    };
    kind.of(target)
}

#[cfg(test)]
mod meta_tests;
