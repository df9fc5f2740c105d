//! Values as text, measured first: a value that holds itself twice, forty times over, has no end.

use crate::cx::Cx;
use crate::gauge::Gauge;
use anyhow::bail;
use model::Level;
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::dict::DictRef;
use starlark::values::list::ListRef;
use starlark::values::none::NoneType;
use starlark::values::record::Record;
use starlark::values::structs::StructRef;
use starlark::values::tuple::{TupleRef, UnpackTuple};

/// Deeper than this, showing a value would need more stack than a thread has.
const DEEPEST: usize = 500;

pub(crate) fn add(builder: &mut GlobalsBuilder) {
    natives(builder);
}

/// About how long the value is as text, or an error when it is too long or too deep.
pub(crate) fn measure(value: Value<'_>, gauge: &Gauge) -> anyhow::Result<usize> {
    if let Some(text) = value.unpack_str() {
        gauge.text(text.len(), "a text")?;
        return Ok(text.len());
    }
    let mut measure = Measure {
        left: gauge.text_budget(),
        budget: gauge.text_budget(),
        gauge,
    };
    measure.value(value, 0)?;
    Ok(measure.budget - measure.left)
}

struct Measure<'a> {
    left: usize,
    budget: usize,
    gauge: &'a Gauge,
}

impl Measure<'_> {
    fn value(&mut self, value: Value<'_>, depth: usize) -> anyhow::Result<()> {
        if depth > DEEPEST {
            bail!("a value nested deeper than {DEEPEST} cannot be shown or compared");
        }
        self.spend(value.unpack_str().map_or(4, str::len))?;
        if let Some(list) = ListRef::from_value(value) {
            return self.all(list.iter(), depth);
        }
        if let Some(dict) = DictRef::from_value(value) {
            return self.all(dict.iter().flat_map(|(k, v)| [k, v]), depth);
        }
        if let Some(tuple) = TupleRef::from_value(value) {
            return self.all(tuple.iter(), depth);
        }
        if let Some(fields) = StructRef::from_value(value) {
            return self.all(fields.iter().map(|(_, v)| v), depth);
        }
        if let Some(record) = Record::from_value(value) {
            return self.all(record.iter().map(|(_, v)| v), depth);
        }
        // A set is gone through as it is shown; a partial application cannot be looked into.
        if value.get_type() == "set" && value.length().is_ok_and(|n| n > 0) {
            let elements = value.length().unwrap_or_default();
            return self.spend(usize::try_from(elements).unwrap_or(0).saturating_mul(4));
        }
        Ok(())
    }

    fn all<'v>(
        &mut self,
        values: impl Iterator<Item = Value<'v>>,
        depth: usize,
    ) -> anyhow::Result<()> {
        for value in values {
            self.value(value, depth + 1)?;
        }
        Ok(())
    }

    fn spend(&mut self, bytes: usize) -> anyhow::Result<()> {
        match self.left.checked_sub(bytes) {
            Some(left) => self.left = left,
            None => {
                self.gauge.leave_trial()?;
                bail!(
                    "the value is longer than {} bytes when shown or compared",
                    self.budget
                )
            }
        }
        Ok(())
    }
}

fn shown<'v>(values: &[Value<'v>], eval: &Evaluator<'v, '_, '_>) -> anyhow::Result<String> {
    let gauge = &Cx::of(eval)?.gauge;
    let mut parts = Vec::new();
    let mut length = 0_usize;
    for value in values {
        length = length.saturating_add(measure(*value, gauge)?);
        gauge.text(length, "a text")?;
        parts.push(value.to_str());
    }
    Ok(parts.join(" "))
}

#[starlark_module]
fn natives(builder: &mut GlobalsBuilder) {
    fn __str<'v>(
        value: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        if value.unpack_str().is_some() || value.unpack_i32().is_some() {
            return Ok(value);
        }
        measure(value, &Cx::of(eval)?.gauge)?;
        Ok(eval.heap().alloc(value.to_str()))
    }

    fn __repr<'v>(value: Value<'v>, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<String> {
        measure(value, &Cx::of(eval)?.gauge)?;
        Ok(value.to_repr())
    }

    /// The value as it would be written in a script.
    ///
    /// Examples:
    /// ```python
    /// >>> repr("a")
    /// "\"a\""
    /// ```
    fn repr<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<String> {
        measure(a, &Cx::of(eval)?.gauge)?;
        Ok(a.to_repr())
    }

    /// The value as the engine sees it, for debugging.
    ///
    /// Examples:
    /// ```python
    /// >>> debug([1])
    /// "list: [1]"
    /// ```
    fn debug<'v>(
        #[starlark(require = pos)] val: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<String> {
        measure(val, &Cx::of(eval)?.gauge)?;
        Ok(format!("{}: {}", val.get_type(), val.to_repr()))
    }

    /// A line on the server's stderr, never on stdout, which belongs to the protocol.
    ///
    /// Examples:
    /// ```python
    /// >>> print("looked at", 3, "items")
    /// None
    /// ```
    fn print<'v>(
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        let text = shown(&args.items, eval)?;
        Cx::host(eval)?.log(Level::Info, &text, &serde_json::Value::Null);
        Ok(NoneType)
    }

    /// Ends the call: the message is what the caller reads.
    ///
    /// Examples:
    /// ```python
    /// >>> fail("there is no city called", "Atlantis")
    /// error: there is no city called Atlantis
    /// ```
    fn fail<'v>(
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        let text = shown(&args.items, eval)?;
        Err(starlark::Error::new_kind(starlark::ErrorKind::Fail(
            anyhow::anyhow!("{text}"),
        )))
    }
}
