//! Whoever comes too often hears it in HTTP's own words: 429, and when to come back.

use super::answer::{Answer, json};
use super::message::{Asked, METHOD, NAME};
use crate::wire;
use http::StatusCode;
use http::header::{HeaderMap, HeaderValue, RETRY_AFTER};
use http::request::Parts;
use model::{Args, Caller, Door};
use rmcp::model::Extensions;
use runtime::{Denial, Limited, Runtime, Trail, Wish};
use serde::Deserialize;
use serde_json::json;

/// Travels with a request that has been counted.
#[derive(Clone)]
struct Charged;

/// As much of the params as is needed to know what is called.
#[derive(Default, Deserialize)]
struct Params {
    #[serde(default)]
    name: String,
    #[serde(default)]
    uri: String,
    #[serde(default)]
    arguments: Args,
}

/// Counts the request, if it is one that counts. One whose headers say something else than its body is
/// for others to refuse.
pub(crate) fn charge(
    runtime: &Runtime,
    asked: &Asked<'_>,
    parts: &mut Parts,
    caller: &Caller,
) -> Result<(), Answer> {
    if !runtime.has_rates() {
        return Ok(());
    }
    let params: Params = asked.params().unwrap_or_default();
    let method = asked.method();
    let (name, wish) = match method {
        "tools/call" => {
            let (name, args) = (params.name.as_str(), &params.arguments);
            (name, Wish::Tool { name, args })
        }
        "resources/read" => (params.uri.as_str(), Wish::Resource(&params.uri)),
        "prompts/get" => (params.name.as_str(), Wish::Prompt(&params.name)),
        _ => return Ok(()),
    };
    if !agree(&parts.headers, method, name) {
        return Ok(());
    }
    match runtime.charge(caller, &wish) {
        Ok(()) => {
            parts.extensions.insert(Charged);
            Ok(())
        }
        Err(limited) => {
            note(runtime, asked, caller, &limited, name);
            Err(too_often(asked, &limited))
        }
    }
}

pub(crate) fn is_charged(extensions: &Extensions) -> bool {
    let parts = extensions.get::<Parts>();
    parts.is_some_and(|parts| parts.extensions.get::<Charged>().is_some())
}

fn agree(headers: &HeaderMap, method: &str, name: &str) -> bool {
    let says = |header, text: &str| headers.get(header).is_none_or(|value| value == text);
    says(METHOD, method) && says(NAME, name)
}

fn note(runtime: &Runtime, asked: &Asked<'_>, caller: &Caller, limited: &Limited, name: &str) {
    // A URI is given like arguments are.
    let wanted = match asked.method() {
        "resources/read" => "",
        _ => name,
    };
    runtime.audit().limited(&Denial {
        caller: Some(caller),
        trail: &Trail {
            request: Some(asked.id.to_string().into()),
            ..Trail::by(Door::Http)
        },
        method: asked.method(),
        wanted,
        kind: limited.limit,
        rule: None,
    });
}

fn too_often(asked: &Asked<'_>, limited: &Limited) -> Answer {
    let error = wire::limited(limited);
    let message = json!({"jsonrpc": "2.0", "id": asked.id, "error": error});
    let mut answer = json(StatusCode::TOO_MANY_REQUESTS, &message);
    let seconds = HeaderValue::from(limited.retry_after_seconds());
    answer.headers_mut().insert(RETRY_AFTER, seconds);
    answer
}
