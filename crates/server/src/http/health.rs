//! Is it alive, is it ready, and what does it serve?

use super::answer::{Answer, json};
use http::StatusCode;
use runtime::Runtime;
use serde_json::json;

/// Alive as long as it can say so.
pub(crate) fn live() -> Answer {
    json(StatusCode::OK, &json!({"status": "ok"}))
}

/// Ready until it has been told to end, and while calls can be answered.
pub(crate) fn ready(runtime: &Runtime, is_ending: bool) -> Answer {
    let why = if is_ending {
        "ending"
    } else if runtime.audit().is_refusing() {
        "the audit log cannot be written"
    } else {
        return live();
    };
    json(StatusCode::SERVICE_UNAVAILABLE, &json!({"status": why}))
}

pub(crate) fn whole(runtime: &Runtime, is_ending: bool) -> Answer {
    let catalog = runtime.catalog();
    let status = if is_ending { "ending" } else { "ok" };
    json(
        StatusCode::OK,
        &json!({
            "status": status,
            "version": env!("CARGO_PKG_VERSION"),
            "modules": catalog.modules().count(),
            "tools": catalog.tool_count(),
        }),
    )
}
