//! A server on a port of its own, and requests written by hand, so that every header is known.

use crate::room::Room;
use crate::wire::{PATIENCE, Wire};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::Instant;

pub(crate) const MODERN: &str = "2026-07-28";

pub(crate) struct Web {
    pub(crate) room: Room,
    pub(crate) wire: Wire,
    pub(crate) port: u16,
}

/// What came back, whole.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Web {
    /// Serves the room over HTTP, with further flags.
    pub(crate) fn start(room: Room, flags: &[&str]) -> Self {
        let modules = room.modules().to_str().unwrap().to_owned();
        let mut args = vec!["serve", "--modules", &modules];
        if !flags.contains(&"--port") {
            args.extend(["-p", "0"]);
        }
        if !flags.contains(&"--transport") {
            args.push("--http");
        }
        args.extend(flags);
        let mut wire = Wire::spawn(&room, &args);
        let port = listening(&mut wire);
        Self { room, wire, port }
    }

    pub(crate) fn signal(&self, name: &str) {
        let pid = self.wire.pid().to_string();
        let sent = Command::new("kill").args(["-s", name, &pid]).status();
        assert!(sent.unwrap().success());
    }

    /// It says so, or has ended.
    pub(crate) fn is_ending(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else {
            return true;
        };
        let asked = stream.write_all(b"GET /health/ready HTTP/1.0\r\nHost: localhost\r\n\r\n");
        let mut reply = String::new();
        let heard = asked.and_then(|()| stream.read_to_string(&mut reply));
        heard.is_err() || !reply.contains(" 200 ")
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// The bytes of a request, sent; what comes back is read to its end.
    #[track_caller]
    pub(crate) fn raw(&self, request: &[u8]) -> Reply {
        let mut stream = self.connect();
        // A server that has heard enough may close before all of it was sent.
        let _ = stream.write_all(request);
        read_reply(&mut BufReader::new(stream))
    }

    #[track_caller]
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Reply {
        self.raw(&written(self.port, method, path, headers, body))
    }

    #[track_caller]
    pub(crate) fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, &[], "")
    }

    /// A POST as curl sends it: no version, no session.
    #[track_caller]
    pub(crate) fn plain(&self, message: &Value) -> Reply {
        self.post(&[], message)
    }

    #[track_caller]
    pub(crate) fn post(&self, headers: &[(&str, &str)], message: &Value) -> Reply {
        let mut all = vec![("Content-Type", "application/json")];
        all.extend(headers);
        self.ask("POST", "/mcp", &all, &message.to_string())
    }

    /// A request of the modern era, with headers that say what its body says.
    #[track_caller]
    pub(crate) fn modern(&self, method: &str, params: Value) -> Reply {
        let message = modern(method, params);
        let name = message["params"]["name"].as_str();
        let name = name.or_else(|| message["params"]["uri"].as_str());
        let name = name.unwrap_or_default().to_owned();
        let mut headers = vec![
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", method),
        ];
        if !name.is_empty() {
            headers.push(("Mcp-Name", &name));
        }
        self.post(&headers, &message)
    }
}

/// The port, once the server says that it listens.
pub(crate) fn listening(wire: &mut Wire) -> u16 {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let stderr = wire.stderr();
        let found = stderr.split_once("listening on http://");
        let address = found.and_then(|(_, rest)| rest.split_once("/mcp"));
        if let Some((address, _)) = address {
            let port = address.rsplit(':').next().unwrap();
            return port.parse().unwrap();
        }
        assert!(Instant::now() < deadline, "it never listened: {stderr}");
        wire.pump(Instant::now() + std::time::Duration::from_millis(5));
    }
}

/// A message that says its era.
pub(crate) fn modern(method: &str, params: Value) -> Value {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

pub(crate) fn written(
    port: u16,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Vec<u8> {
    let mut lines = vec![format!("{method} {path} HTTP/1.1")];
    let names = |name: &str| headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
    if !names("Host") {
        lines.push(format!("Host: localhost:{port}"));
    }
    if !names("Content-Length") && !names("Transfer-Encoding") && method != "GET" {
        lines.push(format!("Content-Length: {}", body.len()));
    }
    lines.push("Connection: close".into());
    lines.extend(headers.iter().map(|(name, value)| format!("{name}: {value}")));
    format!("{}\r\n\r\n{body}", lines.join("\r\n")).into_bytes()
}

#[track_caller]
pub(crate) fn read_reply(stream: &mut impl BufRead) -> Reply {
    let (status, headers) = read_head(stream);
    let mut body = Vec::new();
    // A server that has refused a body may close before all of it was sent.
    let _ = stream.read_to_end(&mut body);
    let chunked =
        headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    if chunked {
        body = unchunked(&body);
    }
    Reply { status, headers, body: String::from_utf8(body).unwrap() }
}

#[track_caller]
pub(crate) fn read_head(stream: &mut impl BufRead) -> (u16, Vec<(String, String)>) {
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).unwrap_or_else(|| panic!("no status in {line:?}"));
    let status = status.parse().unwrap();
    let mut headers = Vec::new();
    loop {
        line.clear();
        stream.read_line(&mut line).unwrap();
        match line.trim_end().split_once(": ") {
            Some((name, value)) => headers.push((name.to_ascii_lowercase(), value.to_owned())),
            None => return (status, headers),
        }
    }
}

fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|pair| pair == b"\r\n") {
        let size = std::str::from_utf8(&rest[..end]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        let from = end + 2;
        if size == 0 || rest.len() < from + size {
            break;
        }
        body.extend_from_slice(&rest[from..from + size]);
        rest = &rest[from + size + 2..];
    }
    body
}

impl Reply {
    #[track_caller]
    pub(crate) fn is(&self, status: u16) -> &Self {
        assert_eq!(self.status, status, "{self:#?}");
        self
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    #[track_caller]
    pub(crate) fn code(&self) -> i64 {
        let json = self.json();
        json["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {self:#?}"))
    }

    /// The messages of a stream, or the one that came without.
    pub(crate) fn events(&self) -> Vec<Value> {
        if self.header("content-type") == Some("application/json") {
            return vec![self.json()];
        }
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data:"));
        data.filter_map(|data| serde_json::from_str(data.trim()).ok()).collect()
    }
}

/// A stream that goes on, read line by line.
pub(crate) struct Stream {
    reader: BufReader<TcpStream>,
    /// Nothing streams: the body is the one message.
    is_json: bool,
}

impl Stream {
    #[track_caller]
    pub(crate) fn open(web: &Web, request: &[u8]) -> Self {
        let mut stream = web.connect();
        stream.write_all(request).unwrap();
        let mut reader = BufReader::new(stream);
        let (status, headers) = read_head(&mut reader);
        assert_eq!(status, 200, "{headers:?}");
        let json = ("content-type".to_owned(), "application/json".to_owned());
        let is_json = headers.contains(&json);
        Self { reader, is_json }
    }

    /// The next message, or `None` at the end.
    #[track_caller]
    pub(crate) fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.reader.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            let data = if self.is_json {
                Some(line.trim())
            } else {
                line.trim_end().strip_prefix("data:").map(str::trim)
            };
            if let Some(message) = data.and_then(|data| serde_json::from_str(data).ok()) {
                return Some(message);
            }
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.reader.read(buffer)
    }
}
