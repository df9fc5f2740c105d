//! Headers of a POST: that there is one of each, and that they say the same as its message.

use super::guard::only;
use super::response::{ServerResponse, refused, rpc_error};
use crate::revision::Revision;
use crate::rpc::{Params, Request};
use crate::wire;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::StatusCode;
use http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName};
use rmcp::ErrorData;
use rmcp::model::{JsonObject, RequestId};
use serde_json::Value;

pub(crate) const EVENTS: &str = "text/event-stream";
pub(crate) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
pub(crate) const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const REVISION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
/// A second one of these would let two readers see two requests.
const SINGLE: [HeaderName; 4] = [REVISION, SESSION, METHOD, NAME];

/// Where a schema asks for an argument in a header of its own.
pub(crate) const ANNOTATION: &str = "x-mcp-header";

/// The text of a header, where it is there and readable.
pub(crate) fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

pub(crate) fn accepts(headers: &HeaderMap, kind: &str) -> bool {
    let mut values = headers.get_all(ACCEPT).iter();
    values.any(|value| value.to_str().is_ok_and(|text| text.contains(kind)))
}

/// Whether the headers name a revision that has neither `initialize` nor sessions.
pub(crate) fn is_modern(headers: &HeaderMap) -> bool {
    let modern = Revision::V2026_07_28.as_str();
    text(headers, &REVISION).is_some_and(|revision| revision >= modern)
}

/// The revision that the headers name. Without one it is the last that had no such header.
pub(crate) fn revision(headers: &HeaderMap) -> Revision {
    let named = text(headers, &REVISION).and_then(Revision::parse);
    named.unwrap_or(Revision::V2025_03_26)
}

/// Checks what can be checked before the body has arrived.
pub(crate) fn check_content(headers: &HeaderMap) -> Result<(), ServerResponse> {
    let unsupported = |why: &str| Err(refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
    let kind = only(headers, &CONTENT_TYPE).ok().flatten();
    let kind = kind.and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return unsupported("the body must be application/json");
    }
    if headers.contains_key(CONTENT_ENCODING) {
        return unsupported("the body must come as it is, without Content-Encoding");
    }
    Ok(())
}

pub(crate) fn check_single(
    headers: &HeaderMap,
    id: Option<&RequestId>,
) -> Result<(), ServerResponse> {
    match SINGLE.iter().find(|name| only(headers, name).is_err()) {
        None => Ok(()),
        Some(twice) => Err(mismatch(id, format!("there are two {twice} headers"))),
    }
}

/// Rejects a revision that this server does not speak.
pub(crate) fn check_revision(headers: &HeaderMap) -> Result<(), ServerResponse> {
    let Some(value) = headers.get(REVISION) else {
        return Ok(());
    };
    let named = value.to_str().unwrap_or("that is not text");
    if Revision::parse(named).is_some() {
        return Ok(());
    }
    let known = Revision::ALL.map(Revision::as_str).join(", ");
    let why = format!("MCP-Protocol-Version {named} is not supported; this server speaks {known}");
    Err(refused(StatusCode::BAD_REQUEST, &why))
}

/// Compares the headers of a request with its message. `schema` finds the input schema of a tool.
pub(crate) fn check_request(
    headers: &HeaderMap,
    request: &Request,
    schema: impl FnOnce(&str) -> Option<JsonObject>,
) -> Result<(), ServerResponse> {
    let id = Some(&request.id);
    let meta = &request.params.meta;
    if request.method == "initialize" {
        let is_modern = |revision: &str| revision >= Revision::V2026_07_28.as_str();
        if meta.revision.as_deref().is_some_and(is_modern) {
            // There is no such method in its revision.
            return Ok(());
        }
        let asked = request.params.name("protocolVersion").unwrap_or_default();
        let named = headers.get(REVISION).map(|value| value.to_str());
        return match named {
            Some(Ok(named)) if !asked.is_empty() && named != asked => {
                let why = format!(
                    "the MCP-Protocol-Version header ({named}) differs from `protocolVersion` ({asked})"
                );
                let error = ErrorData::invalid_request(why, None);
                Err(rpc_error(StatusCode::BAD_REQUEST, id, &error))
            }
            Some(Err(_)) => check_revision(headers),
            _ => check_method(headers, request, false),
        };
    }
    let named = text(headers, &REVISION);
    match (&meta.revision, named) {
        (None, _) => {
            check_revision(headers)?;
            if is_modern(headers) || request.method == "server/discover" {
                let error = wire::missing_meta(&meta.missing_keys());
                return Err(rpc_error(StatusCode::BAD_REQUEST, id, &error));
            }
        }
        (Some(asked), None) => {
            let why =
                format!("a request of revision {asked} needs the header MCP-Protocol-Version");
            return Err(mismatch(id, why));
        }
        (Some(asked), Some(named)) if asked != named => {
            let why =
                format!("the header MCP-Protocol-Version ({named}) differs from `_meta` ({asked})");
            return Err(mismatch(id, why));
        }
        _ => {}
    }
    if !is_modern(headers) {
        return Ok(());
    }
    check_method(headers, request, true)?;
    check_name(headers, request)?;
    let tool = request.params.name("name");
    match tool.filter(|_| request.method == "tools/call").and_then(schema) {
        Some(schema) => check_arguments(headers, request, &schema),
        None => Ok(()),
    }
}

fn check_method(
    headers: &HeaderMap,
    request: &Request,
    is_required: bool,
) -> Result<(), ServerResponse> {
    let method = &request.method;
    let id = Some(&request.id);
    match headers.get(METHOD) {
        None if is_required => Err(mismatch(id, "the header Mcp-Method is missing".to_owned())),
        Some(named) if is_modern(headers) && named != method.as_str() => {
            let named = String::from_utf8_lossy(named.as_bytes()).into_owned();
            let why = format!("the header Mcp-Method ({named}) differs from `method` ({method})");
            Err(mismatch(id, why))
        }
        _ => Ok(()),
    }
}

fn check_name(headers: &HeaderMap, request: &Request) -> Result<(), ServerResponse> {
    let id = Some(&request.id);
    let member = match request.method.as_str() {
        "tools/call" | "prompts/get" => "name",
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => "uri",
        "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
        _ => return Ok(()),
    };
    let Some(expected) = request.params.name(member) else {
        return Ok(());
    };
    let Some(named) = text(headers, &NAME) else {
        let why = format!("the header Mcp-Name is missing: {} needs it", request.method);
        return Err(mismatch(id, why));
    };
    match decode(named) {
        Some(named) if named == expected => Ok(()),
        Some(named) => Err(mismatch(
            id,
            format!("the header Mcp-Name ({named}) differs from `{member}` ({expected})"),
        )),
        None => Err(mismatch(id, "the header Mcp-Name is not valid base64".to_owned())),
    }
}

/// Arguments that the schema asks for as headers too.
fn check_arguments(
    headers: &HeaderMap,
    request: &Request,
    schema: &JsonObject,
) -> Result<(), ServerResponse> {
    let mut annotated = Vec::new();
    collect_annotations(schema.get("properties"), &mut Vec::new(), &mut annotated);
    for (path, header) in annotated {
        let differs = |why: String| Err(mismatch(Some(&request.id), why));
        let shown = path.join(".");
        let full = format!("mcp-param-{}", header.to_ascii_lowercase());
        let Ok(name) = HeaderName::from_bytes(full.as_bytes()) else {
            continue;
        };
        let Ok(sent) = only(headers, &name) else {
            return differs(format!("there are two {full} headers"));
        };
        let sent = sent.and_then(|value| value.to_str().ok());
        match (sent, argument(&request.params, &path)) {
            (None, None) => {}
            (Some(_), None) => {
                return differs(format!("the header {full} is there, but `{shown}` is not"));
            }
            (None, Some(_)) => {
                return differs(format!("the header {full} is missing: it repeats `{shown}`"));
            }
            (Some(sent), Some(expected)) => {
                if decode(sent).as_deref() != Some(expected.as_str()) {
                    return differs(format!("the header {full} differs from `{shown}`"));
                }
            }
        }
    }
    Ok(())
}

/// Annotations of properties, and of properties in them.
fn collect_annotations<'s>(
    properties: Option<&'s Value>,
    path: &mut Vec<&'s str>,
    found: &mut Vec<(Vec<&'s str>, &'s str)>,
) {
    let Some(Value::Object(properties)) = properties else {
        return;
    };
    for (name, schema) in properties {
        path.push(name);
        let header = schema.get(ANNOTATION).and_then(Value::as_str);
        if let Some(header) = header.filter(|header| !header.is_empty()) {
            found.push((path.clone(), header));
        }
        collect_annotations(schema.get("properties"), path, found);
        path.pop();
    }
}

/// The argument at this path as a header has it; lists and objects cannot be headers.
fn argument(params: &Params, path: &[&str]) -> Option<String> {
    let arguments = params.member("arguments")?;
    let value = path.iter().try_fold(arguments, |value, key| value.get(key))?;
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Values that a header cannot hold come as `=?base64?…?=`.
fn decode(value: &str) -> Option<String> {
    let encoded = value.strip_prefix("=?base64?");
    match encoded.and_then(|rest| rest.strip_suffix("?=")) {
        Some(encoded) => String::from_utf8(BASE64_STANDARD.decode(encoded).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}

fn mismatch(id: Option<&RequestId>, why: String) -> ServerResponse {
    rpc_error(StatusCode::BAD_REQUEST, id, &ErrorData::header_mismatch(why, None))
}
