//! `base64`: text in an alphabet that passes everywhere.

use super::checked::size::gauge;
use crate::stdlib::prelude::*;
use ::base64::Engine;
use ::base64::alphabet::{STANDARD, URL_SAFE};
use ::base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Padding is written in the plain alphabet, not in that of URLs, and asked for in neither.
const CONFIG: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const PLAIN: GeneralPurpose = GeneralPurpose::new(&STANDARD, CONFIG);
const FOR_URLS: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, CONFIG.with_encode_padding(false));

fn alphabet(url_safe: bool) -> GeneralPurpose {
    if url_safe { FOR_URLS } else { PLAIN }
}

/// Text in an alphabet that passes everywhere.
#[starlark_module]
pub(super) fn natives(builder: &mut GlobalsBuilder) {
    /// A text as base64; with `url_safe = True` with `-` and `_` and without padding.
    ///
    /// Examples:
    /// ```python
    /// >>> base64.encode("hello?")
    /// "aGVsbG8/"
    /// >>> base64.encode("hello?", url_safe = True)
    /// "aGVsbG8_"
    /// ```
    fn encode(
        #[starlark(require = pos)] s: &str,
        #[starlark(default = false)] url_safe: bool,
        eval: &mut Evaluator<'_, '_, '_>,
    ) -> anyhow::Result<String> {
        gauge(eval)?.text(s.len().saturating_mul(4) / 3, "base64")?;
        Ok(alphabet(url_safe).encode(s))
    }

    /// The text that base64 stands for. Line breaks are skipped, padding may be missing.
    ///
    /// Examples:
    /// ```python
    /// >>> base64.decode("aGVs\nbG8=")
    /// "hello"
    /// >>> base64.decode("/w==")
    /// error: base64.decode: the bytes are not UTF-8 text
    /// ```
    fn decode(
        #[starlark(require = pos)] s: &str,
        #[starlark(default = false)] url_safe: bool,
        eval: &mut Evaluator<'_, '_, '_>,
    ) -> anyhow::Result<String> {
        gauge(eval)?.text(s.len(), "base64")?;
        let letters: Vec<u8> = s.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
        let bytes = alphabet(url_safe)
            .decode(letters)
            .map_err(|error| anyhow::anyhow!("base64.decode: {}", lower(&error.to_string())))?;
        String::from_utf8(bytes)
            .map_err(|_| anyhow::anyhow!("base64.decode: the bytes are not UTF-8 text"))
    }
}

fn lower(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
