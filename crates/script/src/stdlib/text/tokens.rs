//! HTML as a row of tags and texts. Nothing here fails: what is broken is read as browsers read it,
//! and what never ends, ends with the page.

/// A tag with more attributes ends at the next `>`, wherever that stands.
const MOST_ATTRIBUTES: usize = 100;
/// Elements whose inside is not HTML.
const RAW: [&str; 5] = ["script", "style", "title", "textarea", "iframe"];

pub(super) enum Token<'t> {
    /// As it stands there, references and all.
    Text(&'t str),
    Open(Tag<'t>),
    Close(String),
}

pub(super) struct Tag<'t> {
    /// In small letters.
    pub(super) name: String,
    attributes: Vec<(&'t str, &'t str)>,
}

impl Tag<'_> {
    /// An attribute's value, with its references replaced.
    pub(super) fn attribute(&self, name: &str) -> Option<String> {
        let mut all = self.attributes.iter();
        let found = all.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| htmlize::unescape_attribute(*value).into_owned())
    }
}

pub(super) struct Tokens<'t> {
    rest: &'t str,
    /// What the last tag opened, if its inside is to be skipped.
    raw: Option<String>,
}

impl<'t> Tokens<'t> {
    pub(super) fn of(html: &'t str) -> Self {
        Self { rest: html, raw: None }
    }

    /// Goes past the end of a comment, declaration or raw element; the page's end is one.
    fn skip_past(&mut self, end: &str) {
        self.rest = self.rest.find(end).map_or("", |at| &self.rest[at + end.len()..]);
    }

    fn skip_raw(&mut self, name: &str) {
        let ends = |at: usize| {
            let after = self.rest.get(at + 2..at + 2 + name.len());
            after.is_some_and(|after| after.eq_ignore_ascii_case(name))
        };
        let mut closings = self.rest.match_indices("</").map(|(at, _)| at);
        let end = closings.find(|at| ends(*at)).unwrap_or(self.rest.len());
        self.rest = &self.rest[end..];
    }

    /// The text up to the next `<` that can begin a tag.
    fn text(&mut self) -> Token<'t> {
        let begins = |at: usize| {
            let next = self.rest.as_bytes().get(at + 1);
            next.is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'/' | b'!' | b'?'))
        };
        let mut marks = self.rest.match_indices('<').map(|(at, _)| at);
        let end = marks.find(|at| begins(*at)).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        Token::Text(text)
    }

    fn close(&mut self) -> Token<'t> {
        self.rest = &self.rest[2..];
        let name = self.name();
        self.skip_past(">");
        Token::Close(name)
    }

    fn open(&mut self) -> Token<'t> {
        self.rest = &self.rest[1..];
        let name = self.name();
        let attributes = self.attributes();
        if RAW.contains(&name.as_str()) {
            self.raw = Some(name.clone());
        }
        Token::Open(Tag { name, attributes })
    }

    fn name(&mut self) -> String {
        let end = self.rest.find(|c: char| c.is_whitespace() || matches!(c, '>' | '/'));
        let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        name.to_ascii_lowercase()
    }

    fn attributes(&mut self) -> Vec<(&'t str, &'t str)> {
        let mut attributes = Vec::new();
        loop {
            let blank = |c: char| c.is_whitespace() || c == '/';
            self.rest = self.rest.trim_start_matches(blank);
            if let Some(rest) = self.rest.strip_prefix('>') {
                self.rest = rest;
                return attributes;
            }
            if self.rest.is_empty() {
                return attributes;
            }
            if attributes.len() == MOST_ATTRIBUTES {
                self.skip_past(">");
                return attributes;
            }
            attributes.push(self.attribute());
        }
    }

    fn attribute(&mut self) -> (&'t str, &'t str) {
        let ends = |c: char| c.is_whitespace() || matches!(c, '=' | '>' | '/');
        // A name has at least one character, so that a stray `=` does not stop us.
        let first = self.rest.chars().next().map_or(0, char::len_utf8);
        let end = self.rest[first..].find(ends);
        let end = end.map_or(self.rest.len(), |end| first + end);
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        let Some(value) = rest.trim_start().strip_prefix('=') else {
            return (name, "");
        };
        self.rest = value.trim_start();
        (name, self.value())
    }

    fn value(&mut self) -> &'t str {
        for quote in ['"', '\''] {
            if let Some(inside) = self.rest.strip_prefix(quote) {
                let (value, rest) = inside.split_once(quote).unwrap_or((inside, ""));
                self.rest = rest;
                return value;
            }
        }
        let end = self.rest.find(|c: char| c.is_whitespace() || c == '>');
        let (value, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        value
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        loop {
            if let Some(name) = self.raw.take() {
                self.skip_raw(&name);
            }
            let mut letters = self.rest.bytes();
            return match (letters.next()?, letters.next()) {
                (b'<', Some(b'/')) => Some(self.close()),
                (b'<', Some(b'!')) if self.rest.starts_with("<!--") => {
                    self.skip_past("-->");
                    continue;
                }
                (b'<', Some(b'!' | b'?')) => {
                    self.skip_past(">");
                    continue;
                }
                (b'<', Some(letter)) if letter.is_ascii_alphabetic() => Some(self.open()),
                _ => Some(self.text()),
            };
        }
    }
}
