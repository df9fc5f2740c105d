//! `json`: encode and decode, with every digit kept.

use crate::convert::{Budget, from_json, to_json, write_json};
use crate::cx::Cx;
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;

pub(crate) fn add(builder: &mut GlobalsBuilder) {
    builder.namespace("json", natives);
}

/// Text made inside a script may be longer than a result.
pub(super) fn budget(eval: &Evaluator<'_, '_, '_>) -> anyhow::Result<Budget> {
    let gauge = &Cx::of(eval)?.gauge;
    Ok(Budget {
        depth: gauge.limits.value_depth,
        bytes: gauge.text_budget(),
    })
}

#[starlark_module]
fn natives(builder: &mut GlobalsBuilder) {
    /// The value as JSON text.
    ///
    /// Examples:
    /// ```python
    /// >>> json.encode({"a": [1, 2.5, None, True]})
    /// "{\"a\":[1,2.5,null,true]}"
    /// ```
    fn encode<'v>(
        #[starlark(require = pos)] x: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<String> {
        let budget = budget(eval)?;
        write_json(x, eval.heap(), budget).or_else(|error| {
            Cx::of(eval)?.gauge.leave_trial()?;
            Err(error.into())
        })
    }

    /// The value as JSON text over several lines.
    ///
    /// Examples:
    /// ```python
    /// >>> json.encode_indent({"a": [1]})
    /// "{\n  \"a\": [\n    1\n  ]\n}"
    /// ```
    fn encode_indent<'v>(
        #[starlark(require = pos)] x: Value<'v>,
        #[starlark(default = "  ")] indent: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<String> {
        let budget = budget(eval)?;
        let json = to_json(x, eval.heap(), budget).or_else(|error| {
            Cx::of(eval)?.gauge.leave_trial()?;
            Err(anyhow::Error::from(error))
        })?;
        if indent.len() > 16 {
            anyhow::bail!("an indent may have 16 characters, not {}", indent.len());
        }
        let mut out = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
        let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
        serde::Serialize::serialize(&json, &mut serializer)?;
        Ok(String::from_utf8(out)?)
    }

    /// The value that a JSON text stands for; `default` instead of an error, if given.
    ///
    /// Examples:
    /// ```python
    /// >>> json.decode("{\"a\": [12345678901234567890, null]}")
    /// {"a": [12345678901234567890, None]}
    /// >>> json.decode("oops", default = {})
    /// {}
    /// ```
    fn decode<'v>(
        #[starlark(require = pos)] x: &str,
        default: Option<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        Cx::of(eval)?.gauge.text(x.len(), "JSON")?;
        let decoded = serde_json::from_str(x)
            .map_err(|e| anyhow::anyhow!("json.decode: {e}"))
            .and_then(|json| {
                from_json(&json, eval.heap()).map_err(|e| anyhow::anyhow!("json.decode: {e}"))
            });
        match (decoded, default) {
            (Ok(value), _) | (Err(_), Some(value)) => Ok(value),
            (Err(error), None) => Err(error),
        }
    }
}
