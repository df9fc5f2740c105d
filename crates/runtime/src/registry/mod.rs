//! The meta tools: a few tools through which all others are found and called. They are known by their
//! reserved names wherever tools are called, and what they call goes down the one road.

mod batch;
mod batch_answer;
mod batch_run;
mod budgeted_text;
mod call;
mod catalogue;
mod cost;
mod detail;
mod front;
mod inner_batch;
mod instructions;
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
use crate::catalog::{Catalog, Module};
use crate::request::{Call, RequestError, RequestErrorKind, Within, suggest};
use crate::runtime::Runtime;
use call::Wanted;
use model::{Args, Caller, Output};
use schema::SchemaRequest;
use serde_json::Value;
use std::sync::Arc;

/// A call of a meta tool, once it is read.
enum MetaCall {
    Schema(Output),
    /// Runs these tasks.
    Batch(Value),
    Tool(Wanted, Args),
}

impl Runtime {
    /// Answers a call of a meta tool.
    pub(crate) async fn call_meta(
        &self,
        meta: Meta,
        mut call: Call,
    ) -> Result<Output, RequestError> {
        let catalog = self.view(&call.caller);
        let args = std::mem::take(&mut call.args);
        let trail = call.trail.via(meta.name());
        match self.read_meta(&catalog, (meta, &call.name), args, &call.caller, &trail)? {
            MetaCall::Schema(output) => Ok(output),
            MetaCall::Batch(tasks) => Ok(self.call_batch(meta, tasks, call).await),
            MetaCall::Tool(wanted, args) => {
                let call = Call { trail, name: wanted.name(), args, shape: wanted.shape(), ..call };
                wanted.answer(self.call(call).await)
            }
        }
    }

    fn read_meta(
        &self,
        catalog: &Arc<Catalog>,
        (meta, name): (Meta, &str),
        args: Args,
        caller: &Caller,
        trail: &Trail,
    ) -> Result<MetaCall, RequestError> {
        if meta.is_batch(&args) {
            return tasks(meta, name, args).map(MetaCall::Batch);
        }
        if meta == Meta::Schema {
            let observed = self.observe(name);
            let result = SchemaRequest::read(args).map(|request| request.answer(catalog));
            if let Some(observed) = observed {
                observed.end(&result);
            }
            return result.map(MetaCall::Schema);
        }
        let asked = Wanted::name_in(&args);
        let read = Wanted::read(catalog, meta, name, args);
        let read = read.map_err(|error| self.reject_call(asked, caller, trail, error));
        read.map(|(wanted, args)| MetaCall::Tool(wanted, args))
    }
}

impl Within<'_> {
    /// Answers a call of a meta tool by a script, which waits.
    pub(crate) fn call_meta(&self, meta: Meta, args: Args) -> Result<Output, RequestError> {
        let trail = self.trail.via(self.name.to_string());
        let runtime = self.runtime;
        match runtime.read_meta(self.catalog, (meta, meta.name()), args, self.caller, &trail)? {
            MetaCall::Schema(output) => Ok(output),
            MetaCall::Batch(tasks) => Ok(self.call_batch(meta, &tasks)),
            MetaCall::Tool(wanted, args) => {
                let shape = wanted.script_shape();
                wanted.answer(self.request(&wanted.name(), args, shape, None))
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
    let kind = RequestErrorKind::Missing { sentence, available };
    kind.of(target)
}

#[cfg(test)]
mod meta_tests;
