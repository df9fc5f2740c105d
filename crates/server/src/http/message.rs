//! What a POST must be: one message, and headers that say the same as it does.

use super::answer::{Answer, refused, rpc_error};
use super::guard::only;
use super::unprimed::knows_priming;
use crate::envelope::{self, Envelope, Refusal};
use http::StatusCode;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName};
use model::Errors;
use rmcp::model::{ClientJsonRpcMessage, ProtocolVersion};
use serde::de::DeserializeOwned;
use serde_json::Value;

pub(crate) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(crate) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
pub(crate) const NAME: HeaderName = HeaderName::from_static("mcp-name");
pub(crate) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
/// A second one of these would let two readers see two requests.
const SINGLE: [HeaderName; 4] = [VERSION, SESSION, METHOD, NAME];
const HEADER_MISMATCH: i32 = -32020;

/// As much of a message as the door has to know.
pub(crate) struct Asked<'a> {
    envelope: Envelope<'a>,
    /// `null` for a notification.
    pub(crate) id: Value,
    pub(crate) listens: bool,
    pub(crate) lists: bool,
    initializes: bool,
}

impl Asked<'_> {
    /// The call that it is, if it is one and can be read.
    pub(crate) fn call(&self) -> Option<ClientJsonRpcMessage> {
        let id = self.envelope.id.clone()?;
        let is_call = self.envelope.method.as_deref() == Some("tools/call");
        is_call.then(|| envelope::call(id, self.envelope.params).ok())?
    }

    /// Empty for an answer.
    pub(crate) fn method(&self) -> &str {
        self.envelope.method.as_deref().unwrap_or_default()
    }

    /// Its params, if they can be read as these.
    pub(crate) fn params<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.envelope.params?.get()).ok()
    }

    /// Sessions are for legacy clients that can read their streams; all others stand alone.
    pub(crate) fn in_session(&self, headers: &HeaderMap, takes_events: bool) -> bool {
        let is_fit = if self.initializes {
            takes_events
        } else {
            headers.contains_key(SESSION)
        };
        is_fit && !says_modern(headers)
    }

    /// `initialize` names the revision in its params, all other requests in a header.
    pub(crate) fn knows_priming(&self, headers: &HeaderMap) -> bool {
        if !self.initializes {
            return knows_priming(revision(headers));
        }
        let params: Option<Value> = self.params();
        knows_priming(
            params
                .as_ref()
                .and_then(|params| params["protocolVersion"].as_str()),
        )
    }
}

/// Protocol revision that the headers name.
pub(crate) fn revision(headers: &HeaderMap) -> Option<&str> {
    headers.get(VERSION)?.to_str().ok()
}

pub(crate) fn says_modern(headers: &HeaderMap) -> bool {
    revision(headers).is_some_and(|version| version >= ProtocolVersion::V_2026_07_28.as_str())
}

/// What can be judged before the body has come.
pub(crate) fn check_headers(headers: &HeaderMap) -> Result<(), Answer> {
    let unsupported = |why: &str| Err(refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
    let kind = only(headers, &CONTENT_TYPE).ok().flatten();
    let kind = kind
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return unsupported("the body must be application/json");
    }
    if headers.contains_key(CONTENT_ENCODING) {
        return unsupported("the body must come as it is, without Content-Encoding");
    }
    Ok(())
}

pub(crate) fn check<'a>(
    bytes: &'a [u8],
    headers: &HeaderMap,
    errors: Errors,
) -> Result<Asked<'a>, Answer> {
    let envelope = envelope::open(bytes).map_err(|refusal| refuse(&refusal, errors))?;
    let id = serde_json::to_value(&envelope.id).unwrap_or_default();
    if let Some(twice) = SINGLE.iter().find(|name| only(headers, name).is_err()) {
        let why = format!("there are two {twice} headers");
        return Err(rpc_error(
            StatusCode::BAD_REQUEST,
            &id,
            HEADER_MISMATCH,
            &why,
        ));
    }
    let method = envelope.method.as_deref().unwrap_or_default();
    if let Err(refusal) = envelope::check_params(&envelope) {
        return Err(refuse(&refusal, errors));
    }
    Ok(Asked {
        id,
        listens: method == "subscriptions/listen",
        lists: envelope::LISTS.contains(&method),
        initializes: method == "initialize",
        envelope,
    })
}

fn refuse(refusal: &Refusal, errors: Errors) -> Answer {
    // A bare 400 makes clients think of an old server, so params are answered in-band.
    let status = match (refusal.code, errors) {
        (-32602, Errors::Mcp) => StatusCode::OK,
        _ => StatusCode::BAD_REQUEST,
    };
    let id = serde_json::to_value(&refusal.id).unwrap_or_default();
    rpc_error(status, &id, refusal.code, &refusal.message)
}

/// HTTP status of an error code under `errors = "mapped"`.
pub(crate) fn mapped_status(code: i64) -> StatusCode {
    match code {
        -32700 | -32600 | -32602 | -32002 => StatusCode::BAD_REQUEST,
        -32601 | -32000 => StatusCode::NOT_FOUND,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
