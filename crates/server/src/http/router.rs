//! Which request is answered by what: `/mcp` by the MCP endpoint, every other path by a router.

use super::HttpSettings;
use super::denials::{self, Turned};
use super::guard::{self, Admitted};
use super::headers;
use super::mcp::McpEndpoint;
use super::response::{ServerResponse, empty, json, refused, text};
use super::{health, metrics};
use crate::auth::{self, Metadata};
use crate::shared::Shared;
use axum::Router;
use axum::extract::{Request, State};
use axum::routing::any;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ALLOW,
    AUTHORIZATION, CONTENT_SECURITY_POLICY, HOST, HeaderMap, HeaderName, HeaderValue, VARY,
};
use http::{Method, StatusCode};
use hyper::body::Incoming;
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use model::Caller;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const MCP: &str = "/mcp";
const PATHS: [&str; 5] = [MCP, "/health", "/health/live", "/health/ready", "/metrics"];
/// Headers that web pages may send and read.
const ALLOWED_HEADERS: &str = "authorization, content-type, accept, mcp-protocol-version, \
                               mcp-session-id, mcp-method, mcp-name, last-event-id, traceparent, tracestate";
const EXPOSED_HEADERS: &str = "mcp-session-id, mcp-protocol-version, www-authenticate, retry-after";

const NOT_ALL: &str = "metrics are for callers whose roles let them see everything: give them a role \
                       with `allow = [\"*\"]` in larkspur.toml";

/// What a person sees who opens the address in a browser.
const PAGE: &str = include_str!("page.html");

/// Everything that is served over HTTP.
pub(crate) struct Site {
    pages: Arc<Pages>,
    mcp: Arc<McpEndpoint>,
    router: TowerToHyperService<Router>,
}

/// What the pages beside `/mcp` are made from.
struct Pages {
    settings: HttpSettings,
    shared: Arc<Shared>,
    metadata: Metadata,
}

impl Site {
    pub(crate) fn new(shared: Arc<Shared>, settings: HttpSettings) -> Self {
        let mcp = Arc::new(McpEndpoint::new(&shared, &settings));
        let pages = Arc::new(Pages { metadata: Metadata::new(&settings.login), settings, shared });
        let router = Router::new()
            .route("/", any(show_start))
            .route("/health", any(show_health))
            .route("/health/live", any(show_live))
            .route("/health/ready", any(show_ready))
            .route("/metrics", any(show_metrics))
            .fallback(show_other)
            .with_state(Arc::clone(&pages));
        Self { pages, mcp, router: TowerToHyperService::new(router) }
    }

    /// Counts a connection that was closed at once.
    pub(crate) fn count_rejected(&self) {
        let stats = self.pages.shared.runtime.stats();
        stats.connections_rejected.fetch_add(1, Ordering::Relaxed);
    }

    /// Waits until every POST has its response.
    pub(crate) async fn all_answered(&self) {
        self.mcp.tracker.close();
        self.mcp.tracker.wait().await;
    }

    pub(crate) fn hang_up(&self) {
        self.mcp.hang_up();
    }

    pub(crate) fn sweep(&self) {
        self.mcp.sweep();
    }

    pub(crate) async fn answer(&self, request: http::Request<Incoming>) -> ServerResponse {
        let admitted = guard::admit(&self.pages.settings, request.uri(), request.headers());
        let Admitted { origin } = match admitted {
            Ok(admitted) => admitted,
            Err(response) => return response,
        };
        let mut response = self.route(request).await;
        if let Some(origin) = origin {
            share(response.headers_mut(), origin);
        }
        response
    }

    async fn route(&self, request: http::Request<Incoming>) -> ServerResponse {
        let path = request.uri().path();
        if path != MCP {
            let Ok(response) = self.router.call(request).await;
            return response;
        }
        if request.method() == Method::OPTIONS {
            return preflight("GET, POST, DELETE, OPTIONS", request.headers());
        }
        if request.method() == Method::GET && is_browser(request.headers()) {
            return page(request.headers());
        }
        match self.pages.log_in(MCP, request.headers()).await {
            Ok(caller) => {
                let mut request = request;
                // It is of no use behind this point.
                request.headers_mut().remove(AUTHORIZATION);
                self.mcp.answer(request, caller).await
            }
            Err(response) => *response,
        }
    }
}

impl Pages {
    async fn log_in(&self, path: &str, headers: &HeaderMap) -> Result<Caller, Box<ServerResponse>> {
        let login = &self.settings.login;
        login.caller(headers).await.map_err(|why| {
            let turned = Turned { rule: Some(why.why()), ..Turned::from(path, "login") };
            denials::note(&self.shared.runtime, None, &turned);
            let catalog = self.shared.runtime.catalog();
            Box::new(auth::unauthorized(login, &why, &catalog.rules.policy))
        })
    }

    fn is_ending(&self) -> bool {
        self.shared.ending.is_cancelled()
    }
}

/// Answers the methods that no page has an answer of its own for.
fn check_method(request: &Request) -> Result<(), ServerResponse> {
    match *request.method() {
        Method::GET | Method::HEAD => Ok(()),
        Method::OPTIONS => Err(preflight("GET, HEAD, OPTIONS", request.headers())),
        _ => Err(not_allowed("GET, HEAD, OPTIONS")),
    }
}

async fn show_live(request: Request) -> ServerResponse {
    check_method(&request).err().unwrap_or_else(health::live)
}

async fn show_ready(State(pages): State<Arc<Pages>>, request: Request) -> ServerResponse {
    let ready = || health::ready(&pages.shared.runtime, pages.is_ending());
    check_method(&request).err().unwrap_or_else(ready)
}

async fn show_health(State(pages): State<Arc<Pages>>, request: Request) -> ServerResponse {
    if let Err(response) = check_method(&request) {
        return response;
    }
    // It tells of everything there is, and so is for those who may see that.
    match pages.settings.login.caller(request.headers()).await {
        Ok(caller) if pages.shared.runtime.sees_all(&caller) => {
            health::whole(&pages.shared.runtime, pages.is_ending())
        }
        _ => health::live(),
    }
}

async fn show_metrics(State(pages): State<Arc<Pages>>, request: Request) -> ServerResponse {
    if let Err(response) = check_method(&request) {
        return response;
    }
    match pages.log_in("/metrics", request.headers()).await {
        Ok(caller) if pages.shared.runtime.sees_all(&caller) => {
            metrics::page(&pages.shared.runtime)
        }
        Ok(_) => refused(StatusCode::FORBIDDEN, NOT_ALL),
        Err(response) => *response,
    }
}

async fn show_start(request: Request) -> ServerResponse {
    if is_browser(request.headers()) && request.method() == Method::GET {
        return page(request.headers());
    }
    not_found("/")
}

/// The documents at well-known paths, and everything that is not there.
async fn show_other(State(pages): State<Arc<Pages>>, request: Request) -> ServerResponse {
    if !pages.metadata.is_at(request.uri().path()) {
        return not_found(request.uri().path());
    }
    if let Err(response) = check_method(&request) {
        return response;
    }
    let catalog = pages.shared.runtime.catalog();
    pages.metadata.page(&catalog.rules.policy)
}

fn not_found(path: &str) -> ServerResponse {
    let known = json!({"error": "there is nothing here", "path": path, "paths": PATHS});
    json(StatusCode::NOT_FOUND, &known)
}

/// A client that takes events as well is none, whatever else it takes.
fn is_browser(headers: &HeaderMap) -> bool {
    headers::accepts(headers, "text/html") && !headers::accepts(headers, headers::EVENTS)
}

/// The host was checked before; what could end an attribute or a text is left out all the same.
fn page(headers: &HeaderMap) -> ServerResponse {
    let host = headers::text(headers, &HOST).unwrap_or("localhost");
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || ".-:[]".contains(*c);
    let host: String = host.chars().filter(is_plain).collect();
    let mut response =
        text(StatusCode::OK, "text/html; charset=utf-8", PAGE.replace("HOST", &host));
    let policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
    let policy = HeaderValue::from_static(policy);
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    response
}

fn preflight(methods: &'static str, asked: &HeaderMap) -> ServerResponse {
    let mut response = empty(StatusCode::NO_CONTENT);
    let headers = response.headers_mut();
    let methods = HeaderValue::from_static(methods);
    headers.insert(ALLOW, methods.clone());
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed_headers(asked));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    response
}

/// Besides those that are always allowed: arguments of tools that a page asks to send as headers.
fn allowed_headers(asked: &HeaderMap) -> HeaderValue {
    let asked = headers::text(asked, &ACCESS_CONTROL_REQUEST_HEADERS);
    let names = asked.into_iter().flat_map(|names| names.split(','));
    let params = names.map(str::trim).filter(|name| is_param(name));
    let all: Vec<&str> = std::iter::once(ALLOWED_HEADERS).chain(params).collect();
    let all = HeaderValue::from_str(&all.join(", "));
    all.unwrap_or(HeaderValue::from_static(ALLOWED_HEADERS))
}

fn is_param(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with("mcp-param-") && HeaderName::from_bytes(name.as_bytes()).is_ok()
}

pub(crate) fn not_allowed(allowed: &'static str) -> ServerResponse {
    let why = json!({"error": format!("this path answers {allowed}")});
    let mut response = json(StatusCode::METHOD_NOT_ALLOWED, &why);
    let allowed = HeaderValue::from_static(allowed);
    response.headers_mut().insert(ALLOW, allowed);
    response
}

/// Lets the web page that asked read the response.
fn share(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    let exposed = HeaderValue::from_static(EXPOSED_HEADERS);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
    headers.append(VARY, HeaderValue::from_static("origin"));
}
