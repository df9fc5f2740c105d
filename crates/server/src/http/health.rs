//! Is it alive, is it ready, and what does it serve?

use super::answer::{Answer, json};
use http::StatusCode;
use runtime::Runtime;
use serde_json::json;

/// Alive as long as it can say so.
pub(crate) fn live() -> Answer {
    json(StatusCode::OK, &json!({"status": "ok"}))
}

/// Ready until it has been told to end.
pub(crate) fn ready(is_ending: bool) -> Answer {
    if is_ending {
        json(
            StatusCode::SERVICE_UNAVAILABLE,
            &json!({"status": "ending"}),
        )
    } else {
        live()
    }
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
