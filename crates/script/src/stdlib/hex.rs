//! `hex`: text as two digits a byte.

use super::checked::size::gauge;
use crate::stdlib::prelude::*;

fn bytes(digits: &str) -> anyhow::Result<Vec<u8>> {
    if !digits.len().is_multiple_of(2) {
        bail!("hex.decode: {} digits, and a byte has two", digits.len());
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|d| u8::try_from(d).ok());
    let pairs = digits.as_bytes().chunks_exact(2).enumerate();
    let read = |(i, pair): (usize, &[u8])| match (digit(pair[0]), digit(pair[1])) {
        (Some(high), Some(low)) => Ok(high << 4 | low),
        _ => bail!("hex.decode: no hexadecimal digits at {}", 2 * i),
    };
    pairs.map(read).collect()
}

/// Text as two digits a byte.
#[starlark_module]
pub(super) fn natives(builder: &mut GlobalsBuilder) {
    /// The bytes of a text in hexadecimal digits.
    ///
    /// Examples:
    /// ```python
    /// >>> hex.encode("hé")
    /// "68c3a9"
    /// ```
    fn encode(
        #[starlark(require = pos)] s: &str,
        eval: &mut Evaluator<'_, '_, '_>,
    ) -> anyhow::Result<String> {
        gauge(eval)?.text(s.len().saturating_mul(2), "hex")?;
        Ok(model::hex_digits(s.as_bytes()))
    }

    /// The text whose bytes are written in hexadecimal digits, small or capital.
    ///
    /// Examples:
    /// ```python
    /// >>> hex.decode("686A")
    /// "hj"
    /// >>> hex.decode("ff")
    /// error: hex.decode: the bytes are not UTF-8 text
    /// >>> hex.decode("6g")
    /// error: hex.decode: no hexadecimal digits at 0
    /// ```
    fn decode(
        #[starlark(require = pos)] s: &str,
        eval: &mut Evaluator<'_, '_, '_>,
    ) -> anyhow::Result<String> {
        gauge(eval)?.text(s.len(), "hex")?;
        String::from_utf8(bytes(s)?)
            .map_err(|_| anyhow::anyhow!("hex.decode: the bytes are not UTF-8 text"))
    }
}
