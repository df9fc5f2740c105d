//! A place in a text that moves on, and knows its column.

use serde_json::Value;

/// What was expected and not found, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slip {
    /// In characters, from one.
    pub(super) column: usize,
    pub(super) message: String,
}

pub(super) struct Cursor<'t> {
    rest: &'t str,
    column: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { rest: text, column: 1 }
    }

    pub(super) fn rest(&self) -> &'t str {
        self.rest
    }

    pub(super) fn column(&self) -> usize {
        self.column
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn eat(&mut self, word: &str) -> bool {
        let is_next = self.rest.starts_with(word);
        if is_next {
            self.take(word.len());
        }
        is_next
    }

    /// The first bytes of what is left, which end between two characters.
    pub(super) fn take(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.column += taken.chars().count();
        self.rest = rest;
        taken
    }

    pub(super) fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !is_part(c));
        self.take(end.unwrap_or(self.rest.len()))
    }

    pub(super) fn skip_space(&mut self) {
        self.take_while(char::is_whitespace);
    }

    /// A JSON literal; a bare one ends before space and before any of `ends`.
    pub(super) fn literal(&mut self, ends: &[char]) -> Result<Value, Slip> {
        let end = match self.rest.chars().next() {
            Some('"') => string_end(self.rest),
            Some('[' | '{') => brackets_end(self.rest),
            _ => None,
        };
        let bare = || {
            let is_end = |c: char| c.is_whitespace() || ends.contains(&c);
            self.rest.find(is_end).unwrap_or(self.rest.len())
        };
        let text = &self.rest[..end.unwrap_or_else(bare)];
        if text.is_empty() {
            return Err(self.expected("a JSON literal"));
        }
        let Ok(value) = serde_json::from_str(text) else {
            let text = model::shorten(text);
            return Err(
                self.slip(format!("`{text}` is not a JSON literal; text stands in double quotes"))
            );
        };
        self.take(text.len());
        Ok(value)
    }

    pub(super) fn expected(&self, what: &str) -> Slip {
        self.slip(match self.rest.chars().next() {
            Some(found) => format!("expected {what}, found `{found}`"),
            None => format!("expected {what}, found the end"),
        })
    }

    pub(super) fn slip(&self, message: impl Into<String>) -> Slip {
        Slip { column: self.column, message: message.into() }
    }
}

/// Where the string ends that the text begins with.
fn string_end(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Where the list or object ends that the text begins with.
fn brackets_end(text: &str) -> Option<usize> {
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => {
                at += string_end(&text[at..])?;
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_end_where_they_end() {
        let check = |text: &str, expected: Result<(&str, &str), &str>| {
            let mut cursor = Cursor::new(text);
            let got = cursor.literal(&['}', ')']);
            let got = got.map(|value| (value.to_string(), cursor.rest()));
            let got = got.map_err(|slip| format!("{}: {}", slip.column, slip.message));
            let expected = expected.map(|(value, rest)| (value.to_owned(), rest));
            assert_eq!(got, expected.map_err(str::to_owned), "{text}");
        };
        check("5}", Ok(("5", "}")));
        check("-1.50)}", Ok(("-1.50", ")}")));
        check("null }", Ok(("null", " }")));
        check(r#""a\"}b"}"#, Ok((r#""a\"}b""#, "}")));
        check(r#"{"a": ["}", 1]}}"#, Ok((r#"{"a":["}",1]}"#, "}")));
        check("[[]]]", Ok(("[[]]", "]")));
        check("\"é\"x", Ok(("\"é\"", "x")));
        check("", Err("1: expected a JSON literal, found the end"));
        check("}", Err("1: expected a JSON literal, found `}`"));
        let not = "is not a JSON literal; text stands in double quotes";
        check("open}", Err(&format!("1: `open` {not}")));
        check("'x'}", Err(&format!("1: `'x'` {not}")));
        check("\"x}", Err(&format!("1: `\"x` {not}")));
        check("[1}", Err(&format!("1: `[1}}` {not}")));
        check("01}", Err(&format!("1: `01` {not}")));
    }

    #[test]
    fn columns_count_characters() {
        let mut cursor = Cursor::new("日本 x");
        cursor.take_while(|c| !c.is_whitespace());
        cursor.skip_space();
        assert_eq!((cursor.column(), cursor.rest()), (4, "x"));
    }
}
