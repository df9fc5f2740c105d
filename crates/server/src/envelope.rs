//! One message, read with care: what rmcp would drop or misname gets its proper error.

use crate::keys::{self, BadKey};
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

/// Why a message cannot be taken further.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) id: Option<RequestId>,
    pub(crate) code: i32,
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(id: Option<RequestId>, code: i32, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { id, code, message }
    }

    /// As it is sent.
    pub(crate) fn answer(&self) -> Value {
        let Self { id, code, message } = self;
        json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
    }
}

/// A message whose parts are known, and not yet what they mean.
pub(crate) struct Envelope<'a> {
    pub(crate) id: Option<RequestId>,
    pub(crate) method: Option<Cow<'a, str>>,
    pub(crate) params: Option<&'a RawValue>,
}

/// The parts as they stand.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Parts<'a> {
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

/// A line with its message, if it has one.
pub(crate) fn read(line: &[u8]) -> Heard {
    let line = bare(line);
    if line.is_empty() {
        return Heard::Nothing;
    }
    match open(line).and_then(|envelope| message(&envelope, line)) {
        Ok(Some(message)) => Heard::Message(Box::new(message)),
        Ok(None) => Heard::Nothing,
        Err(refusal) => Heard::Refused(refusal.answer()),
    }
}

fn bare(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii();
    line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
}

pub(crate) fn open(line: &[u8]) -> Result<Envelope<'_>, Refusal> {
    let line = bare(line);
    // A list would be taken for an envelope's parts in order.
    if line.first() == Some(&b'[') {
        return Err(match serde_json::from_slice::<IgnoredAny>(line) {
            Ok(_) => Refusal::new(None, -32600, BATCH),
            Err(error) => unreadable(&error),
        });
    }
    let parts: Parts<'_> = serde_json::from_slice(line).map_err(|error| {
        let is_json = error.classify() == Category::Data;
        let id = is_json.then(|| keys::request_id(line)).flatten();
        Refusal {
            id: id.and_then(|id| read_id(id).ok()),
            ..unreadable(&error)
        }
    })?;
    let id = match parts.id.map(|raw| read_id(raw.get())) {
        None => None,
        Some(Ok(id)) => Some(id),
        Some(Err(_)) => {
            let why = "the id must be a string or an integer";
            return Err(Refusal::new(None, -32600, why));
        }
    };
    let is_response = parts.result.is_some() || parts.error.is_some();
    // The id of a response is one of ours, which the client must not take for one of its own.
    if parts.method.is_some() || !is_response {
        keys::check(line).map_err(|bad| bad_key(id.clone(), bad))?;
    }
    if parts.jsonrpc.as_deref() != Some("2.0") {
        return Err(Refusal::new(id, -32600, "`jsonrpc` must be \"2.0\""));
    }
    if parts.method.is_none() && !is_response {
        return Err(Refusal::new(id, -32600, "there is no `method`"));
    }
    if parts.method.is_none() && id.is_none() {
        return Err(Refusal::new(None, -32600, "a response needs an id"));
    }
    Ok(Envelope {
        id,
        method: parts.method,
        params: parts.params,
    })
}

fn bad_key(id: Option<RequestId>, bad: BadKey) -> Refusal {
    match bad {
        // In the envelope or beside `arguments` it could hide what is called.
        BadKey::Twice(twice) if twice.depth <= 2 => Refusal::new(id, -32600, twice.to_string()),
        BadKey::Twice(twice) => Refusal::new(id, -32602, twice.to_string()),
        BadKey::Misspelt(why) => Refusal::new(id, -32600, why),
    }
}

/// What the envelope holds; nothing where nobody waits for an answer and there is nothing to do.
fn message(envelope: &Envelope<'_>, line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
    match (&envelope.method, envelope.id.clone()) {
        (Some(method), Some(id)) if method == "tools/call" => call(id, envelope.params).map(Some),
        (Some(method), Some(id)) => {
            check_params(envelope)?;
            request(method, id, line).map(Some)
        }
        (Some(_), None) => Ok(notification(line)),
        (None, _) => Ok(response(line)),
    }
}

const BATCH: &str = "batches are not part of the protocol; send one message at a time";
const NO_NAME: &str = "tools/call needs params with a `name`";

/// Methods whose params are a page.
pub(crate) const LISTS: [&str; 4] = [
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
];

/// Params that rmcp would leave out or misname are refused here.
pub(crate) fn check_params(envelope: &Envelope<'_>) -> Result<(), Refusal> {
    let (Some(method), Some(id)) = (&envelope.method, &envelope.id) else {
        return Ok(());
    };
    if method == "tools/call" && envelope.params.is_none() {
        return Err(Refusal::new(Some(id.clone()), -32602, NO_NAME));
    }
    if LISTS.contains(&method.as_ref())
        && let Some(params) = envelope.params
        && let Err(error) = serde_json::from_str::<PaginatedRequestParams>(params.get())
    {
        return Err(bad_params(id.clone(), method, &error));
    }
    Ok(())
}

fn bad_params(id: RequestId, method: &str, error: &serde_json::Error) -> Refusal {
    let why = format!("the params of {method} cannot be read: {error}");
    Refusal::new(Some(id), -32602, why)
}

fn request(method: &str, id: RequestId, line: &[u8]) -> Result<ClientJsonRpcMessage, Refusal> {
    match serde_json::from_slice::<ClientJsonRpcMessage>(line) {
        Ok(message @ JsonRpcMessage::Request(_)) => Ok(message),
        Ok(_) => Err(Refusal::new(Some(id), -32600, "this is not a request")),
        Err(error) => Err(bad_params(id, method, &error)),
    }
}

/// The message that comes most often, without the detour through every other kind.
pub(crate) fn call(
    id: RequestId,
    params: Option<&RawValue>,
) -> Result<ClientJsonRpcMessage, Refusal> {
    let Some(params) = params else {
        return Err(Refusal::new(Some(id), -32602, NO_NAME));
    };
    match serde_json::from_str::<CallToolRequestParams>(params.get()) {
        Ok(mut params) => {
            let meta = params.meta.take();
            let mut request = CallToolRequest::new(params);
            if let Some(meta) = meta {
                request.extensions.insert(meta);
            }
            let request = JsonRpcRequest::new(id, ClientRequest::CallToolRequest(request));
            Ok(JsonRpcMessage::Request(request))
        }
        Err(error) => Err(bad_params(id, "tools/call", &error)),
    }
}

/// A notification is never answered, whatever is wrong with it.
fn notification(line: &[u8]) -> Option<ClientJsonRpcMessage> {
    match serde_json::from_slice::<ClientJsonRpcMessage>(line) {
        Ok(JsonRpcMessage::Notification(known))
            if !matches!(
                known.notification,
                ClientNotification::CustomNotification(_)
            ) =>
        {
            Some(JsonRpcMessage::Notification(known))
        }
        _ => None,
    }
}

fn response(line: &[u8]) -> Option<ClientJsonRpcMessage> {
    match serde_json::from_slice::<ClientJsonRpcMessage>(line) {
        Ok(message @ (JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_))) => Some(message),
        _ => None,
    }
}

fn unreadable(error: &serde_json::Error) -> Refusal {
    match error.classify() {
        Category::Data => {
            let why = format!("this is not a JSON-RPC message: {error}");
            Refusal::new(None, -32600, why)
        }
        _ => Refusal::new(None, -32700, format!("this is not JSON: {error}")),
    }
}

fn read_id(raw: &str) -> serde_json::Result<RequestId> {
    serde_json::from_str::<Id>(raw).map(RequestId::from)
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
            "null -32700 this is not JSON: EOF while parsing an object at line 1 column 1",
        );
        check(
            "nonsense",
            "null -32700 this is not JSON: expected ident at line 1 column 2",
        );
        check(
            "[]",
            "null -32600 batches are not part of the protocol; send one message at a time",
        );
        check(
            "3",
            "null -32600 this is not a JSON-RPC message: invalid type: integer `3`, expected an object at line 1 column 1",
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
            r#"{"jsonrpc":"2.0","id":5,"method":"ping","Method":"x"}"#,
            "5 -32600 `Method` is not `method`: names are exact",
        );
        check(
            r#"{"jsonrpc":"2.0","id":5,"method":"ping","method":"x"}"#,
            "5 -32600 this is not a JSON-RPC message: duplicate field `method` at line 1 column 48",
        );
        check(
            r#"{"jsonrpc":"2.0","id":5,"id":6,"method":"ping"}"#,
            "null -32600 this is not a JSON-RPC message: duplicate field `id` at line 1 column 28",
        );
        check(
            r#"{"jsonrpc":"2.0","id":5,"method":"ping","x":1,"x":2}"#,
            "5 -32600 the key `x` is there twice in one object",
        );
        check(
            r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x","name":"y"}}"#,
            "5 -32600 the key `name` is there twice in one object",
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

    #[test]
    fn a_key_that_stands_twice_in_params_is_named_with_the_id() {
        for (method, params) in [
            (
                "tools/call",
                r#"{"name":"x","arguments":{"name":"a","name":"b"}}"#,
            ),
            (
                "tools/call",
                r#"{"name":"x","arguments":{"name":"a","n\u0061me":"b"}}"#,
            ),
            (
                "tools/call",
                r#"{"name":"x","arguments":{"list":[{"deep":{"name":1,"name":2}}]}}"#,
            ),
            ("tools/call", r#"{"name":"x","_meta":{"name":1,"name":2}}"#),
            (
                "prompts/get",
                r#"{"name":"x","arguments":{"name":"a","name":"b"}}"#,
            ),
            (
                "completion/complete",
                r#"{"context":{"arguments":{"name":"a","name":"b"}}}"#,
            ),
        ] {
            check(
                &format!(r#"{{"jsonrpc":"2.0","id":"r1","method":"{method}","params":{params}}}"#),
                "\"r1\" -32602 the key `name` is there twice in one object",
            );
        }
    }
}
