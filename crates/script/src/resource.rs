//! `resource(uri, fn, …)`: declaring what clients can read, and reading it.

#![allow(clippy::unnecessary_wraps, reason = "starlark's macros ask for Result")]

use crate::complete::Completer;
use crate::declare::entry;
use crate::heading::{Handler, Heading, hint, text};
use crate::kinds::note;
use crate::offer::Reader;
use crate::script::{CallFailure, Script, Turn};
use crate::stdlib::prelude::*;
use model::{Args, Contents, Fault, Input, Resource, UriTemplate};

/// What `resource(uri, fn, …)` takes besides.
pub(crate) const OPTIONS: [&str; 8] =
    ["name", "title", "description", "mime", "icons", "annotations", "complete", "cache"];

#[derive(Debug, Clone)]
pub struct ScriptResource {
    pub resource: Resource,
    pub completers: Vec<Completer>,
    pub(crate) handler: Handler,
}

pub(crate) fn add(builder: &mut GlobalsBuilder) {
    natives(builder);
}

#[starlark_module]
fn natives(builder: &mut GlobalsBuilder) {
    /// Offers what a function gives under a URI, or under all URIs of a template.
    ///
    /// `{name}` in a template is one segment, `{+name}` the rest of a path; each goes to the parameter
    /// of its name. By name: `name`, `title`, `description`, `mime`, `icons`, `annotations`, and
    /// `complete`, a dict of functions that complete a variable, and `cache`: how long what was read is
    /// given again, as for `tool`; `ctx.resource_updated(uri)` ends that.
    ///
    /// Examples:
    /// ```python
    /// def note(topic: str):
    ///     """The notes on a topic."""
    ///     return "- write tests"
    ///
    /// resource("notes://{topic}", note, mime = "text/markdown")
    /// ```
    fn resource<'v>(
        #[starlark(require = pos)] uri: Value<'v>,
        #[starlark(require = pos)] func: Value<'v>,
        #[starlark(kwargs)] options: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        if uri.unpack_str().is_none() || func.get_type() != "function" {
            bail!(
                "resource() takes a URI and a function, not a {} and a {}; write `resource(\"notes://today\", my_function)`",
                uri.get_type(),
                func.get_type()
            );
        }
        let uri = Some(("uri", uri));
        note(entry("resource", func, &options, &OPTIONS, uri, eval)?, eval)?;
        Ok(func)
    }
}

impl<'v> Reader<'_, 'v> {
    pub(crate) fn resource(&self, entry: Value<'v>) -> Result<ScriptResource, Fault> {
        let heading = self.heading("resource", entry)?;
        let fail = |why: String| {
            let name = &heading.function.name;
            self.fault(name, format!("resource `{name}`: {why}"))
        };
        let uri = text(entry, "uri").map_err(fail)?.unwrap_or_default();
        let uri: UriTemplate = uri.parse().map_err(|e| fail(format!("{e}")))?;
        check_variables(&uri, &heading).map_err(fail)?;
        let annotations = self.json_of(entry, "annotations");
        if annotations.as_ref().is_some_and(|json| !json.is_object()) {
            return Err(fail("annotations must be a dict".into()));
        }
        Ok(ScriptResource {
            resource: Resource {
                uri,
                name: heading.name,
                title: heading.title,
                description: heading.description,
                mime: text(entry, "mime").map_err(fail)?,
                icons: heading.icons,
                annotations,
                input: Input::typed(heading.signature.fields, heading.signature.open),
                cache: self.cache(entry).map_err(fail)?,
            },
            completers: heading.completers,
            handler: heading.function,
        })
    }
}

/// Every variable needs a parameter to go to, and every parameter a place to come from.
fn check_variables(uri: &UriTemplate, heading: &Heading) -> Result<(), String> {
    let signature = &heading.signature;
    let names = || signature.fields.iter().map(|field| field.name.as_str());
    for variable in uri.variables() {
        if variable == "ctx" {
            return Err(format!("`{uri}` has `{{ctx}}`, which is the context's name"));
        }
        if !signature.open && !names().any(|name| name == variable) {
            let hint = hint(variable, names());
            return Err(format!("`{uri}` has `{{{variable}}}`, which is not a parameter; {hint}"));
        }
    }
    let is_missing = |name: &str| !uri.variables().any(|variable| variable == name);
    let mut required = signature.fields.iter().filter(|field| field.required);
    match required.find(|field| is_missing(&field.name)) {
        Some(field) => Err(format!(
            "parameter `{0}` is not in `{uri}`; write `{{{0}}}` there, or give it a default",
            field.name
        )),
        None => Ok(()),
    }
}

/// Declaring a URI again replaces it, in its old place.
pub(crate) fn replace(resources: &mut Vec<ScriptResource>, new: ScriptResource) {
    let is_it = |old: &&mut ScriptResource| old.resource.uri == new.resource.uri;
    match resources.iter_mut().find(is_it) {
        Some(old) => *old = new,
        None => resources.push(new),
    }
}

impl Script {
    /// Reads a resource under one of its URIs, with variables that its types have accepted.
    pub fn read(
        &self,
        resource: &ScriptResource,
        uri: &str,
        args: &Args,
        turn: &Turn<'_>,
    ) -> Result<Vec<Contents>, CallFailure> {
        self.evaluate(turn, |eval| {
            let handler = &resource.handler;
            let value = handler.binding.call(&handler.function, args, turn, eval)?;
            let json = to_json(value, eval.heap(), Budget::from(turn.limits));
            let json = json.map_err(anyhow::Error::from)?;
            let read = model::contents(json, uri, resource.resource.mime.as_deref());
            Ok(read.map_err(|why| anyhow::anyhow!("{}(): {why}", handler.name))?)
        })
    }
}
