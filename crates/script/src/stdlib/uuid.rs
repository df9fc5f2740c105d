//! `uuid`: names that nobody else has given.

use crate::stdlib::prelude::*;

/// Sixteen bytes with the version and the variant written in, as RFC 9562 draws them.
fn spelt(mut bytes: Vec<u8>, version: u8) -> String {
    bytes.resize(16, 0);
    bytes[6] = bytes[6] & 0x0f | version << 4;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = model::hex_digits(&bytes);
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

/// Names that nobody else has given.
#[starlark_module]
pub(super) fn natives(builder: &mut GlobalsBuilder) {
    /// A random UUID.
    ///
    /// Examples:
    /// ```python
    /// >>> uuid.v4()
    /// "00010203-0405-4607-8809-0a0b0c0d0e0f"
    /// ```
    fn v4(eval: &mut Evaluator<'_, '_, '_>) -> anyhow::Result<String> {
        Ok(spelt(Cx::host(eval)?.random(16)?, 4))
    }

    /// A UUID that begins with the time: those of a later millisecond sort after earlier ones.
    ///
    /// Examples:
    /// ```python
    /// >>> uuid.v7()
    /// "019fa898-99e7-7001-8203-040506070809"
    /// ```
    fn v7(eval: &mut Evaluator<'_, '_, '_>) -> anyhow::Result<String> {
        let host = Cx::host(eval)?;
        let now = u64::try_from(host.now_ms()).unwrap_or(0).to_be_bytes();
        let mut bytes = now[2..].to_vec();
        bytes.extend(host.random(10)?);
        Ok(spelt(bytes, 7))
    }
}
