//! An answer as a script reads it.

use super::charset;
use crate::convert::Unwritable;
use crate::script::Raised;
use crate::stdlib::prelude::*;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use model::{HostError, HttpRequest, HttpResponse};
use serde_json::json;

/// So much of a body is shown in an error.
const SHOWN: usize = 200;

pub(crate) fn answer<'v>(
    response: &HttpResponse,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<Value<'v>> {
    let heap = eval.heap();
    let text = charset::text(response);
    crate::stdlib::json::room(&text, eval)?;
    let parsed = serde_json::from_str(text.trim_start_matches('\u{feff}'));
    // A number that no float can hold makes it JSON that a script cannot read.
    let parsed = parsed.ok().and_then(|json| from_json(&json, heap).ok());
    let mut fields = fields(response.status, &response.url, headers(response, heap)?, &text, heap);
    // Scripts of the original ask whether there is one: `if "json" in answer`.
    fields.extend(parsed.map(|json| ("json", json)));
    if std::str::from_utf8(&response.body).is_err() {
        fields.push(("body_base64", heap.alloc(BASE64_STANDARD.encode(&response.body))));
    }
    Cx::of(eval)?.gauge.memory(eval)?;
    Ok(heap.alloc(AllocDict(fields)))
}

/// In the place of an answer that did not come.
pub(crate) fn failed<'v>(
    request: &HttpRequest,
    error: &HostError,
    eval: &Evaluator<'v, '_, '_>,
) -> Value<'v> {
    let heap = eval.heap();
    let none: [(&str, &str); 0] = [];
    let headers = heap.alloc(AllocDict(none));
    let mut fields = fields(0, &request.url, headers, "", heap);
    fields.push(("error", heap.alloc(error.0.as_str())));
    heap.alloc(AllocDict(fields))
}

fn fields<'v>(
    status: u16,
    url: &str,
    headers: Value<'v>,
    body: &str,
    heap: Heap<'v>,
) -> Vec<(&'static str, Value<'v>)> {
    let ok = Value::new_bool(is_ok(status));
    let status = heap.alloc(i32::from(status));
    vec![
        ("status", status),
        ("status_code", status),
        ("ok", ok),
        ("success", ok),
        ("url", heap.alloc(url)),
        ("headers", headers),
        ("body", heap.alloc(body)),
    ]
}

fn is_ok(status: u16) -> bool {
    (200..300).contains(&status)
}

/// A header that came several times is one, joined as HTTP says; cookies, which may have commas in
/// them, by line breaks.
fn headers<'v>(response: &HttpResponse, heap: Heap<'v>) -> Result<Value<'v>, Unwritable> {
    let mut joined: Vec<(&str, String)> = Vec::new();
    for (name, value) in &response.headers {
        match joined.iter_mut().find(|(known, _)| known == name) {
            Some((_, all)) => {
                all.push_str(if name == "set-cookie" { "\n" } else { ", " });
                all.push_str(value);
            }
            None => joined.push((name, value.clone())),
        }
    }
    let mut receiver = Receiver::new(heap);
    let mut entries = Vec::with_capacity(joined.len());
    for (name, value) in joined {
        entries.push((receiver.key(name)?, receiver.cell(heap.alloc(value))?));
    }
    Ok(heap.alloc(AllocDict(entries)))
}

/// An answer other than 2xx as an error, for those who asked for that.
pub(crate) fn checked(request: &HttpRequest, response: &HttpResponse) -> anyhow::Result<()> {
    let status = response.status;
    if is_ok(status) {
        return Ok(());
    }
    let body = charset::text(response);
    let body = body.trim();
    let mut start: String = body.chars().take(SHOWN).collect();
    if start.len() < body.len() {
        start.push('…');
    }
    // The query may hold a key.
    let url = response.url.split(['?', '#']).next().unwrap_or_default();
    let colon = if start.is_empty() { "" } else { ": " };
    let raised = Raised {
        kind: "http-error".into(),
        message: format!("{} {url} answered {status}{colon}{start}", request.method),
        data: json!({"status": status, "url": url, "body": start}),
    };
    Err(anyhow::Error::new(raised))
}
