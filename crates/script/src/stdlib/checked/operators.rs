//! `*`, `+`, `%`, `<<`, their assigning forms, and slices.

use super::percent::percent;
use super::size::{Size, checked, gauge, size};
use crate::gauge::Gauge;
use crate::stdlib::secret::Secret;
use anyhow::bail;
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::{UnpackValue, Value};

/// Products beyond this many bits take longer than anybody waits.
const LARGEST_INT_BITS: u64 = 1 << 17;

pub(super) fn add(builder: &mut GlobalsBuilder) {
    operators(builder);
}

/// Looks at what `left * right` would make.
fn may_multiply(left: Value<'_>, right: Value<'_>, gauge: &Gauge) -> anyhow::Result<()> {
    match (size(left), size(right)) {
        (Size::Bits(32), Size::Bits(32)) => Ok(()),
        (Size::Bits(a), Size::Bits(b)) if a + b > LARGEST_INT_BITS => {
            bail!("a product of {} bits; an integer may have {LARGEST_INT_BITS}", a + b)
        }
        (Size::Bytes(length), Size::Bits(_)) => gauge.text(repeated(length, right), "a text"),
        (Size::Bits(_), Size::Bytes(length)) => gauge.text(repeated(length, left), "a text"),
        (Size::Elements(length), Size::Bits(_)) => {
            gauge.elements(repeated(length, right), "a repetition")
        }
        (Size::Bits(_), Size::Elements(length)) => {
            gauge.elements(repeated(length, left), "a repetition")
        }
        _ => Ok(()),
    }
}

fn repeated(length: usize, times: Value<'_>) -> usize {
    match i64::unpack_value(times) {
        Ok(Some(times)) => length.saturating_mul(usize::try_from(times).unwrap_or(0)),
        _ => usize::MAX,
    }
}

fn may_add<'v>(left: Value<'v>, right: Value<'v>, gauge: &Gauge) -> anyhow::Result<()> {
    match (size(left), size(right)) {
        (Size::Bytes(a), Size::Bytes(b)) => gauge.text(a.saturating_add(b), "a text"),
        (Size::Elements(a), Size::Elements(b)) => gauge.elements(a.saturating_add(b), "a sequence"),
        (Size::Bytes(_), Size::None) | (Size::None, Size::Bytes(_)) => {
            Secret::refuse(&[left, right])
        }
        _ => Ok(()),
    }
}

#[starlark_module]
fn operators(builder: &mut GlobalsBuilder) {
    fn __mul<'v>(
        left: Value<'v>,
        right: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        may_multiply(left, right, gauge(eval)?)?;
        checked(left.mul(right, eval.heap()), eval)
    }

    fn __add<'v>(
        left: Value<'v>,
        right: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        may_add(left, right, gauge(eval)?)?;
        checked(left.add(right, eval.heap()), eval)
    }

    fn __mod<'v>(
        left: Value<'v>,
        right: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let Some(format) = left.unpack_str() else {
            return left.percent(right, eval.heap());
        };
        let text = percent(format, right, eval)?;
        checked(Ok(eval.heap().alloc(text)), eval)
    }

    fn __shl<'v>(
        left: Value<'v>,
        right: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        if let (Size::Bits(bits), Some(by)) = (size(left), right.unpack_i32()) {
            let bits = bits.saturating_add(u64::try_from(by).unwrap_or(0));
            if bits > LARGEST_INT_BITS {
                return Err(anyhow::anyhow!(
                    "a shift to {bits} bits; an integer may have {LARGEST_INT_BITS}"
                )
                .into());
            }
        }
        checked(left.left_shift(right, eval.heap()), eval)
    }

    /// A slice copies what it stands on.
    fn __copied<'v>(
        value: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        checked(Ok(value), eval)
    }

    fn __grow_mul<'v>(
        target: Value<'v>,
        value: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        may_multiply(target, value, gauge(eval)?)?;
        Ok(value)
    }

    fn __grow_add<'v>(
        target: Value<'v>,
        value: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        may_add(target, value, gauge(eval)?)?;
        checked(Ok(value), eval)
    }
}
