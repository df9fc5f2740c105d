//! Checks of the value that a built-in type converts: `list(xs)`, `int(text)`.

use super::keys::{dict_keys, set_members};
use super::size::{bounded, count_table};
use allocative::Allocative;
use anyhow::bail;
use model::MOST_DIGITS;
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;

pub(super) fn add(builder: &mut GlobalsBuilder) {
    conversions(builder);
}

/// A built-in type that makes a value from another one.
#[derive(Debug, Clone, Copy, Allocative)]
pub(super) enum Conversion {
    Int,
    List,
    Tuple,
    Set,
    Dict,
}

impl Conversion {
    pub(super) const ALL: [Self; 5] = [Self::Int, Self::List, Self::Tuple, Self::Set, Self::Dict];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::List => "list",
            Self::Tuple => "tuple",
            Self::Set => "set",
            Self::Dict => "dict",
        }
    }

    /// Is the value small enough to convert?
    pub(super) fn check<'v>(
        self,
        value: Value<'v>,
        eval: &Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<()> {
        match self {
            Self::Int => check_digits(value),
            Self::List => bounded(value, "a list", eval),
            Self::Tuple => bounded(value, "a tuple", eval),
            Self::Set => {
                bounded(value, "a set", eval)?;
                count_table(value, eval)?;
                set_members(value, eval)
            }
            Self::Dict => {
                bounded(value, "a dict", eval)?;
                count_table(value, eval)?;
                dict_keys(value, eval)
            }
        }
    }
}

/// The time that `int` takes grows with the square of the digits.
fn check_digits(value: Value<'_>) -> anyhow::Result<()> {
    match value.unpack_str() {
        Some(text) if text.len() > MOST_DIGITS => {
            bail!("a number of {} digits; int() reads {MOST_DIGITS}", text.len())
        }
        _ => Ok(()),
    }
}

#[starlark_module]
fn conversions(builder: &mut GlobalsBuilder) {
    fn __bounded_list<'v>(
        x: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        Conversion::List.check(x, eval).map(|()| x)
    }

    fn __bounded_tuple<'v>(
        x: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        Conversion::Tuple.check(x, eval).map(|()| x)
    }

    fn __bounded_set<'v>(
        x: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        Conversion::Set.check(x, eval).map(|()| x)
    }

    fn __bounded_dict<'v>(
        x: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        Conversion::Dict.check(x, eval).map(|()| x)
    }
}
