//! What a resource and a prompt declare alike: a function with types, a name, words for people and
//! completions.

use crate::complete::Completer;
use crate::offer::{Reader, function_name};
use crate::script::Binding;
use crate::signature::{Signature, get};
use crate::stdlib::show;
use model::{Fault, did_you_mean};
use serde_json::Value as Json;
use starlark::values::dict::DictRef;
use starlark::values::list::ListRef;
use starlark::values::{OwnedFrozenValue, Value};

pub(crate) struct Heading {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    pub(crate) icons: Option<Json>,
    pub(crate) signature: Signature,
    pub(crate) function: Handler,
    pub(crate) completers: Vec<Completer>,
}

/// The function behind an offer, and how it is called.
#[derive(Debug, Clone)]
pub(crate) struct Handler {
    pub(crate) name: String,
    pub(crate) function: OwnedFrozenValue,
    pub(crate) binding: Binding,
}

impl<'v> Reader<'_, 'v> {
    /// Reads an entry of `resource(…)` or `prompt(…)`; `kind` is which.
    pub(crate) fn heading(&self, kind: &str, entry: Value<'v>) -> Result<Heading, Fault> {
        let function = get(entry, "fn").or_else(|| get(entry, "handler"));
        let function = function.unwrap_or_else(Value::new_none);
        let function_name = function_name(function);
        let fail = |why: String| self.fault(&function_name, why);
        let about = |why: String| fail(format!("{kind} `{function_name}`: {why}"));
        let signature = self.types.signature_of(kind, function).map_err(about)?;
        let name = match text(entry, "name").map_err(about)? {
            Some(name) => name,
            None if function_name == "lambda" => {
                return Err(fail(format!("a lambda has no name; add name = \"my_{kind}\"")));
            }
            None => function_name.clone(),
        };
        let description = text(entry, "description").map_err(about)?;
        let completers = self.completers(entry, &signature).map_err(about)?;
        Ok(Heading {
            name,
            title: text(entry, "title").map_err(about)?,
            description: description.unwrap_or_else(|| signature.description.clone()),
            icons: self.json_of(entry, "icons"),
            function: Handler {
                function: self.frozen(function)?,
                binding: binding(&signature),
                name: function_name,
            },
            signature,
            completers,
        })
    }

    pub(crate) fn json_of(&self, entry: Value<'v>, key: &str) -> Option<Json> {
        get(entry, key).filter(|value| !value.is_none()).and_then(|value| self.types.json(value))
    }

    fn completers(
        &self,
        entry: Value<'v>,
        signature: &Signature,
    ) -> Result<Vec<Completer>, String> {
        let Some(given) = get(entry, "complete").filter(|value| !value.is_none()) else {
            return Ok(Vec::new());
        };
        let Some(given) = DictRef::from_value(given) else {
            return Err("complete must be a dict: complete = {\"argument\": my_function}".into());
        };
        let names = || signature.fields.iter().map(|field| field.name.as_str());
        let mut completers = Vec::new();
        for (argument, function) in given.iter() {
            let argument = show::plain(argument);
            if !names().any(|name| name == argument) {
                let hint = hint(&argument, names());
                return Err(format!(
                    "complete names `{argument}`, which is not a parameter; {hint}"
                ));
            }
            completers.push(Completer::read(self, argument, function)?);
        }
        Ok(completers)
    }

    /// The entries of a list in `Extension(…)`. What `resource(…)` and `prompt(…)` return there is
    /// the function itself, which has been noted when they were called: it is not listed again.
    pub(crate) fn listed(
        &self,
        extension: Value<'v>,
        key: &str,
        declared: &[Value<'v>],
    ) -> Result<Vec<Value<'v>>, Fault> {
        let kind = key.trim_end_matches('s');
        let (fields, options) = options(kind);
        let fail = |why: String| self.fault("describe_extension", why);
        let mut entries = Vec::new();
        let list = get(extension, key).and_then(ListRef::from_value);
        for item in list.into_iter().flat_map(ListRef::iter) {
            let is_it = |entry: &Value<'v>| get(*entry, "fn").is_some_and(|f| f.ptr_eq(item));
            if declared.iter().any(is_it) {
                continue;
            }
            let Some(dict) = DictRef::from_value(item) else {
                return Err(fail(format!(
                    "{key} must hold {kind}(…) or dicts with `{}` and `handler`, not a {}",
                    fields[0],
                    item.get_type()
                )));
            };
            for word in dict.keys().map(show::plain) {
                let known = || fields.iter().chain(options).copied();
                if !known().any(|name| name == word) {
                    let hint = hint(&word, known());
                    return Err(fail(format!("a dict in {key} has `{word}`; {hint}")));
                }
            }
            if let Some(missing) = fields.iter().find(|field| dict.get_str(field).is_none()) {
                return Err(fail(format!("a dict in {key} has no `{missing}`")));
            }
            if let Some(handler) = dict.get_str("handler").filter(|h| h.get_type() != "function") {
                let given = handler.get_type();
                return Err(fail(format!("a handler in {key} must be a function, not a {given}")));
            }
            entries.push(item);
        }
        Ok(entries)
    }
}

/// What a dict must hold, and what it may hold.
fn options(kind: &str) -> (&'static [&'static str], &'static [&'static str]) {
    if kind == "resource" {
        (&["uri", "handler"], &crate::resource::OPTIONS)
    } else {
        (&["name", "handler"], &crate::prompt::OPTIONS)
    }
}

fn binding(signature: &Signature) -> Binding {
    let names = signature.fields.iter().map(|field| field.name.clone());
    Binding::Typed {
        ctx: signature.takes_ctx,
        kinds: names.zip(signature.kinds.iter().cloned()).collect(),
        positional: signature.positional,
        output: false,
    }
}

/// A text, if there is one.
pub(crate) fn text(entry: Value<'_>, key: &str) -> Result<Option<String>, String> {
    match get(entry, key).filter(|value| !value.is_none()) {
        None => Ok(None),
        Some(value) => match value.unpack_str() {
            Some(text) => Ok(Some(text.to_owned())),
            None => Err(format!("{key} must be a string, not a {}", value.get_type())),
        },
    }
}

/// The way out for a name that is not there.
pub(crate) fn hint<'a>(given: &str, there: impl Iterator<Item = &'a str> + Clone) -> String {
    let mut names = there.clone().peekable();
    match did_you_mean(given, there) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.peek().is_none() => "there are none".into(),
        None => format!("there are {}", names.collect::<Vec<_>>().join(", ")),
    }
}
