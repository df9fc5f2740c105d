//! Is it alive, is it ready, and what does it serve?

use super::response::{ServerResponse, json};
use http::StatusCode;
use runtime::Runtime;
use serde_json::json;

/// Alive as long as it can say so.
pub(crate) fn live() -> ServerResponse {
    json(StatusCode::OK, &json!({"status": "ok"}))
}

/// Ready until it has been told to end, and while calls can be answered. Abandoned threads are shown
/// if there are any.
pub(crate) fn ready(runtime: &Runtime, is_ending: bool) -> ServerResponse {
    let (code, status) = match reason_not_ready(runtime, is_ending) {
        Some(reason) => (StatusCode::SERVICE_UNAVAILABLE, reason),
        None => (StatusCode::OK, "ok"),
    };
    let mut body = json!({"status": status});
    let stuck = runtime.abandoned().count();
    if stuck > 0 {
        body["stuck"] = stuck.into();
    }
    json(code, &body)
}

fn reason_not_ready(runtime: &Runtime, is_ending: bool) -> Option<&'static str> {
    if is_ending {
        Some("ending")
    } else if runtime.audit().is_refusing() {
        Some("the audit log cannot be written")
    } else if runtime.abandoned().refusal().is_some() {
        Some("too many threads ignore their deadline; restart the server")
    } else {
        None
    }
}

pub(crate) fn whole(runtime: &Runtime, is_ending: bool) -> ServerResponse {
    let catalog = runtime.catalog();
    let status = if is_ending { "ending" } else { "ok" };
    json(
        StatusCode::OK,
        &json!({
            "status": status,
            "version": env!("CARGO_PKG_VERSION"),
            "modules": catalog.modules().count(),
            "tools": catalog.tool_count(),
            "stuck": runtime.abandoned().count(),
        }),
    )
}
