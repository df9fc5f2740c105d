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
    value.length().ok().and_then(|n| usize::try_from(n).ok()).unwrap_or(0)
}

/// Bytes of an entry in the table of a dict or set, with its share of the index.
const ENTRY_BYTES: usize = 48;

/// Bytes that a value holds outside the heap: digits of large integers, tables of dicts and sets.
fn outside_bytes(value: Value<'_>) -> usize {
    if value.unpack_i32().is_some() || value.unpack_str().is_some() {
        return 0;
    }
    match value.get_type() {
        "int" => match size(value) {
            Size::Bits(bits) => usize::try_from(bits / 8).unwrap_or(usize::MAX),
            _ => 0,
        },
        "dict" | "set" => length(value).saturating_mul(ENTRY_BYTES),
        _ => 0,
    }
}

/// Natives allocate without ticking: a result is the moment to look at the whole. What a result holds
/// outside the heap is counted by hand.
pub(in crate::stdlib) fn checked<'v>(
    result: starlark::Result<Value<'v>>,
    eval: &Evaluator<'v, '_, '_>,
) -> starlark::Result<Value<'v>> {
    let value = result?;
    let gauge = gauge(eval)?;
    gauge.outside_heap(outside_bytes(value));
    gauge.memory(eval)?;
    Ok(value)
}

/// Counts the table that a dict or set of as many elements as `sequence` has.
pub(in crate::stdlib) fn count_table<'v>(
    sequence: Value<'v>,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<()> {
    let gauge = gauge(eval)?;
    gauge.outside_heap(length(sequence).saturating_mul(ENTRY_BYTES));
    gauge.memory(eval)
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
