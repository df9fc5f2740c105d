//! Which request is answered by whom.

use super::Entrance;
use super::answer::{Answer, empty, json, refused};
use super::busy::Busy;
use super::denials::{self, Turned};
use super::guard::{self, Admitted};
use super::mcp::Mcp;
use super::{health, metrics};
use crate::auth::{self, Metadata};
use crate::shared::Shared;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ALLOW,
    AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, VARY,
};
use http::{Method, Request, StatusCode};
use hyper::body::Incoming;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const PATHS: [&str; 5] = [
    "/mcp",
    "/health",
    "/health/live",
    "/health/ready",
    "/metrics",
];
/// What pages may send and read.
const TAKEN: &str = "authorization, content-type, accept, mcp-protocol-version, mcp-session-id, \
                     mcp-method, mcp-name, last-event-id, traceparent, tracestate";
const GIVEN: &str = "mcp-session-id, mcp-protocol-version, www-authenticate, retry-after";

const NOT_ALL: &str = "metrics are for callers whose roles let them see everything: give them a role \
                       with `allow = [\"*\"]` in larkspur.toml";

pub(crate) struct Front {
    entrance: Entrance,
    shared: Arc<Shared>,
    mcp: Arc<Mcp>,
    metadata: Metadata,
    pub(crate) busy: Busy,
}

impl Front {
    pub(crate) fn new(shared: Arc<Shared>, entrance: Entrance) -> Self {
        Self {
            mcp: Arc::new(Mcp::new(&shared, entrance.login.clone())),
            metadata: Metadata::new(&entrance.login),
            busy: Busy::new(),
            entrance,
            shared,
        }
    }

    /// Counts a connection that was closed at once.
    pub(crate) fn count_rejected(&self) {
        let stats = self.shared.runtime.stats();
        stats.connections_rejected.fetch_add(1, Ordering::Relaxed);
    }

    /// Ends streams that would never end by themselves.
    pub(crate) fn hang_up(&self) {
        self.mcp.hang_up();
    }

    pub(crate) async fn answer(&self, request: Request<Incoming>) -> Answer {
        let admitted = guard::admit(&self.entrance, request.uri(), request.headers());
        let Admitted { origin } = match admitted {
            Ok(admitted) => admitted,
            Err(refusal) => return refusal,
        };
        let mut answer = self.route(request).await;
        if let Some(origin) = origin {
            share(answer.headers_mut(), origin);
        }
        answer
    }

    async fn route(&self, request: Request<Incoming>) -> Answer {
        let is_ending = self.shared.ending.is_cancelled();
        let path = request.uri().path();
        let is_metadata = self.metadata.is_at(path);
        if !PATHS.contains(&path) && !is_metadata {
            let known = json!({"error": "there is nothing here", "path": path, "paths": PATHS});
            return json(StatusCode::NOT_FOUND, &known);
        }
        if request.method() == Method::OPTIONS {
            return preflight(path, request.headers());
        }
        if path != "/mcp" && request.method() != Method::GET && request.method() != Method::HEAD {
            return not_allowed("GET, HEAD, OPTIONS");
        }
        match path {
            "/health/live" => return health::live(),
            "/health/ready" => return health::ready(&self.shared.runtime, is_ending),
            _ if is_metadata => {
                let catalog = self.shared.runtime.catalog();
                return self.metadata.page(&catalog.rules.policy);
            }
            _ => {}
        }
        let login = &self.entrance.login;
        let caller = match login.caller(request.headers()).await {
            Ok(caller) => caller,
            Err(_) if path == "/health" => return health::live(),
            Err(why) => {
                let turned = Turned {
                    rule: Some(why.why()),
                    ..Turned::from(path, "login")
                };
                denials::note(&self.shared.runtime, None, &turned);
                let catalog = self.shared.runtime.catalog();
                return auth::unauthorized(login, &why, &catalog.rules.policy);
            }
        };
        match path {
            // They tell of everything there is, and so are for those who may see that.
            "/health" if !self.shared.runtime.sees_all(&caller) => health::live(),
            "/metrics" if !self.shared.runtime.sees_all(&caller) => {
                refused(StatusCode::FORBIDDEN, NOT_ALL)
            }
            "/health" => health::whole(&self.shared.runtime, is_ending),
            "/metrics" => metrics::page(&self.shared.runtime),
            _ => {
                let mut request = request;
                // Nobody behind the door has a use for it.
                request.headers_mut().remove(AUTHORIZATION);
                request.extensions_mut().insert(caller);
                self.mcp.answer(request, &self.busy, is_ending).await
            }
        }
    }
}

fn preflight(path: &str, asked: &HeaderMap) -> Answer {
    let mut answer = empty(StatusCode::NO_CONTENT);
    let headers = answer.headers_mut();
    let methods = match path {
        "/mcp" => "GET, POST, DELETE, OPTIONS",
        _ => "GET, HEAD, OPTIONS",
    };
    headers.insert(ALLOW, HeaderValue::from_static(methods));
    headers.insert(
        ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static(methods),
    );
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, taken(asked));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    answer
}

/// Besides those that are always taken: arguments of tools that a page asks to send as headers.
fn taken(asked: &HeaderMap) -> HeaderValue {
    let asked = asked.get(ACCESS_CONTROL_REQUEST_HEADERS);
    let asked = asked.and_then(|value| value.to_str().ok());
    let names = asked.into_iter().flat_map(|names| names.split(','));
    let params = names.map(str::trim).filter(|name| is_param(name));
    let all: Vec<&str> = std::iter::once(TAKEN).chain(params).collect();
    HeaderValue::from_str(&all.join(", ")).unwrap_or(HeaderValue::from_static(TAKEN))
}

fn is_param(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with("mcp-param-") && HeaderName::from_bytes(name.as_bytes()).is_ok()
}

pub(crate) fn not_allowed(allowed: &'static str) -> Answer {
    let why = json!({"error": format!("this path answers {allowed}")});
    let mut answer = json(StatusCode::METHOD_NOT_ALLOWED, &why);
    answer
        .headers_mut()
        .insert(ALLOW, HeaderValue::from_static(allowed));
    answer
}

/// Lets the page that asked read the answer.
fn share(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(
        ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static(GIVEN),
    );
    headers.append(VARY, HeaderValue::from_static("origin"));
}
