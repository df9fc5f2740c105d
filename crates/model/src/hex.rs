//! Bytes as hexadecimal digits.

use std::fmt::Write;

/// Returns two small digits per byte.
pub fn hex_digits(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// Reads two digits per byte, small or large ones.
pub fn read_hex(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| u8::try_from(char::from(*byte).to_digit(16)?).ok();
    let pair = |pair: &[u8]| match pair {
        [high, low] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    };
    digits.as_bytes().chunks(2).map(pair).collect()
}
