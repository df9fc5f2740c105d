//! What a text costs a model, counted by o200k: the models of today publish no vocabulary of theirs.

use anyhow::Result;
use serde_json::Value;

/// Tokens of a text.
#[cfg(feature = "o200k")]
#[expect(clippy::unnecessary_wraps, reason = "without the vocabulary it fails")]
#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52")]
pub(super) fn count(text: &str) -> Result<f64> {
    Ok(bpe_openai::o200k_base().count(text) as f64)
}

#[cfg(not(feature = "o200k"))]
pub(super) fn count(_text: &str) -> Result<f64> {
    anyhow::bail!(
        "this build has no token vocabulary: run `cargo xtask bench`, which builds one in"
    )
}

/// Tokens of all that a tool's result shows a model.
pub(super) fn shown(result: &Value) -> Result<f64> {
    count(&texts(result))
}

/// The texts of a tool's result, a line break between them.
pub(super) fn texts(result: &Value) -> String {
    let blocks = result["content"].as_array().into_iter().flatten();
    let texts: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
    texts.join("\n")
}
