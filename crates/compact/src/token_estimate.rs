//! Estimates the tokens of a text without a vocabulary.
//!
//! Vocabularies cut text into pieces before they look anything up: a word with the mark or space before it, three
//! digits, a run of marks, white space. What a piece costs depends on its kind and length. The costs are fitted
//! to o200k on the payloads and tool lists of `tests/corpus`, within 5 % of each file.

use crate::cjk::is_cjk;

/// Hundredths of a token.
type Cost = usize;

const WORD: Cost = 98;
/// A word with a mark before it.
const MARKED_WORD: Cost = 115;
const DIGITS: Cost = 102;
const MARKS: Cost = 106;
const LINE_BREAK: Cost = 110;
const SPACES: Cost = 110;
const CJK_LETTER: Cost = 80;
const OTHER_LETTER: Cost = 40;
/// A mark outside of ASCII, beyond what its run costs.
const OTHER_MARK: Cost = 120;

/// Long words that are one token each, and the most frequent ones of tool lists.
const SCHEMA_WORDS: [&[u8]; 10] = [
    b"description",
    b"properties",
    b"Properties",
    b"required",
    b"integer",
    b"boolean",
    b"default",
    b"maximum",
    b"minimum",
    b"additional",
];

/// About the tokens of a text; never more than it has bytes.
pub(crate) fn estimate_tokens(text: &str) -> usize {
    let mut scan = Scan { text, at: 0, after_digit: false };
    let mut cost = 0;
    while scan.at < text.len() {
        cost += scan.next_piece();
    }
    cost.div_ceil(100).min(text.len())
}

/// What stands before a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Space,
    Mark,
    Digit,
    Other,
}

struct Scan<'t> {
    text: &'t str,
    at: usize,
    after_digit: bool,
}

impl Scan<'_> {
    fn peek(&self) -> Option<char> {
        match self.text.as_bytes().get(self.at) {
            Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
            Some(_) => self.text[self.at..].chars().next(),
            None => None,
        }
    }

    fn next_piece(&mut self) -> Cost {
        let Some(first) = self.peek() else { return 0 };
        let before =
            if std::mem::take(&mut self.after_digit) { Before::Digit } else { Before::Other };
        match first {
            _ if first.is_alphabetic() => self.word(before),
            _ if first.is_ascii_digit() => self.digits(),
            _ if first.is_ascii_whitespace() => self.white_space(),
            _ => self.marks(first),
        }
    }

    fn digits(&mut self) -> Cost {
        let digits = self.skip(u8::is_ascii_digit);
        self.after_digit = true;
        digits.div_ceil(3) * DIGITS
    }

    /// The last space goes with the word or the marks after it.
    fn white_space(&mut self) -> Cost {
        let start = self.at;
        let length = self.skip(u8::is_ascii_whitespace);
        let run = &self.text.as_bytes()[start..self.at];
        if let Some(line) = run.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')) {
            self.at = start + line + 1;
            return LINE_BREAK;
        }
        match self.peek() {
            None => SPACES,
            Some(next) if next.is_ascii_digit() => SPACES * length.min(2),
            Some(next) => {
                let others = if length > 1 { SPACES } else { 0 };
                let is_word = next.is_alphabetic();
                others + if is_word { self.word(Before::Space) } else { 0 }
            }
        }
    }

    /// One mark before a letter belongs to the word.
    fn marks(&mut self, first: char) -> Cost {
        let start = self.at;
        let (mut count, mut others) = (0, 0);
        while let Some(mark) = self.peek()
            && !mark.is_alphabetic()
            && !mark.is_ascii_digit()
            && !mark.is_ascii_whitespace()
        {
            self.at += mark.len_utf8();
            count += 1;
            others += usize::from(!mark.is_ascii());
        }
        let is_one = self.at == start + first.len_utf8();
        if is_one && self.peek().is_some_and(char::is_alphabetic) {
            return self.word(Before::Mark) + others * OTHER_MARK;
        }
        self.skip(|byte| matches!(byte, b'\r' | b'\n' | b'/'));
        MARKS + 30 * Cost::saturating_sub(count, 3) + others * OTHER_MARK
    }

    /// A word ends before a capital letter that follows a small one.
    fn word(&mut self, before: Before) -> Cost {
        let start = self.at;
        let (mut letters, mut capitals, mut cost) = (0, 0, 0);
        let mut after_small = false;
        while let Some(letter) = self.peek()
            && letter.is_alphabetic()
            && !(after_small && letter.is_uppercase())
        {
            self.at += letter.len_utf8();
            after_small = letter.is_lowercase();
            if letter.is_ascii() {
                letters += 1;
                capitals += usize::from(letter.is_ascii_uppercase());
            } else {
                cost += if is_cjk(letter) { CJK_LETTER } else { OTHER_LETTER };
            }
        }
        if letters == 0 {
            return cost;
        }
        let beyond = |usual: usize| Cost::saturating_sub(letters, usual);
        let is_before_digit = self.peek().is_some_and(|next| next.is_ascii_digit());
        let base = if before == Before::Mark { MARKED_WORD } else { WORD };
        let more = match before {
            _ if is_schema_word(&self.text.as_bytes()[start..self.at]) => 0,
            _ if before == Before::Digit || is_before_digit => 30 * beyond(2),
            _ if capitals > 1 => 20 * beyond(2),
            Before::Space => 0,
            Before::Mark => 16 * beyond(3),
            Before::Other | Before::Digit => 28 * beyond(6),
        };
        cost + base + more
    }

    /// Passes over ASCII characters of one kind, and counts them.
    fn skip(&mut self, is_kind: impl Fn(&u8) -> bool) -> usize {
        let rest = &self.text.as_bytes()[self.at..];
        let length = rest.iter().position(|byte| !is_kind(byte));
        let length = length.unwrap_or(rest.len());
        self.at += length;
        length
    }
}

fn is_schema_word(word: &[u8]) -> bool {
    word.len() > 6 && SCHEMA_WORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus;
    use std::path::Path;

    #[test]
    fn each_kind_of_piece_has_its_cost() {
        for (text, tokens) in [
            ("", 0),
            ("a", 1),
            ("word", 1),
            ("two words", 2),
            ("camelCase", 2),
            ("1234567", 4),
            ("\",\"", 2),
            ("a\n  b", 5),
            ("設計ドキュメント", 7),
            ("description", 1),
            ("incomprehensible", 4),
            ("\u{1f600}", 3),
        ] {
            assert_eq!(estimate_tokens(text), tokens, "{text}");
        }
    }

    #[test]
    fn every_text_has_an_end_and_no_more_tokens_than_bytes() {
        let texts = ["—", "—a—b", "é", "1 2 3", ". . .", "\n \n", "a-b-c-d", "e\u{301}", "\u{663}"];
        let letters = (0..=0x3000).filter_map(char::from_u32).map(String::from);
        for text in letters.chain(texts.map(str::to_owned)) {
            assert!(estimate_tokens(&text) <= text.len(), "{text:?}");
            estimate_tokens(&format!(" {text}{text} {text}1{text}a"));
        }
    }

    /// How far an estimate is from o200k, in thousandths.
    fn error(text: &str) -> i64 {
        let signed = |count: usize| i64::try_from(count).unwrap();
        let tokens = signed(bpe_openai::o200k_base().count(text));
        (signed(estimate_tokens(text)) - tokens) * 1000 / tokens
    }

    fn check(folder: &Path, most: i64) {
        let kinds = ["payloads", "tools"];
        let files = kinds.iter().flat_map(|kind| corpus::all_in(folder, kind));
        let errors = files.map(|(name, value)| (error(&value.to_string()), name));
        let errors: Vec<(i64, String)> = errors.collect();
        println!("{errors:?}");
        let wrong = errors.iter().filter(|(error, _)| error.abs() > most);
        assert_eq!(wrong.collect::<Vec<_>>(), Vec::<&(i64, String)>::new());
    }

    #[expect(clippy::disallowed_methods, reason = "a flag of this test alone")]
    /// `LARKSPUR_CORPUS=DIR` adds a folder that the costs are not fitted to, with JSON files in `payloads` and
    /// `tools`.
    #[test]
    fn estimates_are_near_o200k_for_each_payload_and_tool_list() {
        check(&corpus::folder(), 50);
        if let Some(other) = std::env::var_os("LARKSPUR_CORPUS") {
            check(Path::new(&other), 100);
        }
    }
}
