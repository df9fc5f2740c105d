//! Whoever comes too often hears it in HTTP's own words: 429, and when to come back.

use super::answer::{Answer, json};
use super::message::Asked;
use super::wanted::Wanted;
use crate::wire;
use http::StatusCode;
use http::header::{HeaderValue, RETRY_AFTER};
use http::request::Parts;
use model::{Caller, Door};
use rmcp::model::Extensions;
use runtime::{Denial, Limited, RateCharge, Runtime, Trail};
use serde_json::json;

/// Counts the request, if it is one that counts.
pub(crate) fn charge(
    runtime: &Runtime,
    asked: &Asked<'_>,
    wanted: &Wanted,
    parts: &mut Parts,
    caller: &Caller,
) -> Result<(), Answer> {
    if !runtime.has_rates() {
        return Ok(());
    }
    match runtime.charge(caller, &wanted.wish()) {
        Ok(charge) => {
            parts.extensions.insert(charge);
            Ok(())
        }
        Err(limited) => {
            note(runtime, asked, wanted, caller, &limited);
            Err(too_often(asked, &limited))
        }
    }
}

/// What rate limits have counted of the request already.
pub(crate) fn rate_charge(extensions: &Extensions) -> RateCharge {
    let parts = extensions.get::<Parts>();
    let charge = parts.and_then(|parts| parts.extensions.get::<RateCharge>());
    charge.copied().unwrap_or_default()
}

fn note(runtime: &Runtime, asked: &Asked<'_>, wanted: &Wanted, caller: &Caller, limited: &Limited) {
    runtime.audit().limited(&Denial {
        caller: Some(caller),
        trail: &Trail {
            request: Some(asked.id.to_string().into()),
            ..Trail::by(Door::Http)
        },
        method: asked.method(),
        wanted: wanted.shown(),
        of: None,
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
