//! One line of input, read with care: what rmcp would drop or misname gets its proper error.

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientJsonRpcMessage, ClientNotification,
    ClientRequest, JsonRpcMessage, JsonRpcRequest, PaginatedRequestParams, RequestId,
};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::error::Category;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::borrow::Cow;

/// What a line turned out to be.
pub(crate) enum Heard {
    Message(Box<ClientJsonRpcMessage>),
    /// The answer to a line that cannot be taken further, ready to be sent.
    Refused(Value),
    /// A notification nobody waits for, or an empty line.
    Nothing,
}

/// The parts of a message before any of them is understood.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    jsonrpc: Option<Cow<'a, str>>,
    /// An id of `null` is there, though it cannot be used.
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

fn present<'de, D: Deserializer<'de>>(value: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(value).map(Some)
}

pub(crate) fn read(line: &[u8]) -> Heard {
    let line = line.trim_ascii();
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if line.is_empty() {
        return Heard::Nothing;
    }
    // A list would be taken for an envelope's parts in order.
    if line.first() == Some(&b'[') {
        return match serde_json::from_slice::<IgnoredAny>(line) {
            Ok(_) => refuse(
                None,
                -32600,
                "batches are not part of the protocol; send one message a line",
            ),
            Err(error) => unreadable(&error),
        };
    }
    let envelope: Envelope<'_> = match serde_json::from_slice(line) {
        Ok(envelope) => envelope,
        Err(error) => return unreadable(&error),
    };
    let id = match envelope.id.map(|raw| serde_json::from_str::<Id>(raw.get())) {
        None => None,
        Some(Ok(id)) => Some(id.into()),
        Some(Err(_)) => return refuse(None, -32600, "the id must be a string or an integer"),
    };
    if envelope.jsonrpc.as_deref() != Some("2.0") {
        return refuse(id.as_ref(), -32600, "`jsonrpc` must be \"2.0\"");
    }
    match (&envelope.method, id) {
        (Some(method), Some(id)) => request(method, id, envelope.params, line),
        (Some(_), None) => notification(line),
        (None, id) if envelope.result.is_some() || envelope.error.is_some() => {
            response(id.as_ref(), line)
        }
        (None, id) => refuse(id.as_ref(), -32600, "there is no `method`"),
    }
}

/// Methods whose params are a page.
const LISTS: [&str; 4] = [
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
];

fn request(method: &str, id: RequestId, params: Option<&RawValue>, line: &[u8]) -> Heard {
    if method == "tools/call" {
        return call(id, params);
    }
    // rmcp leaves out a page that it cannot read.
    if LISTS.contains(&method)
        && let Some(params) = params
        && let Err(error) = serde_json::from_str::<PaginatedRequestParams>(params.get())
    {
        let why = format!("the params of {method} cannot be read: {error}");
        return refuse(Some(&id), -32602, &why);
    }
    match serde_json::from_slice::<ClientJsonRpcMessage>(line) {
        Ok(message @ JsonRpcMessage::Request(_)) => Heard::Message(Box::new(message)),
        Ok(_) => refuse(Some(&id), -32600, "this is not a request"),
        Err(error) => refuse(
            Some(&id),
            -32602,
            &format!("the params of {method} cannot be read: {error}"),
        ),
    }
}

/// The message that comes most often, without the detour through every other kind.
fn call(id: RequestId, params: Option<&RawValue>) -> Heard {
    let Some(params) = params else {
        return refuse(Some(&id), -32602, "tools/call needs params with a `name`");
    };
    match serde_json::from_str::<CallToolRequestParams>(params.get()) {
        Ok(mut params) => {
            let meta = params.meta.take();
            let mut request = CallToolRequest::new(params);
            if let Some(meta) = meta {
                request.extensions.insert(meta);
            }
            let request = JsonRpcRequest::new(id, ClientRequest::CallToolRequest(request));
            Heard::Message(Box::new(JsonRpcMessage::Request(request)))
        }
        Err(error) => refuse(
            Some(&id),
            -32602,
            &format!("the params of tools/call cannot be read: {error}"),
        ),
    }
}

/// A notification is never answered, whatever is wrong with it.
fn notification(line: &[u8]) -> Heard {
    match serde_json::from_slice::<ClientJsonRpcMessage>(line) {
        Ok(JsonRpcMessage::Notification(known))
            if !matches!(
                known.notification,
                ClientNotification::CustomNotification(_)
            ) =>
        {
            Heard::Message(Box::new(JsonRpcMessage::Notification(known)))
        }
        _ => Heard::Nothing,
    }
}

fn response(id: Option<&RequestId>, line: &[u8]) -> Heard {
    match serde_json::from_slice::<ClientJsonRpcMessage>(line) {
        Ok(message @ (JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_))) => {
            Heard::Message(Box::new(message))
        }
        _ if id.is_some() => Heard::Nothing,
        _ => refuse(None, -32600, "a response needs an id"),
    }
}

fn unreadable(error: &serde_json::Error) -> Heard {
    match error.classify() {
        Category::Data => refuse(
            None,
            -32600,
            &format!("this is not a JSON-RPC message: {error}"),
        ),
        _ => refuse(None, -32700, &format!("this line is not JSON: {error}")),
    }
}

pub(crate) fn refuse(id: Option<&RequestId>, code: i32, message: &str) -> Heard {
    Heard::Refused(json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}))
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Number(i64),
    Text(String),
}

impl From<Id> for RequestId {
    fn from(id: Id) -> Self {
        match id {
            Id::Number(number) => Self::Number(number),
            Id::Text(text) => Self::String(text.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let got = match read(line.as_bytes()) {
            Heard::Nothing => "nothing".to_owned(),
            Heard::Refused(answer) => {
                format!(
                    "{} {} {}",
                    answer["id"],
                    answer["error"]["code"],
                    answer["error"]["message"].as_str().unwrap()
                )
            }
            Heard::Message(message) => match *message {
                JsonRpcMessage::Request(request) => {
                    format!("request {} {}", request.id, request.request.method())
                }
                JsonRpcMessage::Notification(_) => "notification".to_owned(),
                JsonRpcMessage::Response(_) => "response".to_owned(),
                JsonRpcMessage::Error(_) => "error".to_owned(),
            },
        };
        assert_eq!(got, expected, "{line}");
    }

    #[test]
    fn messages_are_recognised() {
        check("", "nothing");
        check(
            "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
            "request 1 ping",
        );
        check(
            r#"{"jsonrpc":"2.0","id":"a","method":"tools/list"}"#,
            "request a tools/list",
        );
        check(
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"}}"#,
            "request 2 tools/call",
        );
        check(
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            "notification",
        );
        check(
            r#"{"jsonrpc":"2.0","method":"notifications/odd","params":3}"#,
            "nothing",
        );
        check(
            r#"{"jsonrpc":"2.0","id":3,"method":"no/such"}"#,
            "request 3 no/such",
        );
        check(r#"{"jsonrpc":"2.0","id":3,"result":{}}"#, "response");
    }

    #[test]
    fn what_is_wrong_is_named() {
        check(
            "{",
            "null -32700 this line is not JSON: EOF while parsing an object at line 1 column 1",
        );
        check(
            "nonsense",
            "null -32700 this line is not JSON: expected ident at line 1 column 2",
        );
        check(
            "[]",
            "null -32600 batches are not part of the protocol; send one message a line",
        );
        check(
            "3",
            "null -32600 this is not a JSON-RPC message: invalid type: integer `3`, expected struct Envelope at line 1 column 1",
        );
        check(
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            "null -32600 the id must be a string or an integer",
        );
        check(
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            "null -32600 the id must be a string or an integer",
        );
        check(
            r#"{"id":1,"method":"ping"}"#,
            "1 -32600 `jsonrpc` must be \"2.0\"",
        );
        check(
            r#"{"jsonrpc":"2.0","id":1}"#,
            "1 -32600 there is no `method`",
        );
        check(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
            "1 -32602 tools/call needs params with a `name`",
        );
        check(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#,
            "1 -32602 the params of tools/call cannot be read: missing field `name` at line 1 column 2",
        );
        check(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":[]}}"#,
            "1 -32602 the params of tools/call cannot be read: invalid type: sequence, expected a map at line 1 column 24",
        );
    }
}
