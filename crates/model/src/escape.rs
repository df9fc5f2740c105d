//! Text that others wrote, made safe for a line of ours: no line ends, nothing that a terminal obeys.

use std::borrow::Cow;
use std::fmt::Write;

/// As one line, for people.
pub fn escape_line(text: &str) -> Cow<'_, str> {
    escaped(text, |out, c| match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        c => {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        }
    })
}

/// JSON that has none of them raw; they can only stand in its strings.
pub fn escape_json(json: &str) -> Cow<'_, str> {
    escaped(json, |out, c| {
        let _ = write!(out, "\\u{:04x}", u32::from(c));
    })
}

fn escaped(text: &str, escape: impl Fn(&mut String, char)) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_unsafe(c) {
            escape(&mut out, c);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Control characters, other ends of lines, and marks that turn the direction of what follows.
fn is_unsafe(c: char) -> bool {
    c.is_control() && c != '\t'
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_begins_a_line_or_moves_the_cursor() {
        for (text, for_people, json) in [
            ("plain\tä 日", "plain\tä 日", "\"plain\\tä 日\""),
            ("a\r\nERROR b", "a\\r\\nERROR b", "\"a\\r\\nERROR b\""),
            ("\u{1b}[2J\u{7}", "\\u{1b}[2J\\u{7}", "\"\\u001b[2J\\u0007\""),
            ("\u{9b}31m\u{7f}", "\\u{9b}31m\\u{7f}", "\"\\u009b31m\\u007f\""),
            ("\u{2028}\u{202e}x", "\\u{2028}\\u{202e}x", "\"\\u2028\\u202ex\""),
        ] {
            assert_eq!(escape_line(text), for_people);
            let written = serde_json::to_string(text).unwrap();
            assert_eq!(escape_json(&written), json);
            assert_eq!(serde_json::from_str::<String>(json).unwrap(), text);
        }
    }
}
