//! How two notations compare where tokens are not counted: by the pieces that vocabularies cut text into.
//!
//! Characters flatter TOON, since JSON's brackets and quotes are one token by the handful. Words, numbers
//! and runs of marks tell which of two notations is the smaller, not what either costs.

use crate::cjk::is_cjk;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letters,
    Digits,
    Wide,
    Marks,
    Spaces,
    Lines,
}

/// About ten for each token.
pub(super) fn pieces(text: &str) -> usize {
    let (mut sum, mut run, mut length, mut before) = (0, Kind::Spaces, 0, ' ');
    for c in text.chars() {
        let kind = kind(c);
        let hump = c.is_uppercase() && before.is_lowercase();
        if kind == run && !hump {
            length += 1;
        } else {
            sum += cost(run, length);
            (run, length) = (kind, 1);
        }
        before = c;
    }
    sum + cost(run, length)
}

fn kind(c: char) -> Kind {
    match c {
        '\n' => Kind::Lines,
        ' ' => Kind::Spaces,
        _ if is_cjk(c) => Kind::Wide,
        _ if c.is_ascii_digit() => Kind::Digits,
        _ if c.is_alphabetic() => Kind::Letters,
        _ => Kind::Marks,
    }
}

/// Fitted to o200k on API answers and tool definitions.
fn cost(kind: Kind, length: usize) -> usize {
    match kind {
        _ if length == 0 => 0,
        Kind::Letters => 10 + length.saturating_sub(5) * 3 / 2,
        Kind::Digits | Kind::Marks => length.div_ceil(3) * 10,
        Kind::Wide => length * 8,
        // One space goes with the word after it.
        Kind::Spaces if length == 1 => 0,
        Kind::Spaces => 8,
        Kind::Lines => 7,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_falls_into_pieces() {
        for (text, tens) in [
            ("", 0),
            ("word", 10),
            ("two words", 20),
            ("camelCase", 20),
            ("1234567", 30),
            ("\",\"", 10),
            ("a\n  b", 35),
            ("設計", 16),
        ] {
            assert_eq!(pieces(text), tens, "{text}");
        }
    }

    #[cfg(feature = "o200k")]
    #[test]
    fn pieces_are_near_what_the_vocabulary_counts() {
        for (name, payload) in crate::corpus::all("payloads") {
            let json = payload.to_string();
            let (pieces, tokens) = (pieces(&json), crate::count_tokens(&json));
            assert!(
                pieces.abs_diff(tokens * 10) < tokens * 3,
                "{name}: {pieces}, {tokens}"
            );
        }
    }
}
