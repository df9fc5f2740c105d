//! Messages between an editor and us: JSON after a header that says its length.

use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{self, BufRead, Write};

/// More than any source that is worth editing.
const LARGEST: usize = 64 << 20;

/// A request, a notification without an `id`, or a response without a `method`.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct EditorMessage {
    pub(crate) id: Option<Value>,
    pub(crate) method: String,
    pub(crate) params: Value,
}

/// The next message; none at the end.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<EditorMessage>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
    let length = length.filter(|length| *length <= LARGEST);
    let length: usize = length.ok_or_else(|| io::Error::other("a message without a length"))?;
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    // A message that cannot be read has no id to answer.
    Ok(Some(serde_json::from_slice(&body).unwrap_or_default()))
}

pub(crate) fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    output.flush()
}

pub(crate) fn notification(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

pub(crate) fn response(id: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

pub(crate) fn refusal(id: &Value, code: i32, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_one_after_the_other() {
        let mut wire = Vec::new();
        for message in [json!({"method": "é"}), json!({"id": 1, "method": "b", "params": []})] {
            write(&mut wire, &message).unwrap();
        }
        wire.extend(b"content-length: 1\r\nContent-Type: x\r\n\r\n{");
        let mut wire = wire.as_slice();
        let message = |id: Option<i32>, method: &str, params| EditorMessage {
            id: id.map(Value::from),
            method: method.to_owned(),
            params,
        };
        assert_eq!(read(&mut wire).unwrap(), Some(message(None, "é", Value::Null)));
        assert_eq!(read(&mut wire).unwrap(), Some(message(Some(1), "b", json!([]))));
        assert_eq!(read(&mut wire).unwrap(), Some(EditorMessage::default()));
        assert_eq!(read(&mut wire).unwrap(), None);
        assert!(read(&mut b"X: 1\r\n\r\n".as_slice()).is_err());
        assert!(read(&mut b"Content-Length: 99999999999\r\n\r\n".as_slice()).is_err());
    }
}
