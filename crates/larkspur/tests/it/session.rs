//! A legacy session over HTTP, and the events of its streams.

use crate::web::{Reply, Web, read_head, read_reply, written};
use crate::wire::PATIENCE;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Instant;

const BOTH: (&str, &str) = ("Accept", "application/json, text/event-stream");

pub(crate) struct Session<'w> {
    web: &'w Web,
    pub(crate) id: String,
    revision: &'static str,
}

/// The first request of a session.
#[track_caller]
pub(crate) fn initialize(web: &Web, revision: &str, capabilities: Value) -> Reply {
    let who = json!({"name": "t", "version": "1"});
    let params =
        json!({"protocolVersion": revision, "capabilities": capabilities, "clientInfo": who});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    web.post(&[BOTH], &message)
}

impl<'w> Session<'w> {
    #[track_caller]
    pub(crate) fn open(web: &'w Web, revision: &'static str, capabilities: Value) -> Self {
        let reply = initialize(web, revision, capabilities);
        let id = reply.is(200).header("mcp-session-id").unwrap().to_owned();
        let session = Self { web, id, revision };
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        session.post(&ready).is(202);
        session
    }

    /// Only newer revisions have a header for theirs.
    pub(crate) fn headers(&self) -> Vec<(&str, &str)> {
        let mut headers = vec![BOTH, ("Mcp-Session-Id", self.id.as_str())];
        if self.revision >= "2025-06-18" {
            headers.push(("MCP-Protocol-Version", self.revision));
        }
        headers
    }

    #[track_caller]
    pub(crate) fn post(&self, message: &Value) -> Reply {
        self.web.post(&self.headers(), message)
    }

    #[track_caller]
    pub(crate) fn ping(&self) -> Reply {
        self.post(&json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}))
    }

    #[track_caller]
    pub(crate) fn delete(&self) -> Reply {
        self.web.ask("DELETE", "/mcp", &self.headers(), "")
    }

    /// Sends a message; the response can be read while it goes on.
    pub(crate) fn send(&self, message: &Value) -> TcpStream {
        let mut headers = self.headers();
        headers.push(("Content-Type", "application/json"));
        self.written("POST", &headers, &message.to_string())
    }

    /// The stream with which a message is answered.
    #[track_caller]
    pub(crate) fn stream(&self, message: &Value) -> Events {
        Events::read(self.send(message))
    }

    /// The stream of what no request is answered with, or what follows an event.
    #[track_caller]
    pub(crate) fn listen(&self, last: Option<&str>) -> Events {
        let mut headers = self.headers();
        headers[0] = ("Accept", "text/event-stream");
        headers.extend(last.map(|last| ("Last-Event-ID", last)));
        Events::read(self.written("GET", &headers, ""))
    }

    fn written(&self, method: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = self.web.connect();
        let request = written(self.web.port, method, "/mcp", headers, body);
        stream.write_all(&request).unwrap();
        stream
    }
}

#[track_caller]
pub(crate) fn response(stream: TcpStream) -> Reply {
    read_reply(&mut BufReader::new(stream))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) id: Option<String>,
    /// Empty in a priming event.
    pub(crate) data: String,
}

impl Event {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

pub(crate) struct Events(BufReader<Unchunked>);

impl Events {
    #[track_caller]
    fn read(stream: TcpStream) -> Self {
        let mut reader = BufReader::new(stream);
        let (status, headers) = read_head(&mut reader);
        let kind = headers.iter().find(|(name, _)| name == "content-type");
        let kind = kind.map(|(_, kind)| kind.as_str());
        assert_eq!((status, kind), (200, Some("text/event-stream")), "{headers:?}");
        Self(BufReader::new(Unchunked { reader, left: 0 }))
    }

    /// The next event with an id or data, or `None` at the end.
    #[track_caller]
    pub(crate) fn next(&mut self) -> Option<Event> {
        let (mut id, mut data) = (None, None::<String>);
        // Comments keep a quiet stream alive for ever.
        let deadline = Instant::now() + PATIENCE;
        loop {
            assert!(Instant::now() < deadline, "waited in vain for an event");
            let mut line = String::new();
            if self.0.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            let line = line.trim_end_matches(['\r', '\n']);
            match line.split_once(':') {
                Some(("id", text)) => id = Some(text.trim_start().to_owned()),
                Some(("data", text)) => data = Some(text.trim_start().to_owned()),
                _ => {}
            }
            if line.is_empty() && (id.is_some() || data.is_some()) {
                let data = data.unwrap_or_default();
                return Some(Event { id, data });
            }
        }
    }

    /// The next event that is a message.
    #[track_caller]
    pub(crate) fn message(&mut self) -> Event {
        loop {
            let event = self.next().expect("the stream has ended");
            if !event.data.is_empty() {
                return event;
            }
        }
    }
}

/// The body of a response in chunks.
struct Unchunked {
    reader: BufReader<TcpStream>,
    /// Bytes of this chunk.
    left: usize,
}

impl Read for Unchunked {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.left == 0 {
            let mut line = String::new();
            if self.reader.read_line(&mut line)? == 0 {
                return Ok(0);
            }
            let size = line.trim();
            // The line end of the chunk before.
            if size.is_empty() {
                continue;
            }
            self.left = usize::from_str_radix(size, 16).unwrap();
            if self.left == 0 {
                return Ok(0);
            }
        }
        let most = buffer.len().min(self.left);
        let count = self.reader.read(&mut buffer[..most])?;
        self.left -= count;
        Ok(count)
    }
}
