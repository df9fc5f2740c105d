//! Looks at what a built-in type is made from: `list(xs)`, `int(text)`.

use super::keys::{dict_keys, set_members};
use super::size::{bounded, count_table};
use crate::stdlib::show::quoted;
use anyhow::bail;
use model::MOST_DIGITS;
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;

pub(super) fn add(builder: &mut GlobalsBuilder) {
    conversions(builder);
}

/// May `int` read this? The time it takes grows with the square of the digits.
pub(in crate::stdlib) fn digits(x: Value<'_>) -> anyhow::Result<()> {
    match x.unpack_str() {
        Some(text) if text.len() > MOST_DIGITS => {
            bail!(
                "a number of {} digits; int() reads {MOST_DIGITS}",
                text.len()
            )
        }
        _ => Ok(()),
    }
}

/// The same before a function is called that may be `int` under another name.
pub(in crate::stdlib) fn callable_on<'v>(
    function: Value<'v>,
    args: &[Value<'v>],
) -> anyhow::Result<()> {
    match args {
        [text, ..] if digits(*text).is_err() && quoted(function) == "int" => digits(*text),
        _ => Ok(()),
    }
}

#[starlark_module]
fn conversions(builder: &mut GlobalsBuilder) {
    fn __bounded_list<'v>(
        x: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        bounded(x, "a list", eval).map(|()| x)
    }

    fn __bounded_tuple<'v>(
        x: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        bounded(x, "a tuple", eval).map(|()| x)
    }

    fn __bounded_set<'v>(
        x: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        bounded(x, "a set", eval)?;
        count_table(x, eval)?;
        set_members(x, eval).map(|()| x)
    }

    fn __bounded_dict<'v>(
        x: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        bounded(x, "a dict", eval)?;
        count_table(x, eval)?;
        dict_keys(x, eval).map(|()| x)
    }

    fn __bounded_int<'v>(x: Value<'v>) -> anyhow::Result<Value<'v>> {
        digits(x).map(|()| x)
    }
}
