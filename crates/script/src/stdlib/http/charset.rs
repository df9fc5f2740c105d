//! Response bodies as text, by the charset that their Content-Type names, as browsers read it.

use encoding_rs::{Encoding, UTF_8};
use model::HttpResponse;
use std::borrow::Cow;

/// What is UTF-8 although its header names a charset of one byte a character, is: few texts in
/// another charset look like it. A byte order mark says more than the header does.
pub(super) fn text(response: &HttpResponse) -> Cow<'_, str> {
    let body = &response.body;
    let encoding = charset(response).filter(|encoding| *encoding != UTF_8);
    let is_utf_8 = |encoding: &'static Encoding| {
        encoding.is_single_byte() && std::str::from_utf8(body).is_ok()
    };
    match encoding.filter(|encoding| !is_utf_8(encoding)) {
        Some(encoding) => encoding.decode(body).0,
        None => String::from_utf8_lossy(body),
    }
}

fn charset(response: &HttpResponse) -> Option<&'static Encoding> {
    let mut headers = response.headers.iter();
    let (_, kind) = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-type"))?;
    let named = kind.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then_some(value)
    })?;
    Encoding::for_label_no_replacement(named.trim().trim_matches(['"', '\'']).as_bytes())
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
        check("text/html; charset=iso-2022-kr", b"a\xe9", "a\u{fffd}");
    }

    #[test]
    fn charsets_of_several_bytes_a_character_are_read() {
        let japanese = b"\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd";
        check("text/html; charset=Shift_JIS", japanese, "こんにちは");
        check("text/html; charset=EUC-JP", b"\xa4\xb3\xa4\xf3", "こん");
        check("text/html; charset=ISO-2022-JP", b"\x1b$B$3$s\x1b(B", "こん");
        check("text/html; charset=GBK", b"\xc4\xe3\xba\xc3", "你好");
        check("text/html; charset=gb2312", b"\xcd\xa8", "通");
        check("text/html; charset=Big5", b"\xa7A\xa6n", "你好");
        check("text/html; charset=EUC-KR", b"\xbe\xc8\xb3\xe7", "안녕");
        check("text/html; charset=KOI8-R", b"\xd0\xd2\xc9\xd7\xc5\xd4", "привет");
    }
}
