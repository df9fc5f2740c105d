//! One JSON-RPC message, parsed once and checked before anything acts on it.

mod id;
mod keys;
mod params;

pub(crate) use id::IdScanner;
pub(crate) use params::{Params, RequestMeta, missing};

use crate::revision::Revision;
use bytes::Bytes;
use keys::BadKey;
use model::kind_of;
use rmcp::ErrorData;
use rmcp::model::{ErrorCode, RequestId};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::error::Category;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::borrow::Cow;

/// They are answered one after the other.
const MOST_IN_BATCH: usize = 1000;

/// What a client sent.
pub(crate) enum Message {
    Request(Request),
    Notification(ClientNotification),
    Response(ClientResponse),
    /// An empty line.
    Nothing,
}

pub(crate) struct Request {
    pub(crate) id: RequestId,
    pub(crate) method: String,
    /// Large, and moved from task to task.
    pub(crate) params: Box<Params>,
}

#[cfg(test)]
impl Request {
    pub(crate) fn ping(id: i64) -> Self {
        Self { id: RequestId::Number(id), method: "ping".into(), params: Box::default() }
    }
}

pub(crate) struct ClientNotification {
    pub(crate) method: String,
    pub(crate) params: Params,
}

/// The answer to a request of this server.
pub(crate) struct ClientResponse {
    pub(crate) id: RequestId,
    /// The result, or the message of the error.
    pub(crate) result: Result<Value, String>,
}

/// Why a message cannot be handled.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) id: Option<RequestId>,
    pub(crate) error: ErrorData,
}

impl Refusal {
    pub(crate) fn new(id: Option<RequestId>, code: ErrorCode, why: impl Into<String>) -> Self {
        let error = ErrorData::new(code, why.into(), None);
        Self { id, error }
    }

    /// The reply, as it is sent.
    pub(crate) fn reply(&self) -> Vec<u8> {
        json!({"jsonrpc": "2.0", "id": self.id, "error": self.error}).to_string().into_bytes()
    }
}

/// The members of a message as they stand.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Parts<'a> {
    #[serde(borrow, default)]
    jsonrpc: Option<Cow<'a, str>>,
    /// An id of `null` is present, though it cannot be used.
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

/// The messages of a batch, if the text is one.
pub(crate) fn split_batch(text: &[u8]) -> Option<Result<Vec<&RawValue>, Refusal>> {
    let text = trim(text);
    if text.first() != Some(&b'[') {
        return None;
    }
    Some(match serde_json::from_slice::<Vec<&RawValue>>(text) {
        Ok(messages) if messages.is_empty() => Err(Refusal::new(
            None,
            ErrorCode::INVALID_REQUEST,
            "a batch needs at least one message",
        )),
        Ok(messages) if messages.len() > MOST_IN_BATCH => Err(Refusal::new(
            None,
            ErrorCode::INVALID_REQUEST,
            format!("a batch may have {MOST_IN_BATCH} messages"),
        )),
        Ok(messages) => Ok(messages),
        Err(error) => Err(unreadable(text, &error)),
    })
}

/// A message of a batch, which cannot begin a session.
pub(crate) fn parse_in_batch(message: &RawValue) -> Result<Message, Refusal> {
    match parse(message.get().as_bytes())? {
        Message::Request(request) if request.method == "initialize" => {
            Err(invalid(Some(request.id), "`initialize` cannot be part of a batch"))
        }
        message => Ok(message),
    }
}

/// The response to a batch.
pub(crate) fn join_batch(replies: &[Bytes]) -> Vec<u8> {
    let mut text = vec![b'['];
    for (number, reply) in replies.iter().enumerate() {
        if number > 0 {
            text.push(b',');
        }
        text.extend_from_slice(reply);
    }
    text.push(b']');
    text
}

/// The rejection of a batch in a revision that has none.
pub(crate) fn no_batches() -> Refusal {
    let with = Revision::V2025_03_26;
    let why = format!("only revision {with} has batches; send one message at a time");
    Refusal::new(None, ErrorCode::INVALID_REQUEST, why)
}

pub(crate) fn parse(text: &[u8]) -> Result<Message, Refusal> {
    let text = trim(text);
    if text.is_empty() {
        return Ok(Message::Nothing);
    }
    // A list would be taken for the members in their order.
    if text.first() == Some(&b'[') {
        return Err(match serde_json::from_slice::<IgnoredAny>(text) {
            Ok(_) => no_batches(),
            Err(error) => unreadable(text, &error),
        });
    }
    let Ok(utf8) = std::str::from_utf8(text) else {
        let why = "this is not JSON: it is not UTF-8";
        return Err(Refusal::new(scan_id(text), ErrorCode::PARSE_ERROR, why));
    };
    let parts: Parts<'_> = serde_json::from_str(utf8).map_err(|error| unreadable(text, &error))?;
    let id = match parts.id.map(|raw| (raw.get(), read_id(raw.get()))) {
        None => None,
        Some((_, Some(id))) => Some(id),
        Some((raw, None)) if raw.starts_with('"') => {
            let why = "this is not JSON: the id has half of a surrogate pair";
            return Err(Refusal::new(None, ErrorCode::PARSE_ERROR, why));
        }
        Some(_) => return Err(invalid(None, "the id must be a string or an integer")),
    };
    let is_response = parts.result.is_some() || parts.error.is_some();
    // The id of a response is one of this server's, which the client must not take for one of its own.
    if parts.method.is_some() || !is_response {
        keys::check(text).map_err(|bad| bad_key(id.clone(), bad))?;
    }
    if parts.jsonrpc.as_deref() != Some("2.0") {
        return Err(invalid(id, "`jsonrpc` must be \"2.0\""));
    }
    let Some(method) = parts.method else {
        return response(id, parts.result, parts.error, is_response);
    };
    let method = method.into_owned();
    match id {
        Some(id) => match Params::parse(&method, parts.params) {
            Ok(params) => Ok(Message::Request(Request { id, method, params: Box::new(params) })),
            Err(error) => Err(Refusal { id: Some(id), error }),
        },
        // A notification is never answered, whatever is wrong with it.
        None => Ok(match Params::parse(&method, parts.params) {
            Ok(params) => Message::Notification(ClientNotification { method, params }),
            Err(_) => Message::Nothing,
        }),
    }
}

fn trim(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii();
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

fn response(
    id: Option<RequestId>,
    result: Option<&RawValue>,
    error: Option<&RawValue>,
    is_response: bool,
) -> Result<Message, Refusal> {
    if !is_response {
        return Err(invalid(id, "there is no `method`"));
    }
    let Some(id) = id else {
        return Err(invalid(None, "a response needs an id"));
    };
    let read = |raw: &RawValue| serde_json::from_str::<Value>(raw.get()).unwrap_or_default();
    let result = match (result, error) {
        (Some(result), _) => Ok(read(result)),
        (None, error) => {
            let error = error.map(read).unwrap_or_default();
            Err(error["message"].as_str().unwrap_or_default().to_owned())
        }
    };
    Ok(Message::Response(ClientResponse { id, result }))
}

fn invalid(id: Option<RequestId>, why: &str) -> Refusal {
    Refusal::new(id, ErrorCode::INVALID_REQUEST, why)
}

fn bad_key(id: Option<RequestId>, bad: BadKey) -> Refusal {
    let (code, why) = match bad {
        // In the message or beside `arguments` it could hide what is called.
        BadKey::Twice(twice) if twice.depth <= 2 => (ErrorCode::INVALID_REQUEST, twice.to_string()),
        BadKey::Twice(twice) => (ErrorCode::INVALID_PARAMS, twice.to_string()),
        BadKey::Misspelt(why) => (ErrorCode::INVALID_REQUEST, why),
    };
    Refusal::new(id, code, why)
}

/// The rejection of a text that is no message; it has the id of the request, if there is one.
fn unreadable(text: &[u8], error: &serde_json::Error) -> Refusal {
    let id = scan_id(text);
    if error.classify() != Category::Data {
        return Refusal::new(id, ErrorCode::PARSE_ERROR, not_json(error));
    }
    // What follows the wrong member may not be JSON.
    match serde_json::from_slice(text) {
        Ok(value) => wrong_message(id, text, &value),
        Err(error) => Refusal::new(id, ErrorCode::PARSE_ERROR, not_json(&error)),
    }
}

/// The rejection of JSON that is no message.
fn wrong_message(id: Option<RequestId>, text: &[u8], value: &Value) -> Refusal {
    if let Err(bad) = keys::check(text) {
        return bad_key(id, bad);
    }
    let members = [("jsonrpc", "\"2.0\""), ("method", "a string")];
    let wrong = members.into_iter().find(|(name, _)| !(value[name].is_string()));
    let why = match wrong.filter(|_| value.is_object()) {
        Some((name, form)) => format!("`{name}` must be {form}, not {}", kind_of(&value[name])),
        None => format!("a message is an object, not {}", kind_of(value)),
    };
    Refusal::new(id, ErrorCode::INVALID_REQUEST, why)
}

fn scan_id(text: &[u8]) -> Option<RequestId> {
    let mut scanner = IdScanner::default();
    scanner.read(text);
    scanner.request_id()
}

/// What is wrong with a text that is not JSON.
pub(crate) fn not_json(error: &serde_json::Error) -> String {
    let text = error.to_string();
    if let Some(place) = text.strip_prefix("recursion limit exceeded") {
        return format!("this is nested deeper than 128 levels{place}");
    }
    let text = text.replace("EOF while parsing", "it ends within");
    let text = text.replace("expected ident", "expected `true`, `false` or `null`");
    format!("this is not JSON: {text}")
}

fn read_id(raw: &str) -> Option<RequestId> {
    if raw.starts_with('"') {
        let text: String = serde_json::from_str(raw).ok()?;
        return Some(RequestId::String(text.into()));
    }
    serde_json::from_str::<i64>(raw).ok().map(RequestId::Number)
}

#[cfg(test)]
mod tests;
