//! Completions by an author's function: `fn(value)` or `fn(value, given)`, with `ctx` first if it likes.

use crate::offer::{Reader, function_name};
use crate::script::{CallFailure, Script, Turn};
use crate::stdlib::context::Context;
use crate::stdlib::prelude::*;
use model::{Args, Completion};
use serde_json::Value as Json;
use starlark::values::OwnedFrozenValue;

/// What completes one argument.
#[derive(Debug, Clone)]
pub struct Completer {
    pub argument: String,
    name: String,
    function: OwnedFrozenValue,
    ctx: bool,
    /// Does it want the arguments given so far?
    given: bool,
}

impl Completer {
    pub(crate) fn read<'v>(
        reader: &Reader<'_, 'v>,
        argument: String,
        function: Value<'v>,
    ) -> Result<Self, String> {
        if function.get_type() != "function" {
            return Err(format!(
                "the completion of `{argument}` must be a function, not a {}",
                function.get_type()
            ));
        }
        let name = function_name(function);
        let signature = reader.types.signature_of("completion", function)?;
        let required = signature.fields.iter().filter(|field| field.required);
        if signature.fields.is_empty() || required.count() > 2 {
            return Err(format!(
                "the completion of `{argument}` is called as `{name}(value)` or `{name}(value, given)`"
            ));
        }
        Ok(Self {
            argument,
            name,
            function: reader.frozen(function).map_err(|fault| fault.message)?,
            ctx: signature.takes_ctx,
            given: signature.fields.len() > 1,
        })
    }

    fn invoke(
        &self,
        value: &str,
        given: &Args,
        turn: &Turn<'_>,
        eval: &mut Evaluator<'_, '_, '_>,
    ) -> starlark::Result<Completion> {
        let heap = eval.heap();
        let mut by_position = Vec::with_capacity(3);
        if self.ctx {
            by_position.push(heap.alloc(Context::new(turn)));
        }
        by_position.push(heap.alloc(value));
        if self.given {
            let given = Json::Object(given.clone());
            by_position.push(from_json(&given, heap).map_err(anyhow::Error::from)?);
        }
        let function = heap.access_owned_frozen_value(&self.function);
        let found = eval.eval_function(function, &by_position, &[])?;
        Ok(Completion::new(self.strings(found)?))
    }

    fn strings(&self, found: Value<'_>) -> anyhow::Result<Vec<String>> {
        let name = &self.name;
        let Some(list) = ListRef::from_value(found) else {
            bail!("{name}(): a completion is a list of strings, not a {}", found.get_type());
        };
        let text = |value: Value<'_>| match value.unpack_str() {
            Some(text) => Ok(text.to_owned()),
            None => bail!(
                "{name}(): a completion is a list of strings; there is a {} in it",
                value.get_type()
            ),
        };
        list.iter().map(text).collect()
    }
}

impl Script {
    /// What an argument may become, by its author's function.
    pub fn complete(
        &self,
        completer: &Completer,
        value: &str,
        given: &Args,
        turn: &Turn<'_>,
    ) -> Result<Completion, CallFailure> {
        self.evaluate(turn, |eval| completer.invoke(value, given, turn, eval))
    }
}
