//! A client that answers questions, by either door and in either era.

use crate::fixture::{Opening, Server};
use crate::room::Room;
use crate::web::{MODERN, Stream, Web, modern, written};
use crate::wire::PATIENCE;
use serde_json::{Map, Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Door {
    Stdio(Era),
    Http(Era),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

pub(crate) const DOORS: [Door; 4] = [
    Door::Stdio(Era::Legacy),
    Door::Stdio(Era::Modern),
    Door::Http(Era::Legacy),
    Door::Http(Era::Modern),
];

impl Door {
    pub(crate) fn is_modern(self) -> bool {
        matches!(self, Self::Stdio(Era::Modern) | Self::Http(Era::Modern))
    }
}

/// Everything that a client can be asked.
pub(crate) fn all_abilities() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}})
}

pub(crate) enum Client {
    Stdio(Server, Era),
    Session(Web, String),
    Modern(Web, Value),
}

const BOTH: (&str, &str) = ("Accept", "application/json, text/event-stream");
const QUESTIONS: [&str; 3] = ["elicitation/create", "sampling/createMessage", "roots/list"];

impl Client {
    pub(crate) fn start(room: Room, door: Door, capabilities: Value) -> Self {
        match door {
            Door::Stdio(era) => {
                let opening = match era {
                    Era::Legacy => Opening::Legacy,
                    Era::Modern => Opening::Modern,
                };
                let mut server = Server::start_in(room, opening);
                server.capabilities = capabilities;
                Self::Stdio(server, era)
            }
            Door::Http(Era::Modern) => Self::Modern(Web::start(room, &[]), capabilities),
            Door::Http(Era::Legacy) => {
                let web = Web::start(room, &[]);
                let who = json!({"name": "c", "version": "1"});
                let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                    "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": who}});
                let reply = web.post(&[BOTH], &hello);
                let session = reply.is(200).header("mcp-session-id").unwrap().to_owned();
                let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
                web.post(&[BOTH, ("Mcp-Session-Id", &session)], &ready).is(202);
                Self::Session(web, session)
            }
        }
    }

    /// Makes a request and answers what it leads to; the answer, and the questions in their order.
    pub(crate) fn talk(
        &mut self,
        method: &str,
        params: Value,
        answer: fn(&Value) -> Value,
    ) -> (Value, Vec<Value>) {
        let mut asked = Vec::new();
        match self {
            Self::Stdio(server, Era::Legacy) => {
                let id = server.send(method, params).to_string();
                loop {
                    let said = server.wire().wait("an answer or a question", |wire| {
                        let question = QUESTIONS.iter().find_map(|method| wire.notified(method));
                        question.or_else(|| wire.answered(&id))
                    });
                    if said.get("method").is_none() {
                        return (said, asked);
                    }
                    let reply =
                        json!({"jsonrpc": "2.0", "id": said["id"], "result": answer(&said)});
                    server.line(reply.to_string().as_bytes());
                    asked.push(said);
                }
            }
            Self::Stdio(server, Era::Modern) => {
                let send = |params| server.request(method, params).message;
                in_rounds(params, answer, send)
            }
            Self::Modern(web, capabilities) => {
                let send = |params| post_modern(web, method, params, capabilities);
                in_rounds(params, answer, send)
            }
            Self::Session(web, session) => {
                let headers = [
                    BOTH,
                    ("Content-Type", "application/json"),
                    ("Mcp-Session-Id", session.as_str()),
                    ("MCP-Protocol-Version", "2025-11-25"),
                ];
                let message =
                    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
                let request = written(web.port, "POST", "/mcp", &headers, &message.to_string());
                let mut stream = Stream::open(web, &request);
                // Questions come on the stream of the request that they are for.
                while let Some(said) = stream.next() {
                    if said.get("method").is_none() {
                        return (said, asked);
                    }
                    let reply =
                        json!({"jsonrpc": "2.0", "id": said["id"], "result": answer(&said)});
                    let body = reply.to_string();
                    web.ask("POST", "/mcp", &headers, &body).is(202);
                    asked.push(said);
                }
                panic!("the stream ended without an answer, after {asked:#?}");
            }
        }
    }
}

impl Client {
    /// Makes one request; whatever it leads to is the answer.
    pub(crate) fn once(&mut self, method: &str, params: Value) -> Value {
        match self {
            Self::Stdio(server, _) => server.request(method, params).message,
            Self::Modern(web, capabilities) => post_modern(web, method, params, capabilities),
            Self::Session(..) => panic!("sessions have streams: use talk"),
        }
    }

    /// Ends the server as its door does, and gives back the room.
    pub(crate) fn leave(self) -> Room {
        match self {
            Self::Stdio(mut server, _) => server.leave_within(PATIENCE).leave_room(),
            Self::Modern(mut web, _) | Self::Session(mut web, _) => {
                web.signal("TERM");
                while !web.is_ending() {}
                // What was begun is not waited for.
                web.signal("TERM");
                let (status, _) = web.wire.ended();
                assert!(status.success(), "{status}");
                web.room
            }
        }
    }
}

fn post_modern(web: &Web, method: &str, params: Value, capabilities: &Value) -> Value {
    let mut message = modern(method, params);
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
    let params = &message["params"];
    let name = ["name", "uri", "taskId"].iter();
    let name = name.clone().find_map(|key| params[key].as_str());
    let name = name.unwrap_or_default().to_owned();
    let headers =
        [BOTH, ("MCP-Protocol-Version", MODERN), ("Mcp-Method", method), ("Mcp-Name", &name)];
    web.post(&headers, &message).json()
}

/// Makes the request again with the answers, until there is nothing left to ask.
fn in_rounds(
    params: Value,
    answer: fn(&Value) -> Value,
    mut send: impl FnMut(Value) -> Value,
) -> (Value, Vec<Value>) {
    let mut asked = Vec::new();
    let mut said = send(params.clone());
    while said["result"]["resultType"] == "input_required" {
        let questions = said["result"]["inputRequests"].as_object().unwrap();
        let responses: Map<String, Value> =
            questions.iter().map(|(key, question)| (key.clone(), answer(question))).collect();
        asked.extend(questions.values().cloned());
        let mut again = params.clone();
        again["inputResponses"] = Value::Object(responses);
        again["requestState"] = said["result"]["requestState"].clone();
        said = send(again);
    }
    (said, asked)
}
