//! An argument that somebody is typing: whose it is, and what completes it.

use crate::catalog::{Catalog, Module};
use crate::request::{Reference, RequestError, RequestErrorKind, find_prompt, unknown_resource};
use model::{Input, Schema};
use script::Completer;
use std::sync::Arc;

#[derive(Clone)]
pub(crate) struct Argument {
    /// The prompt or the resource it belongs to.
    pub(crate) of: String,
    /// What the author calls that.
    pub(crate) name: String,
    pub(crate) module: Arc<Module>,
    /// The author's function, if there is one.
    pub(crate) completer: Option<Completer>,
    schema: Schema,
}

struct Owner {
    of: String,
    name: String,
    module: Arc<Module>,
}

impl Argument {
    pub(crate) fn find(
        catalog: &Catalog,
        of: &Reference,
        name: &str,
    ) -> Result<Self, RequestError> {
        match of {
            Reference::Prompt(prompt) => {
                let handle = find_prompt(catalog, prompt)?;
                let prompt = handle.prompt();
                let of = Owner {
                    of: handle.path().to_string(),
                    name: prompt.prompt.name.to_string(),
                    module: Arc::clone(&handle.module),
                };
                Self::new(of, name, &prompt.prompt.input, &prompt.completers, &[])
            }
            Reference::Resource(uri) => {
                let Some(handle) = catalog.resources.declared(uri) else {
                    return Err(unknown_resource(catalog, uri));
                };
                let declared = handle.resource();
                let resource = &declared.resource;
                let of = Owner {
                    of: uri.clone(),
                    name: resource.name.clone(),
                    module: Arc::clone(&handle.module),
                };
                let variables: Vec<&str> = resource.uri.variables().collect();
                Self::new(of, name, &resource.input, &declared.completers, &variables)
            }
        }
    }

    /// What its type alone says.
    pub(crate) fn choices(&self, value: &str) -> Vec<String> {
        self.schema.completions(value)
    }

    fn new(
        owner: Owner,
        argument: &str,
        input: &Input,
        completers: &[Completer],
        variables: &[&str],
    ) -> Result<Self, RequestError> {
        let fields = input.fields();
        let field = fields.iter().find(|field| field.name == argument);
        // A function that takes everything has no field for a variable of its template.
        if field.is_none() && !variables.contains(&argument) {
            let unknown = RequestErrorKind::UnknownArgument {
                argument: argument.to_owned(),
                available: fields.iter().map(|field| field.name.clone()).collect(),
            };
            return Err(unknown.of(owner.of));
        }
        let completer = completers.iter().find(|c| c.argument == argument);
        Ok(Self {
            of: owner.of,
            name: owner.name,
            module: owner.module,
            completer: completer.cloned(),
            schema: field.map_or(Schema::Any, |field| field.schema.clone()),
        })
    }
}
