//! Resources read, prompts got, arguments completed.

use super::target::{FoundTarget, ScriptOutcome, TargetType};
use super::{RequestError, RequestErrorKind, TargetKind};
use crate::argument::Argument;
use crate::catalog::{Catalog, Module};
use crate::prompts::{PromptHandle, PromptLookup};
use crate::resources::ResourceHandle;
use model::{Args, Cache, Completion, Contents, Conversation, Rejected};
use script::Turn;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// Owner of an argument to complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// A prompt, as listed or as `module.prompt`.
    Prompt(String),
    /// A resource, by its template or URI as listed.
    Resource(String),
}

pub(crate) struct ResourceRead {
    pub(super) uri: String,
}

/// A resource, with the variables of its template.
#[derive(Clone)]
pub(crate) struct ResourceMatch {
    handle: ResourceHandle,
    args: Args,
}

impl TargetType for ResourceRead {
    const METHOD: &'static str = "resources/read";
    type Reply = Vec<Contents>;
    type Found = ResourceMatch;

    fn name(&self) -> Cow<'_, str> {
        shown_uri(&self.uri)
    }

    fn find(&self, catalog: &Catalog) -> Result<ResourceMatch, RequestError> {
        match catalog.resources.find(&self.uri) {
            Some((handle, args)) => Ok(ResourceMatch { handle, args }),
            None => Err(unknown_resource(catalog, &self.uri)),
        }
    }

    fn error_target(&self, _found: &ResourceMatch) -> String {
        self.uri.clone()
    }

    fn accept(&mut self, found: &mut ResourceMatch) -> Result<(), Rejected> {
        let input = &found.handle.resource().resource.input;
        found.args = input.accept(input.read_text(std::mem::take(&mut found.args)))?;
        Ok(())
    }

    fn cache(found: &ResourceMatch) -> Option<Cache> {
        found.handle.resource().resource.cache
    }

    /// By its whole URI, which `resource_updated` names.
    fn cache_key(&self, _found: &ResourceMatch, _catalog: &Catalog) -> (String, String) {
        (self.uri.clone(), Self::METHOD.to_owned())
    }

    fn evaluate(
        &self,
        found: &ResourceMatch,
        _catalog: &Catalog,
        turn: &Turn<'_>,
        _until: Instant,
    ) -> ScriptOutcome<Vec<Contents>> {
        let resource = found.handle.resource();
        let script = &found.handle.module.script;
        let contents = script.read(resource, &self.uri, &found.args, turn)?;
        Ok((contents, Vec::new()))
    }
}

impl FoundTarget for ResourceMatch {
    fn module(&self) -> &Arc<Module> {
        &self.handle.module
    }

    fn own_name(&self) -> &str {
        &self.handle.resource().resource.name
    }
}

impl fmt::Display for ResourceMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.handle.module.name, self.own_name())
    }
}

pub(crate) struct PromptGet {
    pub(super) name: String,
    pub(super) args: Args,
}

impl TargetType for PromptGet {
    const METHOD: &'static str = "prompts/get";
    type Reply = Conversation;
    type Found = PromptHandle;

    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.name)
    }

    fn find(&self, catalog: &Catalog) -> Result<PromptHandle, RequestError> {
        find_prompt(catalog, &self.name)
    }

    fn error_target(&self, found: &PromptHandle) -> String {
        found.to_string()
    }

    fn accept(&mut self, found: &mut PromptHandle) -> Result<(), Rejected> {
        let input = &found.prompt().prompt.input;
        self.args = input.accept(input.read_text(std::mem::take(&mut self.args)))?;
        Ok(())
    }

    fn evaluate(
        &self,
        found: &PromptHandle,
        _catalog: &Catalog,
        turn: &Turn<'_>,
        _until: Instant,
    ) -> ScriptOutcome<Conversation> {
        let script = &found.module.script;
        let conversation = script.get_prompt(found.prompt(), &self.args, turn)?;
        Ok((conversation, Vec::new()))
    }
}

impl FoundTarget for PromptHandle {
    fn module(&self) -> &Arc<Module> {
        &self.module
    }

    fn own_name(&self) -> &str {
        self.prompt().prompt.name.as_str()
    }
}

impl fmt::Display for PromptHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path().fmt(f)
    }
}

pub(crate) struct ArgumentCompletion {
    pub(super) of: Reference,
    pub(super) argument: String,
    pub(super) value: String,
    pub(super) given: Args,
}

impl TargetType for ArgumentCompletion {
    const METHOD: &'static str = "completion/complete";
    type Reply = Completion;
    type Found = Argument;

    fn name(&self) -> Cow<'_, str> {
        match &self.of {
            Reference::Prompt(name) => Cow::Borrowed(name),
            Reference::Resource(uri) => shown_uri(uri),
        }
    }

    fn find(&self, catalog: &Catalog) -> Result<Argument, RequestError> {
        Argument::find(catalog, &self.of, &self.argument)
    }

    fn error_target(&self, found: &Argument) -> String {
        found.of.clone()
    }

    fn accept(&mut self, _found: &mut Argument) -> Result<(), Rejected> {
        Ok(())
    }

    fn ready_reply(&self, found: &Argument) -> Option<Completion> {
        let is_ready = found.completer.is_none();
        is_ready.then(|| Completion::new(found.choices(&self.value)))
    }

    fn evaluate(
        &self,
        found: &Argument,
        _catalog: &Catalog,
        turn: &Turn<'_>,
        _until: Instant,
    ) -> ScriptOutcome<Completion> {
        let Some(completer) = &found.completer else {
            return Ok((Completion::new(found.choices(&self.value)), Vec::new()));
        };
        let script = &found.module.script;
        let completion = script.complete(completer, &self.value, &self.given, turn)?;
        Ok((completion, Vec::new()))
    }
}

impl FoundTarget for Argument {
    fn module(&self) -> &Arc<Module> {
        &self.module
    }

    fn own_name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.module.name, self.name)
    }
}

/// The part after the scheme is passed like arguments, and is recorded as little as they are.
fn shown_uri(uri: &str) -> Cow<'_, str> {
    match uri.split_once(':') {
        Some((scheme, _)) => Cow::Owned(format!("{scheme}:…")),
        None => Cow::Borrowed("…"),
    }
}

pub(crate) fn unknown_resource(catalog: &Catalog, uri: &str) -> RequestError {
    let available = catalog.resources.similar(uri);
    RequestErrorKind::Unknown(TargetKind::Resource, available).of(uri)
}

pub(crate) fn find_prompt(catalog: &Catalog, name: &str) -> Result<PromptHandle, RequestError> {
    let kind = match catalog.prompts.lookup(name) {
        PromptLookup::Found(handle) => return Ok(handle),
        PromptLookup::Ambiguous(paths) => {
            let paths = paths.iter().map(ToString::to_string).collect();
            RequestErrorKind::Ambiguous(TargetKind::Prompt, paths)
        }
        PromptLookup::Unknown(similar) => RequestErrorKind::Unknown(TargetKind::Prompt, similar),
    };
    Err(kind.of(name))
}
