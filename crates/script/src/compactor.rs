//! The author's own way to say an answer in fewer words: `tool(fn, compact = shorter)`, where
//! `shorter(result)` gives a smaller value, or a text that is sent as it is.

use crate::convert::{Budget, from_json, to_json};
use crate::offer::{Reader, function_name};
use crate::script::{CallFailure, Script, Turn};
use model::Selection;
use serde_json::Value as Json;
use starlark::eval::Evaluator;
use starlark::values::{OwnedFrozenValue, Value};

#[derive(Debug, Clone)]
pub(crate) struct Compactor {
    function: OwnedFrozenValue,
}

impl Compactor {
    pub(crate) fn read<'v>(reader: &Reader<'_, 'v>, function: Value<'v>) -> Result<Self, String> {
        if function.get_type() != "function" {
            return Err(format!(
                "`compact` must be a function, not a {}; write compact = my_function",
                function.get_type()
            ));
        }
        let name = function_name(function);
        let signature = reader.types.signature_of("compact function", function)?;
        let required = signature.fields.iter().filter(|field| field.required);
        if signature.takes_ctx || signature.fields.is_empty() || required.count() > 1 {
            return Err(format!("`compact` is called as `{name}(result)`"));
        }
        Ok(Self { function: reader.frozen(function).map_err(|fault| fault.message)? })
    }

    fn invoke(
        &self,
        result: &Json,
        turn: &Turn<'_>,
        eval: &mut Evaluator<'_, '_, '_>,
    ) -> starlark::Result<Json> {
        let heap = eval.heap();
        let result = from_json(result, heap).map_err(anyhow::Error::from)?;
        let function = heap.access_owned_frozen_value(&self.function);
        let made = eval.eval_function(function, &[result], &[])?;
        let budget = Budget::from(turn.limits);
        Ok(to_json(made, heap, budget).map_err(anyhow::Error::from)?)
    }
}

impl Script {
    /// What a tool's own `compact` makes of a result, within the limits of a call.
    pub(crate) fn compact_by(
        &self,
        compactor: &Compactor,
        result: &Json,
        turn: &Turn<'_>,
    ) -> Result<Json, CallFailure> {
        self.evaluate(turn, |eval| compactor.invoke(result, turn, eval))
    }
}

/// `select = [...]` of a tool.
pub(crate) fn selection<'v>(
    reader: &Reader<'_, 'v>,
    select: Value<'v>,
) -> Result<Selection, String> {
    let json = reader.types.json(select);
    let json = json.ok_or("`select` is a list of fields such as [\"title\"]")?;
    Selection::parse(&json).map_err(|why| why.to_string())
}
