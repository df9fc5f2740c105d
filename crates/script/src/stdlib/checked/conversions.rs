//! Looks at what a built-in type is made from: `list(xs)`, `int(text)`.

use super::keys::{dict_keys, set_members};
use super::size::bounded;
use anyhow::bail;
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;

const LARGEST_DIGITS: usize = 20_000;

pub(super) fn add(builder: &mut GlobalsBuilder) {
    conversions(builder);
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
        set_members(x, eval).map(|()| x)
    }

    fn __bounded_dict<'v>(
        x: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        bounded(x, "a dict", eval)?;
        dict_keys(x, eval).map(|()| x)
    }

    fn __bounded_int<'v>(x: Value<'v>) -> anyhow::Result<Value<'v>> {
        match x.unpack_str() {
            Some(text) if text.len() > LARGEST_DIGITS => {
                bail!(
                    "a number of {} digits; int() reads {LARGEST_DIGITS}",
                    text.len()
                )
            }
            _ => Ok(x),
        }
    }
}
