//! `/mcp`: requests made fit for rmcp, and its answers made fit for those who asked.

use super::answer::{Answer, refused, rpc_error};
use super::aside::{Aside, with_asides};
use super::body;
use super::busy::{Busy, until_sent};
use super::denials::{self, Turned};
use super::expiring::ending_with;
use super::front::not_allowed;
use super::late::{LateAnswer, or_late};
use super::message::{self, Asked};
use super::owners::Owners;
use super::shortcut::Shortcut;
use super::toll;
use super::unprimed::{knows_priming, without_priming};
use super::wanted::Wanted;
use crate::auth::{self, Login};
use crate::handler::Handler;
use crate::large::LARGE;
use crate::shared::Shared;
use crate::trace::Traced;
use crate::written::{self, Written};
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Empty, Full};
use hyper::body::Incoming;
use model::{Caller, Errors};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use runtime::Lacking;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

type Service = StreamableHttpService<Traced, LocalSessionManager>;

const EVENTS: &str = "text/event-stream";
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// Our own code for a scope that is missing; the status says the same to those who know OAuth.
const LACKING: i32 = 1003;

/// A stream on which nothing is said gets a comment, so that nobody on the way takes it for dead.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Travels with the request of a client that takes no events.
#[derive(Clone)]
pub(crate) struct Deaf;

pub(crate) struct Mcp {
    shared: Arc<Shared>,
    login: Login,
    /// Of legacy clients that have begun with `initialize`.
    sessions: Arc<LocalSessionManager>,
    owners: Owners,
    /// For most of the requests that stand alone.
    shortcut: Shortcut,
    hung_up: CancellationToken,
    errors: Errors,
}

impl Mcp {
    pub(crate) fn new(shared: &Arc<Shared>, login: Login) -> Self {
        let hung_up = CancellationToken::new();
        Self {
            shared: Arc::clone(shared),
            login,
            sessions: Arc::default(),
            owners: Owners::default(),
            shortcut: Shortcut::new(shared, hung_up.clone()),
            hung_up,
            errors: shared.errors,
        }
    }

    /// rmcp asks whoever serves a request for schemas without saying for whom, so that each request is
    /// served by somebody who knows.
    fn service(&self, in_session: bool, caller: &Caller) -> Service {
        // Names and pages have been looked at before anybody comes here.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_cancellation_token(self.hung_up.clone())
            .with_sse_keep_alive(Some(KEEP_ALIVE))
            .with_max_request_body_bytes(body::LONGEST);
        let config = if in_session {
            config
        } else {
            let alone = config.with_legacy_session_mode(false);
            alone.with_json_response(true)
        };
        let (shared, caller) = (Arc::clone(&self.shared), caller.clone());
        let make = move || {
            let handler = Handler::of_network(Arc::clone(&shared), caller.clone());
            Ok(Traced(handler))
        };
        StreamableHttpService::new(make, Arc::clone(&self.sessions), config)
    }

    pub(crate) fn hang_up(&self) {
        self.hung_up.cancel();
    }

    pub(crate) async fn answer(
        self: &Arc<Self>,
        request: Request<Incoming>,
        busy: &Busy,
        is_ending: bool,
    ) -> Answer {
        if is_ending {
            return refused(StatusCode::SERVICE_UNAVAILABLE, "the server is ending");
        }
        let (parts, body) = request.into_parts();
        match parts.method {
            Method::POST => {
                let errand = busy.begin();
                let answer = self.post(parts, body).await;
                answer.map(|body| until_sent(body, errand))
            }
            // In the modern era there are neither sessions nor streams of their own.
            Method::GET | Method::DELETE if message::says_modern(&parts.headers) => {
                not_allowed("POST, OPTIONS")
            }
            Method::GET | Method::DELETE => {
                let caller = of(&parts);
                let method = parts.method.as_str();
                if let Err(refusal) = self.check_session(&parts.headers, &caller, method, None) {
                    return refusal;
                }
                let is_primed = knows_priming(message::revision(&parts.headers));
                let request = Request::from_parts(parts, Empty::<Bytes>::new());
                let service = self.service(true, &caller);
                let mut answer = in_json(Box::pin(service.handle(request)).await).await;
                if !is_primed {
                    answer = without_priming(answer);
                }
                ending_with(answer, &caller)
            }
            _ => not_allowed("GET, POST, DELETE, OPTIONS"),
        }
    }

    async fn post(self: &Arc<Self>, parts: Parts, body: Incoming) -> Answer {
        if let Err(refusal) = message::check_headers(&parts.headers) {
            return refusal;
        }
        let bytes = match body::read(body).await {
            Ok(bytes) => bytes,
            Err(refusal) => return refusal,
        };
        if bytes.len() <= LARGE {
            return self.answer_message(parts, bytes).await;
        }
        let mcp = Arc::clone(self);
        // Dropped, and so cancelled, when the client disconnects.
        let mut work = JoinSet::new();
        let answer = async move { mcp.answer_message(parts, bytes).await };
        self.shared.large.spawn(&mut work, answer);
        let failed = "the request ended without a response";
        match work.join_next().await {
            Some(Ok(answer)) => answer,
            _ => refused(StatusCode::INTERNAL_SERVER_ERROR, failed),
        }
    }

    /// Parses a message and answers it.
    async fn answer_message(&self, parts: Parts, bytes: Bytes) -> Answer {
        let asked = match message::check(&bytes, &parts.headers, self.errors) {
            Ok(asked) => asked,
            Err(refusal) => return refusal,
        };
        let caller = asked.listens.then(|| of(&parts));
        let answer = self.serve(parts, bytes.clone(), &asked).await;
        match caller {
            Some(caller) => ending_with(answer, &caller),
            None => answer,
        }
    }

    /// What speaks against it before anybody answers: a scope that is missing, a caller who comes too often.
    fn judge(&self, asked: &Asked<'_>, parts: &mut Parts, caller: &Caller) -> Result<(), Answer> {
        let runtime = &self.shared.runtime;
        if !runtime.has_rates() && !runtime.has_scopes(caller) {
            return Ok(());
        }
        let Some(wanted) = Wanted::read(asked, &parts.headers) else {
            return Ok(());
        };
        let lacking = runtime.lacking(caller, &wanted.wish());
        if !lacking.is_empty() {
            return Err(self.step_up(asked, caller, &lacking));
        }
        toll::charge(runtime, asked, &wanted, parts, caller)
    }

    fn check_session(
        &self,
        headers: &HeaderMap,
        caller: &Caller,
        method: &str,
        id: Option<&Value>,
    ) -> Result<(), Answer> {
        let checked = self.owners.check(headers, caller);
        if checked.is_err() {
            let turned = Turned {
                id,
                ..Turned::from(method, "session")
            };
            denials::note(&self.shared.runtime, Some(caller), &turned);
        }
        checked
    }

    /// The token can be had for more: what is missing is named all at once.
    fn step_up(&self, asked: &Asked<'_>, caller: &Caller, lacking: &[Lacking]) -> Answer {
        for one in lacking {
            let rule = format!("the token lacks the scope {}", one.scope);
            let turned = Turned {
                id: Some(&asked.id),
                rule: Some(&rule),
                of: Some(one),
                ..Turned::from(asked.method(), "scope")
            };
            denials::note(&self.shared.runtime, Some(caller), &turned);
        }
        let missing: BTreeSet<String> = lacking.iter().map(|one| one.scope.clone()).collect();
        let names: Vec<&str> = missing.iter().map(String::as_str).collect();
        let why = format!("the token lacks the scope {}", names.join(" and "));
        tracing::info!(target: "auth", caller = &*caller.name, missing = names.join(" "), "more is asked for");
        let answer = rpc_error(StatusCode::FORBIDDEN, &asked.id, LACKING, &why);
        auth::insufficient(&self.login, &missing, answer)
    }

    async fn serve(&self, mut parts: Parts, bytes: Bytes, asked: &Asked<'_>) -> Answer {
        let takes_events = accepts(&parts.headers, EVENTS);
        if asked.listens && !takes_events {
            let why = format!("subscriptions/listen is answered as {EVENTS}: accept it");
            return rpc_error(StatusCode::NOT_ACCEPTABLE, &asked.id, -32600, &why);
        }
        let in_session = asked.in_session(&parts.headers, takes_events);
        let is_primed = !in_session || asked.knows_priming(&parts.headers);
        let caller = of(&parts);
        let (method, id) = (asked.method(), Some(&asked.id));
        let is_his = |headers| self.check_session(headers, &caller, method, id);
        if in_session && let Err(refusal) = is_his(&parts.headers) {
            return refusal;
        }
        if let Err(refusal) = self.judge(asked, &mut parts, &caller) {
            return refusal;
        }
        // rmcp wants to read both of them there, and has no word for "anything".
        parts.headers.insert(ACCEPT, BOTH);
        parts.headers.insert(CONTENT_TYPE, JSON);
        let (late, told) = LateAnswer::new(asked.id.clone());
        parts.extensions.insert(late);
        if !takes_events {
            parts.extensions.insert(Deaf);
        }
        let asides = in_session.then(|| {
            let (aside, asides) = Aside::new();
            parts.extensions.insert(aside);
            asides
        });
        let written = (asked.lists && !in_session).then(Written::default);
        if let Some(written) = &written {
            parts.extensions.insert(written.clone());
        }
        // All that is held for an answer would make every future around this one large.
        let answer = match self.shortcut.fits(asked, &parts.headers, &caller) {
            Some(call) if !in_session => {
                or_late(Box::pin(self.shortcut.answer(call, parts)), told).await
            }
            _ => {
                let request = Request::from_parts(parts, Full::new(bytes));
                let service = self.service(in_session, &caller);
                or_late(Box::pin(service.handle(request)), told).await
            }
        };
        if in_session {
            self.owners
                .note(answer.headers(), &caller, &self.sessions)
                .await;
        }
        if let Some(result) = written.and_then(|written| written.take()) {
            return list(answer, asked, &result);
        }
        let mut answer = in_json(answer).await;
        if !is_primed {
            answer = without_priming(answer);
        }
        if let Some(asides) = asides
            && is_kind(answer.headers(), EVENTS)
        {
            answer = with_asides(answer, asides);
        }
        if !takes_events {
            answer = Box::pin(only_the_last(answer)).await;
        }
        match self.errors {
            Errors::Mcp => answer,
            Errors::Mapped => Box::pin(with_status(answer)).await,
        }
    }
}

/// Who has been let in.
fn of(parts: &Parts) -> Caller {
    let known = parts.extensions.get::<Caller>().cloned();
    known.unwrap_or_else(|| Caller::named(""))
}

/// A list that was written before, in the place of the one that rmcp knows nothing of.
fn list(answer: Answer, asked: &Asked<'_>, result: &[u8]) -> Answer {
    match written::answer(&asked.id, result) {
        Ok(text) => answer.map(|_| Full::from(text).boxed()),
        Err(error) => refused(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

fn accepts(headers: &HeaderMap, kind: &str) -> bool {
    let mut values = headers.get_all(ACCEPT).iter();
    values.any(|value| value.to_str().is_ok_and(|text| text.contains(kind)))
}

fn is_kind(headers: &HeaderMap, kind: &str) -> bool {
    let value = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    value.is_some_and(|value| value.starts_with(kind))
}

/// What went wrong is said as JSON, whoever says it.
async fn in_json(answer: Answer) -> Answer {
    let failed = answer.status().is_client_error() || answer.status().is_server_error();
    if !failed || is_kind(answer.headers(), "application/json") {
        return answer;
    }
    let (mut parts, body) = answer.into_parts();
    let Ok(body) = Box::pin(body.collect()).await;
    let why = String::from_utf8_lossy(&body.to_bytes()).into_owned();
    parts.headers.remove(CONTENT_LENGTH);
    let (kind, body) = refused(parts.status, &why).into_parts();
    parts.headers.extend(kind.headers);
    Response::from_parts(parts, body)
}

/// An error's own status, where that is wanted.
async fn with_status(answer: Answer) -> Answer {
    if answer.status() != StatusCode::OK || !is_kind(answer.headers(), "application/json") {
        return answer;
    }
    let (mut parts, body) = answer.into_parts();
    let Ok(body) = body.collect().await;
    let body = body.to_bytes();
    let code = serde_json::from_slice::<Value>(&body).ok();
    let code = code.and_then(|message| message["error"]["code"].as_i64());
    if let Some(code) = code {
        parts.status = message::mapped_status(code);
    }
    Response::from_parts(parts, Full::new(body).boxed())
}

/// For those who cannot read events: the answer alone, without the words that came before it.
async fn only_the_last(answer: Answer) -> Answer {
    if !is_kind(answer.headers(), EVENTS) {
        return answer;
    }
    let Ok(events) = answer.into_body().collect().await;
    let events = events.to_bytes();
    let text = String::from_utf8_lossy(&events);
    let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let mut messages = data.filter_map(|data| serde_json::from_str::<Value>(data).ok());
    let last = messages.rfind(|message| message.get("method").is_none());
    match last {
        Some(message) => super::answer::json(StatusCode::OK, &message),
        None => refused(StatusCode::INTERNAL_SERVER_ERROR, "there was no answer"),
    }
}
