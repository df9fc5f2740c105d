//! Bodies as text, by the charset that their Content-Type names. Those of one byte that pages in the
//! West are still written in, and UTF-16; anything else is read as UTF-8.

use model::HttpResponse;
use std::borrow::Cow;

/// 0x80 to 0x9f in windows-1252, which the Web means by Latin 1; five of them are nothing.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

pub(super) fn text(response: &HttpResponse) -> Cow<'_, str> {
    let body = &response.body;
    match charset(response).as_deref() {
        Some("iso-8859-1" | "latin1" | "windows-1252" | "cp1252" | "us-ascii" | "ascii") => {
            one_byte(body, windows_1252)
        }
        Some("iso-8859-15" | "latin9") => one_byte(body, latin_9),
        Some("utf-16" | "utf-16le") => utf_16(body, u16::from_le_bytes),
        Some("utf-16be") => utf_16(body, u16::from_be_bytes),
        _ => String::from_utf8_lossy(body),
    }
}

fn charset(response: &HttpResponse) -> Option<String> {
    let mut headers = response.headers.iter();
    let (_, kind) = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-type"))?;
    let named = kind.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then_some(value)
    })?;
    Some(named.trim().trim_matches(['"', '\'']).to_ascii_lowercase())
}

/// What is UTF-8 all the same, is: few texts in another charset look like it.
fn one_byte(body: &[u8], read: fn(u8) -> char) -> Cow<'_, str> {
    match std::str::from_utf8(body) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(body.iter().map(|byte| read(*byte)).collect()),
    }
}

fn windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        other => char::from(other),
    }
}

fn latin_9(byte: u8) -> char {
    match byte {
        0xa4 => '€',
        0xa6 => 'Š',
        0xa8 => 'š',
        0xb4 => 'Ž',
        0xb8 => 'ž',
        0xbc => 'Œ',
        0xbd => 'œ',
        0xbe => 'Ÿ',
        other => char::from(other),
    }
}

/// Two bytes, in one order or the other.
type Unit = fn([u8; 2]) -> u16;

/// A mark at the beginning says more than the header does.
fn utf_16(body: &[u8], unit: fn([u8; 2]) -> u16) -> Cow<'_, str> {
    let (unit, body): (Unit, &[u8]) = match body {
        [0xff, 0xfe, rest @ ..] => (u16::from_le_bytes, rest),
        [0xfe, 0xff, rest @ ..] => (u16::from_be_bytes, rest),
        body => (unit, body),
    };
    let units = body.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let read = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
    Cow::Owned(read.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: &str, body: &[u8], expected: &str) {
        let response = HttpResponse {
            status: 200,
            url: String::new(),
            headers: vec![("Content-Type".into(), kind.into())],
            body: body.to_vec(),
        };
        assert_eq!(text(&response), expected, "{kind}");
    }

    #[test]
    fn bodies_are_read_by_their_charset() {
        check("text/html; charset=ISO-8859-1", b"caf\xe9 \x80", "café €");
        check("text/html; charset=\"windows-1252\"", b"\x93a\x94", "“a”");
        check("text/html; charset=iso-8859-15", b"\xa4 \xbd", "€ œ");
        check("text/html;charset=latin1", "café".as_bytes(), "café");
        check("text/html; charset=utf-16le", b"a\0\xe9\0", "aé");
        check("text/html; charset=utf-16", b"\xfe\xff\0a", "a");
        check("text/html; charset=utf-8", "é".as_bytes(), "é");
        check("text/html", b"\xe9", "\u{fffd}");
        check("text/html; charset=unheard-of", b"\xe9", "\u{fffd}");
    }
}
