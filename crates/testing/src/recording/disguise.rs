//! Finds a value in a text however it was written there: as it is, percent-encoded, escaped in JSON,
//! or inside of base64.

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Shorter runs of letters are words.
const BASE64_RUN: usize = 8;

/// The text with every occurrence of the value replaced.
pub(super) fn replace(text: &str, value: &str, by: &str) -> String {
    let mut text = text.replace(value, by);
    if text.contains('%') {
        text = replace_read(&text, value, by, percent);
    }
    if text.contains('+') && value.contains(' ') {
        text = replace_read(&text, value, by, form);
    }
    if text.contains('\\') {
        text = replace_read(&text, value, by, escape);
    }
    replace_base64(&text, value, by)
}

/// A percent-encoded text, read.
pub(super) fn decoded(text: &str) -> String {
    let (mut read, mut rest) = (String::new(), text);
    while let Some(plain) = rest.chars().next() {
        let (said, length) = percent(rest).unwrap_or((plain, plain.len_utf8()));
        read.push(said);
        rest = &rest[length..];
    }
    read
}

/// What a text says at its beginning, and in how many bytes.
type Read = fn(&str) -> Option<(char, usize)>;

fn percent(text: &str) -> Option<(char, usize)> {
    let (mut bytes, mut rest) = (Vec::new(), text);
    while let Some(hex) = rest.strip_prefix('%').and_then(|after| after.get(..2)) {
        bytes.push(u8::from_str_radix(hex, 16).ok()?);
        rest = &rest[3..];
        if let Ok(said) = std::str::from_utf8(&bytes) {
            return Some((said.chars().next()?, text.len() - rest.len()));
        }
    }
    None
}

fn form(text: &str) -> Option<(char, usize)> {
    if text.starts_with('+') {
        return Some((' ', 1));
    }
    percent(text)
}

fn escape(text: &str) -> Option<(char, usize)> {
    let after = text.strip_prefix('\\')?;
    let said = match after.chars().next()? {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => {
            let code = u32::from_str_radix(after.get(1..5)?, 16).ok()?;
            return Some((char::from_u32(code)?, 6));
        }
        other @ ('"' | '\\' | '/') => other,
        _ => return None,
    };
    Some((said, 2))
}

fn replace_read(text: &str, value: &str, by: &str, read: Read) -> String {
    let mut read_text = String::with_capacity(text.len());
    // Where each byte of what was read begins in the text, and where the text ends.
    let mut starts = Vec::with_capacity(text.len() + 1);
    let mut at = 0;
    while let Some(plain) = text[at..].chars().next() {
        let (said, length) = read(&text[at..]).unwrap_or((plain, plain.len_utf8()));
        read_text.push(said);
        starts.resize(read_text.len(), at);
        at += length;
    }
    starts.push(at);
    let mut replaced = String::with_capacity(text.len());
    let mut done = 0;
    for (found, _) in read_text.match_indices(value) {
        replaced.push_str(&text[done..starts[found]]);
        replaced.push_str(by);
        done = starts[found + value.len()];
    }
    replaced.push_str(&text[done..]);
    replaced
}

/// A run of base64 that holds the value, such as a name and a password, is replaced whole.
fn replace_base64(text: &str, value: &str, by: &str) -> String {
    let is_run = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_');
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_run) {
        let run = &rest[start..];
        let run = &run[..run.find(|c| !is_run(c)).unwrap_or(run.len())];
        replaced.push_str(&rest[..start]);
        rest = &rest[start + run.len()..];
        if hides(run, value) {
            replaced.push_str(by);
            rest = rest.trim_start_matches('=');
        } else {
            // In a path each part may be one of its own.
            let parts = run.split('/');
            let parts = parts.map(|part| if hides(part, value) { by } else { part });
            replaced.push_str(&parts.collect::<Vec<_>>().join("/"));
        }
    }
    replaced.push_str(rest);
    replaced
}

fn hides(run: &str, value: &str) -> bool {
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let holds = |alphabet| {
        let decoded = GeneralPurpose::new(alphabet, config).decode(run);
        decoded.is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(value))
    };
    run.len() >= BASE64_RUN && [&STANDARD, &URL_SAFE].into_iter().any(holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_it_is_written() {
        let value = "s3 cr\"et/ü";
        for text in [
            "s3 cr\"et/ü",
            "s3%20cr%22et%2F%C3%BC",
            "s3%20cr%22et/%c3%bc",
            "s3+cr%22et%2F%C3%BC",
            r#"s3 cr\"et/ü"#,
            r#"s3 cr\"et\/\u00fc"#,
            // `user:` before it, and one of the other alphabet.
            "dXNlcjpzMyBjciJldC/DvA==",
            "dXNlcjpzMyBjciJldC_DvA",
            "dXNlcjpzMyBjciJldC/DvA",
        ] {
            let around = format!("a=1&b {text} \u{20ac}");
            assert_eq!(replace(&around, value, "GONE"), "a=1&b GONE \u{20ac}", "{text}");
        }
        for text in ["s3 cret", "100% \\ dXNlcg==", ""] {
            assert_eq!(replace(text, value, "GONE"), text);
        }
    }
}
