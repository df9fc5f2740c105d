//! The id of a request whose text cannot be parsed as a whole.

use super::read_id;
use rmcp::model::RequestId;

/// Longer ids are not repeated in an error.
const LONGEST_ID: usize = 64 << 10;

/// Where in a string the next byte stands.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Outside,
    InString,
    AfterBackslash,
}

/// Reads a text piece by piece, without keeping it, and finds the id at its outermost level.
#[derive(Default)]
pub(crate) struct IdScanner {
    depth: usize,
    place: Place,
    /// The string or scalar at the outermost level that is being read.
    token: Vec<u8>,
    /// The key whose value follows.
    key: Vec<u8>,
    id: Option<Vec<u8>>,
    has_second_id: bool,
    has_method: bool,
    is_response: bool,
}

impl IdScanner {
    pub(crate) fn read(&mut self, piece: &[u8]) {
        for byte in piece {
            self.read_byte(*byte);
        }
    }

    /// The id, if the text has exactly one and is no response.
    pub(crate) fn request_id(self) -> Option<RequestId> {
        let is_request = self.has_method || !self.is_response;
        let id = self.id.filter(|_| is_request && !self.has_second_id)?;
        read_id(std::str::from_utf8(&id).ok()?)
    }

    fn read_byte(&mut self, byte: u8) {
        if self.place != Place::Outside {
            self.keep(byte);
            self.place = match (self.place, byte) {
                (Place::InString, b'\\') => Place::AfterBackslash,
                (Place::InString, b'"') => Place::Outside,
                _ => Place::InString,
            };
            return;
        }
        match byte {
            b'"' => {
                self.place = Place::InString;
                self.keep(byte);
            }
            b':' if self.depth == 1 => self.begin_value(),
            b',' if self.depth == 1 => self.end_value(),
            b'{' | b'[' => {
                self.keep(byte);
                self.depth += 1;
            }
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_value();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            byte if byte.is_ascii_whitespace() => {}
            byte => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() < LONGEST_ID {
            self.token.push(byte);
        }
    }

    fn begin_value(&mut self) {
        self.key = std::mem::take(&mut self.token);
        match &self.key[..] {
            b"\"method\"" => self.has_method = true,
            b"\"result\"" | b"\"error\"" => self.is_response = true,
            _ => {}
        }
    }

    fn end_value(&mut self) {
        let value = std::mem::take(&mut self.token);
        if std::mem::take(&mut self.key) == b"\"id\"" {
            self.has_second_id = self.id.is_some();
            self.id = Some(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_found_where_the_rest_cannot_be_read() {
        for (text, id) in [
            (r#"{"id": 5, "method": "a", "method": "b"}"#, Some("5")),
            (r#"{"id": "x", "method": 3}"#, Some("x")),
            (r#"{"method": 3, "params": {"id": 7, "x": "}"}, "id": -4}"#, Some("-4")),
            (r#"{"method": "a\",\"id\":9", "id": "a\"b"}"#, Some("a\"b")),
            (r#"{"id": 5, "method": "#, Some("5")),
            (r#"{"id": 5, "params": [1, "#, Some("5")),
            (r#"{"id": 5, "id": 6, "method": "a"}"#, None),
            (r#"{"id": 5, "result": 1, "result": 2}"#, None),
            (r#"{"id": 1.5, "method": "a"}"#, None),
            (r#"{"id": {"a": 1}, "method": "a"}"#, None),
            (r#"{"method": "a", "method": "b"}"#, None),
            (r#"{"id": 5"#, None),
            ("[1]", None),
            ("", None),
        ] {
            let mut scanner = IdScanner::default();
            for byte in text.as_bytes().chunks(3) {
                scanner.read(byte);
            }
            let found = scanner.request_id().map(|id| id.to_string());
            assert_eq!(found.as_deref(), id, "{text}");
        }
    }
}
