//! Comparisons: both sides are measured first.

use super::size::gauge;
use crate::stdlib::show::measure;
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use std::cmp::Ordering;

pub(super) fn add(builder: &mut GlobalsBuilder) {
    comparisons(builder);
}

/// Comparing walks both sides: a value that holds itself many times over would never end.
fn comparable<'v>(
    left: Value<'v>,
    right: Value<'v>,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<()> {
    if is_plain(left) || is_plain(right) {
        return Ok(());
    }
    let gauge = gauge(eval)?;
    measure(left, gauge)?;
    measure(right, gauge).map(|_| ())
}

/// Texts, numbers, booleans and None are compared at once.
pub(super) fn is_plain(value: Value<'_>) -> bool {
    value.unpack_str().is_some()
        || value.unpack_i32().is_some()
        || value.is_none()
        || value.unpack_bool().is_some()
}

fn compared<'v>(
    left: Value<'v>,
    right: Value<'v>,
    eval: &Evaluator<'v, '_, '_>,
) -> starlark::Result<Ordering> {
    comparable(left, right, eval)?;
    left.compare(right)
}

fn contains<'v>(
    item: Value<'v>,
    container: Value<'v>,
    eval: &Evaluator<'v, '_, '_>,
) -> starlark::Result<bool> {
    comparable(item, container, eval)?;
    container.is_in(item)
}

#[starlark_module]
fn comparisons(builder: &mut GlobalsBuilder) {
    fn __eq<'v>(
        left: Value<'v>,
        right: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        comparable(left, right, eval)?;
        left.equals(right)
    }

    fn __ne<'v>(
        left: Value<'v>,
        right: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        comparable(left, right, eval)?;
        Ok(!left.equals(right)?)
    }

    fn __lt<'v>(
        left: Value<'v>,
        right: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(compared(left, right, eval)?.is_lt())
    }

    fn __le<'v>(
        left: Value<'v>,
        right: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(compared(left, right, eval)?.is_le())
    }

    fn __gt<'v>(
        left: Value<'v>,
        right: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(compared(left, right, eval)?.is_gt())
    }

    fn __ge<'v>(
        left: Value<'v>,
        right: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(compared(left, right, eval)?.is_ge())
    }

    fn __in<'v>(
        item: Value<'v>,
        container: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        contains(item, container, eval)
    }

    fn __not_in<'v>(
        item: Value<'v>,
        container: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(!contains(item, container, eval)?)
    }
}
