//! `json`: encode and decode, with every digit kept.

use crate::convert::write_json;
use crate::stdlib::prelude::*;
use std::io::{self, Write};

/// Text made inside a script may be longer than a result.
pub(super) fn budget(eval: &Evaluator<'_, '_, '_>) -> anyhow::Result<Budget> {
    let gauge = &Cx::of(eval)?.gauge;
    Ok(Budget { depth: gauge.limits.value_depth, bytes: gauge.text_budget() })
}

/// About what one value takes while a text is taken apart.
const VALUE: usize = 100;

/// May this text be taken apart? What it becomes on the way takes far more memory than itself.
pub(super) fn room(text: &str, eval: &Evaluator<'_, '_, '_>) -> anyhow::Result<()> {
    let gauge = &Cx::of(eval)?.gauge;
    gauge.text(text.len(), "JSON")?;
    let begins = |byte: &u8| matches!(byte, b',' | b'[' | b'{');
    let values = text.as_bytes().iter().filter(|byte| begins(byte)).count();
    gauge.room(values.saturating_mul(VALUE), eval)
}

/// Text that may grow to a bound: an indentation can make a value a thousand times longer.
struct Bounded {
    text: Vec<u8>,
    longest: usize,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.text.len() + bytes.len() > self.longest {
            let longest = self.longest;
            return Err(io::Error::other(format!(
                "json.encode_indent: the text is longer than {longest} bytes"
            )));
        }
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Values as JSON text and back, with every digit kept.
#[starlark_module]
pub(super) fn natives(builder: &mut GlobalsBuilder) {
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
            bail!("an indent may have 16 characters, not {}", indent.len());
        }
        let mut out = Bounded { text: Vec::new(), longest: budget.bytes };
        let formatter = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
        let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
        serde::Serialize::serialize(&json, &mut serializer).or_else(|error| {
            Cx::of(eval)?.gauge.leave_trial()?;
            Err(anyhow::Error::from(error))
        })?;
        Ok(String::from_utf8(out.text)?)
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
        room(x, eval)?;
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
