//! `/mcp`: messages by POST, events of a session by GET, its end by DELETE.

use super::admission::AdmittedRequest;
use super::body::{self, MessageBody};
use super::events::{BodyGuards, EventBody, KEEP_ALIVE, ResponseStream, StreamItem, StreamItems};
use super::headers::{self, EVENTS};
use super::response::{self, JSON, ServerResponse, empty, refused, rpc_error};
use super::router::not_allowed;
use super::sessions::{LocalSessions, Session, SessionStore};
use super::status;
use crate::auth::Login;
use crate::context::RequestCx;
use crate::dispatch;
use crate::large::LARGE;
use crate::lifecycle::receive_notification;
use crate::reply::{Reply, ReplyEnd};
use crate::revision::Revision;
use crate::rpc::{self, ClientResponse, Message, Refusal};
use crate::shared::Shared;
use axum::body::Body;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::request::Parts;
use http::{Method, StatusCode};
use hyper::body::Incoming;
use model::{Caller, Door};
use rmcp::ErrorData;
use rmcp::model::ErrorCode;
use serde_json::value::RawValue;
use settings::Errors;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument;

pub(crate) struct McpEndpoint {
    pub(super) shared: Arc<Shared>,
    pub(super) login: Login,
    pub(super) sessions: Box<dyn SessionStore>,
    hung_up: CancellationToken,
    pub(super) tracker: TaskTracker,
}

impl McpEndpoint {
    pub(crate) fn new(shared: &Arc<Shared>, settings: &super::HttpSettings) -> Self {
        Self {
            shared: Arc::clone(shared),
            login: settings.login.clone(),
            sessions: Box::new(LocalSessions::new(settings.sessions.clone())),
            hung_up: CancellationToken::new(),
            tracker: TaskTracker::new(),
        }
    }

    /// Ends streams that would never end by themselves.
    pub(crate) fn hang_up(&self) {
        self.hung_up.cancel();
    }

    /// Ends sessions that were not used for long.
    pub(crate) fn sweep(&self) {
        self.sessions.sweep();
    }

    pub(crate) async fn answer(
        self: &Arc<Self>,
        request: http::Request<Incoming>,
        caller: Caller,
    ) -> ServerResponse {
        if self.shared.ending.is_cancelled() {
            return refused(StatusCode::SERVICE_UNAVAILABLE, "the server is shutting down");
        }
        let (parts, body) = request.into_parts();
        match parts.method {
            Method::POST => self.post(parts, body, caller).await,
            Method::GET | Method::DELETE if headers::is_modern(&parts.headers) => {
                not_allowed("POST, OPTIONS")
            }
            Method::GET => self.connect(&parts.headers, &caller),
            Method::DELETE => self.delete(&parts.headers, &caller),
            _ => not_allowed("GET, POST, DELETE, OPTIONS"),
        }
    }

    /// The events of a session.
    fn connect(&self, headers: &HeaderMap, caller: &Caller) -> ServerResponse {
        if !headers::accepts(headers, EVENTS) {
            let why = format!("GET is answered by events: accept {EVENTS}");
            return refused(StatusCode::NOT_ACCEPTABLE, &why);
        }
        match self.required_session(headers, caller, "GET") {
            Ok(session) => {
                let last_event = headers::text(headers, &headers::LAST_EVENT);
                let items = session.connect(last_event);
                self.events(items, Some(caller), BodyGuards::default())
            }
            Err(response) => response,
        }
    }

    fn delete(&self, headers: &HeaderMap, caller: &Caller) -> ServerResponse {
        match self.required_session(headers, caller, "DELETE") {
            Ok(session) => {
                self.sessions.remove(&session);
                empty(StatusCode::NO_CONTENT)
            }
            Err(response) => response,
        }
    }

    fn required_session(
        &self,
        headers: &HeaderMap,
        caller: &Caller,
        method: &str,
    ) -> Result<Arc<Session>, ServerResponse> {
        headers::check_revision(headers)?;
        headers::check_single(headers, None)?;
        let session = self.session(headers, caller, method, None)?;
        session.ok_or_else(|| {
            let why = "the header Mcp-Session-Id is missing";
            refused(StatusCode::BAD_REQUEST, why)
        })
    }

    async fn post(
        self: &Arc<Self>,
        parts: Parts,
        body: Incoming,
        caller: Caller,
    ) -> ServerResponse {
        if let Err(response) = headers::check_content(&parts.headers) {
            return response;
        }
        let tracked = self.tracker.token();
        let limit = self.shared.message_bytes;
        let text = match body::read(&parts.headers, body, limit).await {
            Ok(MessageBody::Whole(text)) => text,
            Ok(MessageBody::TooLong(id)) => return body::too_long(limit, id.as_ref()),
            Err(response) => return response,
        };
        let guards = BodyGuards { _tracked: Some(tracked), cancel: None };
        if text.len() <= LARGE {
            return self.receive(&parts.headers, &text, caller, guards).await;
        }
        let this = Arc::clone(self);
        // Dropped, and so cancelled, when the client disconnects.
        let mut work = JoinSet::new();
        let answer = async move { this.receive(&parts.headers, &text, caller, guards).await };
        self.shared.large.spawn(&mut work, answer);
        match work.join_next().await {
            Some(Ok(response)) => response,
            _ => refused(StatusCode::INTERNAL_SERVER_ERROR, "the request ended without a response"),
        }
    }

    async fn receive(
        self: &Arc<Self>,
        headers: &HeaderMap,
        text: &[u8],
        caller: Caller,
        guards: BodyGuards,
    ) -> ServerResponse {
        if let Some(batch) = rpc::split_batch(text) {
            return match batch {
                Ok(messages) => self.receive_batch(headers, &messages, caller).await,
                Err(refusal) => self.refuse(&refusal),
            };
        }
        let message = match rpc::parse(text) {
            Ok(message) => message,
            Err(refusal) => return self.refuse(&refusal),
        };
        let received = match message {
            Message::Request(request) => match self.admit(headers, request, caller) {
                Ok(admitted) => return self.run(admitted, guards).await,
                Err(response) => Err(*response),
            },
            message => self.take(headers, message, &caller),
        };
        match received {
            Ok(()) => empty(StatusCode::ACCEPTED),
            Err(response) => response,
        }
    }

    /// Takes a message that has no response.
    fn take(
        &self,
        headers: &HeaderMap,
        message: Message,
        caller: &Caller,
    ) -> Result<(), ServerResponse> {
        let method = match &message {
            Message::Notification(notification) => notification.method.as_str(),
            _ => "",
        };
        headers::check_single(headers, None)?;
        headers::check_revision(headers)?;
        let session = if headers::is_modern(headers) {
            None
        } else {
            self.session(headers, caller, method, None)?
        };
        match (message, session) {
            (Message::Notification(notification), Some(session)) => {
                receive_notification(notification, &self.shared, &session.peer);
                Ok(())
            }
            (Message::Response(response), session) => take_response(response, session.as_deref()),
            (Message::Notification(_), None) => Ok(()),
            (Message::Nothing | Message::Request(_), _) => {
                let why = "this is not JSON: the body is empty";
                let error = ErrorData::parse_error(why, None);
                Err(rpc_error(StatusCode::BAD_REQUEST, None, &error))
            }
        }
    }

    /// Answers the messages of a batch one after the other.
    async fn receive_batch(
        self: &Arc<Self>,
        headers: &HeaderMap,
        messages: &[&RawValue],
        caller: Caller,
    ) -> ServerResponse {
        let session = match self.session(headers, &caller, "", None) {
            Ok(session) => session,
            Err(response) => return response,
        };
        let agreed = session.as_ref().and_then(|session| session.peer.revision());
        let revision = agreed.unwrap_or_else(|| headers::revision(headers));
        if !revision.has_batches() {
            return self.refuse(&rpc::no_batches());
        }
        let mut replies = Vec::new();
        for message in messages {
            match rpc::parse_in_batch(message) {
                Ok(Message::Request(request)) => match self.admit(headers, request, caller.clone())
                {
                    Ok(mut admitted) => {
                        admitted.takes_events = false;
                        let response = self.run(admitted, BodyGuards::default()).await;
                        replies.extend(body::collect(response).await);
                    }
                    Err(response) => replies.extend(body::collect(*response).await),
                },
                // Nothing waits for a response to these.
                Ok(message) => drop(self.take(headers, message, &caller)),
                Err(refusal) => replies.push(refusal.reply().into()),
            }
        }
        if replies.is_empty() {
            return empty(StatusCode::ACCEPTED);
        }
        response::text(StatusCode::OK, JSON, rpc::join_batch(&replies))
    }

    /// Runs a request in a task of its own, and sends what comes of it: JSON where nothing is streamed
    /// before the response, else events.
    async fn run(
        self: &Arc<Self>,
        admitted: AdmittedRequest,
        mut guards: BodyGuards,
    ) -> ServerResponse {
        let is_initialize = admitted.request.method == "initialize";
        if is_initialize && admitted.takes_events {
            return self.begin_session(admitted).await;
        }
        let rule = status::Rule::of(&admitted.request, self.shared.errors);
        let caller =
            (admitted.request.method == "subscriptions/listen").then(|| admitted.caller.clone());
        let (takes_events, id) = (admitted.takes_events, admitted.request.id.clone());
        let (stream, mut items) = match &admitted.session {
            Some(session) => session.open_stream(),
            None => ResponseStream::new(None),
        };
        let cancel = self.shared.abort.child_token();
        if let Err(response) = self.spawn(admitted, &stream, &cancel) {
            return response;
        }
        // A request without a session ends when its client hangs up.
        let cancel = stream.is_alone().then(|| cancel.drop_guard());
        guards.cancel = cancel;
        let silence = tokio::time::sleep(KEEP_ALIVE);
        tokio::pin!(silence);
        let first = tokio::select! {
            biased;
            item = items.next() => item,
            () = self.hung_up.cancelled() => {
                let error = ErrorData::internal_error("cut off: the server is shutting down", None);
                return rpc_error(StatusCode::SERVICE_UNAVAILABLE, Some(&id), &error);
            }
            () = &mut silence, if takes_events => {
                stream.open();
                return self.events(items, caller.as_ref(), guards);
            }
        };
        match first {
            Some(StreamItem::Reply(reply)) => rule.respond(&id, &reply),
            Some(StreamItem::Event(event)) => {
                let items = items.preceded_by(event);
                self.events(items, caller.as_ref(), guards)
            }
            // It was cancelled, and gets no response.
            None => self.events(items, caller.as_ref(), guards),
        }
    }

    /// Answers in a task of its own: a script that holds up a thread must not hold up the connection.
    fn spawn(
        self: &Arc<Self>,
        admitted: AdmittedRequest,
        stream: &Arc<ResponseStream>,
        cancel: &CancellationToken,
    ) -> Result<(), ServerResponse> {
        let AdmittedRequest { mut request, caller, revision, session, takes_events } = admitted;
        let id = request.id.clone();
        let peer = session.map(|session| Arc::clone(&session.peer));
        if let Some(peer) = &peer
            && peer.in_flight.begin(&request, cancel.clone()).is_none()
        {
            let why = format!("the id {id} is in use: its request has no response yet");
            let error = ErrorData::invalid_request(why, None);
            stream.abort();
            return Err(rpc_error(StatusCode::BAD_REQUEST, Some(&id), &error));
        }
        let finish = {
            let (peer, stream, id) = (peer.clone(), Arc::clone(stream), id.clone());
            move |reply: Reply| match &peer {
                None => stream.finish(reply),
                Some(peer) => {
                    if !peer.in_flight.end(&id, || stream.finish(reply)) {
                        stream.abort();
                    }
                }
            }
        };
        let late = finish.clone();
        let closing = peer
            .as_ref()
            .map_or_else(|| self.shared.ending.child_token(), |peer| peer.closing.clone());
        let cx = RequestCx {
            shared: Arc::clone(&self.shared),
            id,
            meta: std::mem::take(&mut request.params.meta),
            caller,
            transport: Door::Http,
            revision,
            peer,
            sink: takes_events.then(|| Arc::clone(stream) as _),
            cancel: cancel.clone(),
            closing,
            late: Arc::new(late),
        };
        let work = async move { finish(dispatch::handle(request, cx).await) };
        tokio::spawn(work.in_current_span());
        Ok(())
    }

    async fn begin_session(self: &Arc<Self>, admitted: AdmittedRequest) -> ServerResponse {
        let AdmittedRequest { mut request, caller, .. } = admitted;
        let asked = request.params.name("protocolVersion").unwrap_or_default();
        let revision = Revision::agree(asked);
        let session = match self.sessions.new_id() {
            Ok(id) => Session::new(id, &self.shared, &caller, revision),
            Err(why) => return refused(StatusCode::INTERNAL_SERVER_ERROR, &why),
        };
        let id = request.id.clone();
        let rule = status::Rule::of(&request, self.shared.errors);
        let cx = RequestCx {
            shared: Arc::clone(&self.shared),
            id: id.clone(),
            meta: std::mem::take(&mut request.params.meta),
            caller,
            transport: Door::Http,
            revision: None,
            peer: Some(Arc::clone(&session.peer)),
            sink: None,
            cancel: CancellationToken::new(),
            closing: session.peer.closing.clone(),
            late: Arc::new(|_| {}),
        };
        let reply = dispatch::handle(request, cx).await;
        if reply.end != ReplyEnd::Ok {
            return rule.respond(&id, &reply);
        }
        if !self.sessions.add(&session) {
            let why = "all sessions of this caller, or of the server, are answering requests \
                       (`sessions_per_caller` and `sessions` under [server]); try again later";
            let error = ErrorData::internal_error(why, None);
            return rpc_error(StatusCode::SERVICE_UNAVAILABLE, Some(&id), &error);
        }
        let mut response = rule.respond(&id, &reply);
        if let Ok(value) = HeaderValue::from_str(&session.id) {
            response.headers_mut().insert(headers::SESSION, value);
        }
        response
    }

    /// A body of events; `caller` is given where the stream has to end with the caller's token.
    fn events(
        &self,
        items: StreamItems,
        caller: Option<&Caller>,
        guards: BodyGuards,
    ) -> ServerResponse {
        let until = caller.and_then(|caller| caller.until);
        let left =
            until.map(|until| until.duration_since(SystemTime::now()).unwrap_or(Duration::ZERO));
        let body = EventBody::new(items, left, &self.hung_up, guards);
        let mut response = ServerResponse::new(Body::new(body));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(EVENTS));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        // Asks proxies to pass events on at once.
        headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
        response
    }

    fn refuse(&self, refusal: &Refusal) -> ServerResponse {
        // A bare 400 makes clients think of an old server, so bad params have status 200.
        let status = match (refusal.error.code, self.shared.errors) {
            (ErrorCode::INVALID_PARAMS, Errors::Mcp) => StatusCode::OK,
            _ => StatusCode::BAD_REQUEST,
        };
        rpc_error(status, refusal.id.as_ref(), &refusal.error)
    }
}

fn take_response(
    response: ClientResponse,
    session: Option<&Session>,
) -> Result<(), ServerResponse> {
    match session {
        Some(session) => {
            session.peer.answer_question(response);
            Ok(())
        }
        None => {
            let why = "a response needs the session in which its request was sent";
            let error = ErrorData::invalid_request(why, None);
            Err(rpc_error(StatusCode::BAD_REQUEST, None, &error))
        }
    }
}
