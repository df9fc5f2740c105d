//! `random`: chance, from where the system keeps it; nobody can guess it.

use super::checked::size::items;
use crate::stdlib::prelude::*;

/// Bytes that one call may ask for.
const MOST_BYTES: usize = 1 << 16;

/// A number below `end`. Of 128 bits the remainder is even, but for one part in 2^64.
fn below(end: u128, eval: &Evaluator<'_, '_, '_>) -> anyhow::Result<u128> {
    let bytes = Cx::host(eval)?.random(16)?;
    let number = bytes.iter().fold(0_u128, |n, b| n << 8 | u128::from(*b));
    Ok(number % end.max(1))
}

/// Chance that nobody can guess.
#[starlark_module]
pub(super) fn natives(builder: &mut GlobalsBuilder) {
    /// A whole number from `a` to `b`, both included, each as likely as the others.
    ///
    /// Examples:
    /// ```python
    /// >>> random.int(1, 6) in range(1, 7)
    /// True
    /// >>> random.int(6, 1)
    /// error: random.int(6, 1): the first must not be above the second
    /// ```
    fn int(
        #[starlark(require = pos)] a: i64,
        #[starlark(require = pos)] b: i64,
        eval: &mut Evaluator<'_, '_, '_>,
    ) -> anyhow::Result<i64> {
        if a > b {
            bail!("random.int({a}, {b}): the first must not be above the second");
        }
        let span = u128::from(a.abs_diff(b)) + 1;
        let chosen = i128::from(a) + i128::try_from(below(span, eval)?)?;
        Ok(i64::try_from(chosen)?)
    }

    /// One element of a list, tuple or range.
    ///
    /// Examples:
    /// ```python
    /// >>> random.choice(["heads", "tails"]) in ["heads", "tails"]
    /// True
    /// >>> random.choice([])
    /// error: random.choice of nothing: give it an element
    /// ```
    fn choice<'v>(
        #[starlark(require = pos)] xs: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let values = items(xs, "random.choice", eval)?;
        if values.is_empty() {
            return Err(anyhow::anyhow!("random.choice of nothing: give it an element").into());
        }
        let place = below(values.len() as u128, eval)?;
        Ok(values[usize::try_from(place).unwrap_or(0)])
    }

    /// So many random bytes, 65536 at the most, in hexadecimal digits: two for each.
    ///
    /// Examples:
    /// ```python
    /// >>> random.bytes(4)
    /// "00010203"
    /// ```
    fn bytes(
        #[starlark(require = pos)] n: i32,
        eval: &mut Evaluator<'_, '_, '_>,
    ) -> anyhow::Result<String> {
        match usize::try_from(n) {
            Ok(count) if count <= MOST_BYTES => {
                Ok(model::hex_digits(&Cx::host(eval)?.random(count)?))
            }
            _ => bail!("random.bytes gives 0 to {MOST_BYTES} bytes, not {n}"),
        }
    }
}
