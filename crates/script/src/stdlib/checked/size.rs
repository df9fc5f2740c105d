//! How large a value is, and what one evaluation may still make.

use crate::cx::Cx;
use crate::gauge::Gauge;
use num_bigint::BigInt;
use starlark::eval::Evaluator;
use starlark::values::list::ListRef;
use starlark::values::tuple::TupleRef;
use starlark::values::{UnpackValue, Value};

pub(in crate::stdlib) fn gauge<'r>(eval: &Evaluator<'_, 'r, '_>) -> anyhow::Result<&'r Gauge> {
    Ok(&Cx::of(eval)?.gauge)
}

/// Bytes of a text, elements of a list or tuple.
pub(in crate::stdlib) enum Size {
    Bytes(usize),
    Elements(usize),
    Bits(u64),
    None,
}

pub(in crate::stdlib) fn size(value: Value<'_>) -> Size {
    if let Some(text) = value.unpack_str() {
        return Size::Bytes(text.len());
    }
    if value.unpack_i32().is_some() {
        return Size::Bits(32);
    }
    if let Some(list) = ListRef::from_value(value) {
        return Size::Elements(list.len());
    }
    if let Some(tuple) = TupleRef::from_value(value) {
        return Size::Elements(tuple.len());
    }
    if value.get_type() == "range" {
        return Size::Elements(length(value));
    }
    match BigInt::unpack_value(value) {
        Ok(Some(big)) => Size::Bits(big.bits()),
        _ => Size::None,
    }
}

pub(in crate::stdlib) fn length(value: Value<'_>) -> usize {
    value
        .length()
        .ok()
        .and_then(|n| usize::try_from(n).ok())
        .unwrap_or(0)
}

/// Natives allocate without ticking: a result is the moment to look at the whole. Large integers
/// live outside the heap, so they are counted by hand.
pub(in crate::stdlib) fn checked<'v>(
    result: starlark::Result<Value<'v>>,
    eval: &Evaluator<'v, '_, '_>,
) -> starlark::Result<Value<'v>> {
    let value = result?;
    let gauge = gauge(eval)?;
    if value.unpack_i32().is_none()
        && value.get_type() == "int"
        && let Size::Bits(bits) = size(value)
    {
        gauge.outside_heap(usize::try_from(bits / 8).unwrap_or(usize::MAX));
    }
    gauge.memory(eval)?;
    Ok(value)
}

/// All elements, after a look at how many there are.
pub(in crate::stdlib) fn items<'v>(
    value: Value<'v>,
    what: &str,
    eval: &Evaluator<'v, '_, '_>,
) -> starlark::Result<Vec<Value<'v>>> {
    bounded(value, what, eval)?;
    Ok(value.iterate(eval.heap())?.collect())
}

pub(in crate::stdlib) fn bounded<'v>(
    value: Value<'v>,
    what: &str,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<()> {
    if value.unpack_str().is_some() {
        return Ok(());
    }
    let gauge = gauge(eval)?;
    gauge.elements(length(value), what)?;
    gauge.memory(eval)
}
