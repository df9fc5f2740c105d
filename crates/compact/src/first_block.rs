//! The first content block of a result: a text that no client takes for JSON data that is no object.
//!
//! Gemini CLI reads the first block as JSON where it can, and rejects the whole result if that is a list,
//! a number, a boolean, null or a string.

use super::Format;
use serde::de::IgnoredAny;

/// Whether a text, read as JSON, is anything but an object.
pub fn is_bare_json(text: &str) -> bool {
    let text = text.trim_start_matches([' ', '\t', '\n', '\r']);
    let may_be = |first: u8| first.is_ascii_digit() || b"[\"-tfn".contains(&first);
    text.bytes().next().is_some_and(may_be) && is_json(text)
}

/// Whether a text is JSON, at any depth.
pub(super) fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// The line before a text that would be taken for JSON data, if it would be.
pub(super) fn format_line(format: Format, text: &str) -> Option<String> {
    is_bare_json(text).then(|| format!("({format})\n"))
}

/// A text that its author wrote, as a first content block.
pub fn first_block(text: String) -> String {
    match format_line(Format::Text, &text) {
        Some(line) => line + &text,
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_json_is_all_but_objects() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        for text in [
            "2026",
            " 5\n",
            "-1.5e3",
            "1e999",
            "true",
            "false",
            "null",
            "\"a\"",
            "\"\\ud800\"",
            "[]",
            "\n[1, 2]",
            "[{\"a\": 1}]",
            &deep,
        ] {
            assert!(is_bare_json(text), "{}", &text[..text.len().min(20)]);
        }
        for text in [
            "",
            " ",
            "{}",
            "{\"a\": 1}",
            "hello",
            "nothing",
            "true story",
            "2026-11-18",
            "1,2",
            "[3]: 1,2,3",
            "[0]:",
            "[a]",
            "\"a",
            "(json)\n[]",
            "\u{feff}5",
            "\u{a0}5",
        ] {
            assert!(!is_bare_json(text), "{text}");
        }
    }

    #[test]
    fn a_line_comes_before_a_text_that_would_be_taken_for_data() {
        for (text, expected) in [
            ("2026", "(text)\n2026"),
            ("[1, 2]", "(text)\n[1, 2]"),
            ("", ""),
            ("{}", "{}"),
            ("hello", "hello"),
        ] {
            assert_eq!(first_block(text.to_owned()), expected);
        }
    }
}
