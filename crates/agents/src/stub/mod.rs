//! A stub model on loopback: records every request and answers by a script.

mod anthropic;
mod chat;
mod conversation;
mod gemini;
mod responses;
mod turn;

use std::convert::Infallible;
use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use bytes::Bytes;
use http_body_util::{BodyExt, Collected, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

pub(crate) use conversation::{Conversation, Outcome, OwnCall, ToolCall, Wish};
use turn::{Body, Reply, Turn};

pub(crate) struct Stub {
    /// Serves requests until it is dropped.
    _runtime: Runtime,
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct State {
    conversation: Conversation,
    /// Folder of the recorded requests.
    records: PathBuf,
    requests: usize,
}

impl Stub {
    pub(crate) fn start(conversation: Conversation, records: PathBuf) -> Result<Self> {
        fs::create_dir_all(&records)?;
        let state = Arc::new(Mutex::new(State { conversation, records, requests: 0 }));
        let runtime = Runtime::new()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        runtime.spawn(serve(listener, Arc::clone(&state)));
        Ok(Self { _runtime: runtime, address, state })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Outcomes of the wishes, and the tools that the client listed first.
    pub(crate) fn outcomes(&self) -> (Vec<Outcome>, Vec<String>) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let conversation = &state.conversation;
        (conversation.outcomes().to_vec(), conversation.listed().to_vec())
    }
}

async fn serve(listener: TcpListener, state: Arc<Mutex<State>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let state = Arc::clone(&state);
        tokio::spawn(async move {
            let service = service_fn(|request| respond(request, &state));
            let connection = http1::Builder::new();
            // A client that disconnects has what it wants.
            let _ = connection.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn respond(
    request: Request<Incoming>,
    state: &Mutex<State>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let path = request.uri().path().to_owned();
    let body = request.into_body().collect().await;
    let body = body.map(Collected::to_bytes).unwrap_or_default();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    state.record(&path, &body);
    let answer = state.answer(&path, &body);
    let status = if answer.is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND };
    let unknown =
        || Body::json(&json!({"error": {"message": "unknown path", "type": "not_found"}}));
    let body = answer.unwrap_or_else(unknown);
    let mut response = Response::new(Full::from(body.text));
    *response.status_mut() = status;
    let kind = hyper::header::HeaderValue::from_static(body.content_type);
    response.headers_mut().insert(hyper::header::CONTENT_TYPE, kind);
    Ok(response)
}

impl State {
    /// A record that cannot be written is only missed by those who look for the cause of a failure.
    fn record(&mut self, path: &str, body: &Value) {
        self.requests += 1;
        let file = self.records.join(format!("{:03}.json", self.requests));
        let record = json!({"path": path, "body": body});
        let _ = fs::write(file, format!("{record:#}\n"));
    }

    /// The response to a request, or `None` for a path that no API has.
    fn answer(&mut self, path: &str, body: &Value) -> Option<Body> {
        let number = self.requests;
        let mut reply = |turn: &Turn| -> Reply { self.conversation.answer(turn) };
        let body = match path {
            _ if path.ends_with("/count_tokens") => Body::json(&json!({"input_tokens": 100})),
            _ if path.ends_with(":countTokens") => Body::json(&json!({"totalTokens": 100})),
            _ if path.ends_with("/messages") => {
                anthropic::write(body, &reply(&anthropic::read(body)), number)
            }
            _ if path.ends_with("/responses") => {
                responses::write(body, &reply(&responses::read(body)), number)
            }
            _ if path.ends_with("/chat/completions") => {
                chat::write(body, &reply(&chat::read(body)), number)
            }
            _ if path.ends_with("enerateContent") => {
                let streams = path.ends_with(":streamGenerateContent");
                gemini::write(streams, body, &reply(&gemini::read(body)), number)
            }
            _ if path.ends_with("/models") => {
                Body::json(&json!({"object": "list", "data": [], "models": []}))
            }
            _ => return None,
        };
        Some(body)
    }
}
