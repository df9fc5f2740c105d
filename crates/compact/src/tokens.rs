//! What a text costs a model, in tokens.
//!
//! With the feature `o200k` they are counted by that vocabulary; the models of today do not publish
//! theirs, so it is a measure, not a bill. Without it they are estimated.

/// Whether texts are counted by a vocabulary, or estimated.
pub const TOKENS_ARE_COUNTED: bool = cfg!(feature = "o200k");

/// Texts above this are not read to their end: [`SAMPLES`] parts of them are, and stand for the whole.
const READ_WHOLE: usize = 256 << 10;
const SAMPLES: usize = 32;
const SAMPLE: usize = 4 << 10;

/// The tokens of a text.
pub fn count_tokens(text: &str) -> usize {
    if TOKENS_ARE_COUNTED && !is_counted(text) { sampled(text) } else { count(text) }
}

/// Whether the tokens of a text are known to the last one.
pub(crate) fn is_counted(text: &str) -> bool {
    TOKENS_ARE_COUNTED && text.len() <= READ_WHOLE
}

/// Parts from all over the text, weighed by its length: within a few percent, at a fixed price.
fn sampled(text: &str) -> usize {
    let (mut bytes, mut tokens) = (0, 0);
    for i in 0..SAMPLES {
        let start = text.floor_char_boundary((text.len() - SAMPLE) / (SAMPLES - 1) * i);
        let end = text.floor_char_boundary(start + SAMPLE);
        bytes += end - start;
        tokens += count(&text[start..end]);
    }
    let scaled = tokens as u128 * text.len() as u128 / bytes.max(1) as u128;
    usize::try_from(scaled).unwrap_or(usize::MAX)
}

#[cfg(feature = "o200k")]
fn count(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}

#[cfg(not(feature = "o200k"))]
fn count(text: &str) -> usize {
    crate::token_estimate::estimate_tokens(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "o200k")]
    #[test]
    fn the_vocabulary_is_o200k() {
        for (text, tokens) in
            [("", 0), ("hello world", 2), (r#"{"id":1,"name":"Ada"}"#, 9), ("設計ドキュメント", 6)]
        {
            assert_eq!(count_tokens(text), tokens, "{text}");
        }
    }

    #[test]
    fn a_long_text_is_measured_by_its_parts() {
        let rows: Vec<String> = (0..40_000)
            .map(|i| format!("{i},user{i}@example.com,設計 {}", i * 7919 % 1000))
            .collect();
        let text = rows.join("\n");
        assert!(text.len() > READ_WHOLE);
        let (whole, parts) = (count(&text), sampled(&text));
        assert!(parts.abs_diff(whole) * 20 < whole, "{parts} for {whole}");
    }
}
