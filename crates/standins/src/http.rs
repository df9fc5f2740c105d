//! As much of HTTP as the modules speak: requests with bodies of a known length, over connections that
//! stay open.

use std::io::{self, BufRead, Read, Write};

use serde_json::Value;

#[derive(Debug, Default)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// Without what is asked for behind `?`, unescaped.
    pub(crate) path: String,
    pub(crate) query: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    /// Null if there is none, or none that is JSON.
    pub(crate) body: Value,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

impl Request {
    /// The next one, or None when the other side has gone.
    pub(crate) fn read(reader: &mut impl BufRead) -> io::Result<Option<Self>> {
        let Some(line) = line(reader)? else {
            return Ok(None);
        };
        let mut words = line.split(' ');
        let method = words.next().unwrap_or_default().to_owned();
        let target = words.next().unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut request =
            Self { method, path: unescaped(path), query: pairs(query), ..Self::default() };
        while let Some(line) = line_of_head(reader)? {
            let (name, value) = line.split_once(':').unwrap_or((&line, ""));
            let header = (name.to_ascii_lowercase(), value.trim().to_owned());
            request.headers.push(header);
        }
        let length = request.header("content-length");
        let length = length.and_then(|length| length.parse().ok()).unwrap_or(0);
        let mut body = String::new();
        reader.take(length).read_to_string(&mut body)?;
        request.body = serde_json::from_str(&body).unwrap_or_default();
        Ok(Some(request))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    pub(crate) fn asked(&self, name: &str) -> Option<&str> {
        find(&self.query, name)
    }

    /// A number that was asked for, or what stands for it.
    pub(crate) fn number(&self, name: &str, otherwise: usize) -> usize {
        let asked = self.asked(name).and_then(|asked| asked.parse().ok());
        asked.unwrap_or(otherwise)
    }

    /// The path in pieces, for `match`.
    pub(crate) fn steps(&self) -> Vec<&str> {
        self.path.split('/').filter(|step| !step.is_empty()).collect()
    }
}

impl Answer {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::text(status, "application/json; charset=utf-8", body.to_string())
    }

    pub(crate) fn text(status: u16, kind: &str, body: String) -> Self {
        Self { status, headers: vec![("content-type", kind.to_owned())], body }
    }

    pub(crate) fn with(mut self, header: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((header, value.into()));
        self
    }

    pub(crate) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        write!(to, "HTTP/1.1 {} \r\n", self.status)?;
        for (name, value) in &self.headers {
            write!(to, "{name}: {value}\r\n")?;
        }
        write!(to, "content-length: {}\r\n\r\n", self.body.len())?;
        to.write_all(self.body.as_bytes())?;
        to.flush()
    }
}

fn find<'p>(pairs: &'p [(String, String)], name: &str) -> Option<&'p str> {
    let mut named = pairs.iter().filter(|(key, _)| key == name);
    named.next().map(|(_, value)| value.as_str())
}

fn line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    let read = reader.read_line(&mut line)?;
    Ok((read > 0).then(|| line.trim_end().to_owned()))
}

/// None at the empty line behind the headers.
fn line_of_head(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    Ok(line(reader)?.filter(|line| !line.is_empty()))
}

fn pairs(query: &str) -> Vec<(String, String)> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let plain = |text: &str| unescaped(&text.replace('+', " "));
    pairs.map(|(name, value)| (plain(name), plain(value))).collect()
}

/// A value as it stands behind `?`.
pub(crate) fn escaped(text: &str) -> String {
    let escaped = text.bytes().map(|byte| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    });
    escaped.collect()
}

fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        let digits = after.get(..2).and_then(|two| str::from_utf8(two).ok());
        match digits.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => bytes.push(*first),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_escaped_comes_back() {
        for text in ["", "plain", "a b&c=d+e/f", "é 設計", "100%", "%zz", "%"] {
            assert_eq!(unescaped(&escaped(text)), text);
        }
        assert_eq!(unescaped("%zz%"), "%zz%");
    }

    #[test]
    fn requests_are_read_one_after_the_other() {
        let text = "POST /a%2Fb/c?q=two+words&n=%C3%A9 HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n{\"a\":1}\
                    GET / HTTP/1.1\r\n\r\n";
        let mut reader = text.as_bytes();
        let first = Request::read(&mut reader).unwrap().unwrap();
        assert_eq!((first.method.as_str(), first.path.as_str()), ("POST", "/a/b/c"));
        assert_eq!((first.asked("q"), first.asked("n")), (Some("two words"), Some("é")));
        assert_eq!((first.header("host"), &first.body), (Some("x"), &json!({"a": 1})));
        let second = Request::read(&mut reader).unwrap().unwrap();
        assert_eq!((second.path.as_str(), second.body), ("/", Value::Null));
        assert!(Request::read(&mut reader).unwrap().is_none());
    }
}
