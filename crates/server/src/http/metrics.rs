//! Numbers for Prometheus.

use super::response::{ServerResponse, text};
use http::StatusCode;
use runtime::Runtime;

pub(crate) fn page(runtime: &Runtime) -> ServerResponse {
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    text(StatusCode::OK, kind, runtime.metrics())
}
