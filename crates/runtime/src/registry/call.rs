//! `call`: one tool by its module and its name.

use super::meta::Meta;
use super::shape::{Asked, Shape};
use super::{missing_module, missing_tool};
use crate::catalog::{Catalog, Handle, Lookup};
use crate::request::{RequestError, RequestErrorKind};
use compact::{Format, Ways};
use model::{Args, Output, Problem, Rejected, Selection, TaskUse, call_target};
use serde_json::Value;
use std::sync::Arc;

/// What a caller of `call` wants.
pub(crate) struct Wanted {
    handle: Handle,
    asked: Asked,
}

impl Wanted {
    /// What is wanted, and the params for it.
    pub(crate) fn read(
        catalog: &Arc<Catalog>,
        meta: Meta,
        name: &str,
        args: Args,
    ) -> Result<(Self, Args), RequestError> {
        let rejected = |rejected| RequestErrorKind::rejected(rejected).of(name);
        let mut args = meta.accept(args).map_err(rejected)?;
        let select = args.get("select").map(Selection::parse).transpose();
        let select = select.map_err(|why| {
            let (field, message) = (String::new(), why.to_string());
            rejected(Rejected(vec![Problem { field, message }]))
        })?;
        let text = |name: &str| args.get(name).and_then(Value::as_str).unwrap_or_default();
        let handle = find(catalog, text("module"), text("tool"))?;
        meta.check_tool(&handle)?;
        // The smallest is meant by `compact`, which is no format.
        let format = text("output").parse::<Format>().ok();
        let params = match args.remove("params") {
            Some(Value::Object(params)) => params,
            _ => Args::new(),
        };
        let ways = Ways::CALL;
        let asked = Asked { format, select, ways, foreach: None };
        Ok((Self { handle, asked }, params))
    }

    /// `module.tool`, as far as it is said.
    pub(crate) fn name_in(args: &Args) -> String {
        let (module, tool) = call_target(args);
        format!("{module}.{tool}")
    }

    /// `module.tool`.
    pub(crate) fn name(&self) -> String {
        self.handle.to_string()
    }

    pub(crate) fn shape(&self) -> Shape {
        Shape::Compact(self.asked.clone())
    }

    /// The same for a script, which gets the data if it asks for all of it.
    pub(crate) fn script_shape(&self) -> Shape {
        match self.asked {
            Asked { format: Some(Format::Json), select: None, .. } => Shape::Raw,
            _ => self.shape(),
        }
    }

    pub(crate) fn answer(
        &self,
        called: Result<Output, RequestError>,
    ) -> Result<Output, RequestError> {
        match called {
            // The text says it; it is paid for once.
            Ok(output) => Ok(Output { structured: None, ..output }),
            // The caller may not have seen what the tool takes.
            Err(mut error) => {
                if let RequestErrorKind::Rejected { signature, .. } = &mut error.kind {
                    let (module, tool) = (&self.handle.module.name, &self.handle.tool().tool);
                    *signature = Some(format!("{module}.{}", tool.signature()));
                }
                Err(error)
            }
        }
    }
}

/// A tool by the names its module and it were declared with.
pub(crate) fn find(
    catalog: &Arc<Catalog>,
    module: &str,
    tool: &str,
) -> Result<Handle, RequestError> {
    let Some(known) = catalog.module(module) else {
        let path = format!("{module}.{tool}");
        return Err(catalog.halted_or(&path, missing_module(catalog, module)));
    };
    Handle::find(known, tool).ok_or_else(|| missing_tool(known, tool))
}

impl Catalog {
    /// May a call of this name become a task? Through `call`, that is for the tool to say that is called.
    pub fn task_use(&self, name: &str, args: Option<&Args>) -> TaskUse {
        let found = match Meta::named(name) {
            None => match self.lookup(name) {
                Lookup::Found(handle) => Some(handle),
                _ => None,
            },
            Some(Meta::Call | Meta::CallReadonly) => {
                let (module, tool) = args.map(call_target).unwrap_or_default();
                let module = self.module(&module);
                module.and_then(|module| Handle::find(module, &tool))
            }
            Some(Meta::Schema | Meta::Batch) => None,
        };
        found.map_or(TaskUse::Never, |handle| handle.tool().tool.task)
    }
}
