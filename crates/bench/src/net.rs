//! A small blocking MCP client over HTTP: one thread, and connections that stay open.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::call::Cost;
use super::contender::Contender;
use super::era::Era;
use super::stop::stop;
use super::usage::Usage;

const PATIENCE: Duration = Duration::from_secs(30);

pub(super) struct Net {
    child: Child,
    port: u16,
    connections: Vec<BufReader<TcpStream>>,
    pub(super) era: Era,
    session: Option<String>,
    next_id: u64,
    /// The answer that was read last.
    body: Vec<u8>,
}

/// One request, sent over and over with ids of its own.
pub(super) struct Post<'a> {
    pub(super) method: &'a str,
    /// Of the tool, if it is about one.
    pub(super) name: Option<&'a str>,
    pub(super) params: Value,
    /// What every answer holds.
    pub(super) expected: &'a str,
}

impl Post<'_> {
    pub(super) fn hello() -> Self {
        Self {
            method: "tools/call",
            name: Some("hello"),
            params: json!({"name": "hello", "arguments": {"name": "ada"}}),
            expected: "\"hello ada\"",
        }
    }
}

impl Net {
    /// Starts the server on the modules in `folder`, and gets through the first exchange.
    pub(super) fn connect(contender: &Contender, folder: &Path, era: Era) -> Result<Self> {
        let mut child = Command::new(&contender.program)
            .args(&contender.script)
            .args(["serve", "--http", "-p", "0", "--modules"])
            .arg(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", contender.program.display()))?;
        let stderr = child.stderr.take().context("no stderr")?;
        let port = port(&mut BufReader::new(stderr));
        let mut net = Self {
            child,
            port: 0,
            connections: Vec::new(),
            era,
            session: None,
            next_id: 0,
            body: Vec::new(),
        };
        net.port = port?;
        net.open(1)?;
        net.begin()?;
        Ok(net)
    }

    /// Sends requests without a session from now on.
    pub(super) fn leave_session(&mut self) {
        self.session = None;
    }

    /// Uses so many connections from now on.
    pub(super) fn open(&mut self, count: usize) -> Result<()> {
        self.connections.clear();
        for _ in 0..count {
            let stream = TcpStream::connect(self.address())?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            self.connections.push(BufReader::new(stream));
        }
        Ok(())
    }

    fn begin(&mut self) -> Result<()> {
        let (method, params) = self.era.opening();
        let post = Post { method, name: None, params, expected: "\"result\"" };
        self.send(0, &post)?;
        self.session = self.receive(0, &post)?;
        if let Some(notification) = self.era.opened() {
            ensure!(self.session.is_some(), "no session was begun");
            let head = self.head("notifications/initialized", None);
            let request = with_body(&head, notification.trim_end());
            let connection = &mut self.connections[0];
            connection.get_mut().write_all(request.as_bytes())?;
            let (status, _) = read_answer(connection, &mut self.body)?;
            ensure!(status == 202, "`notifications/initialized`: status {status}");
        }
        Ok(())
    }

    pub(super) fn connections(&self) -> usize {
        self.connections.len()
    }

    /// Sends it so often, over all connections at once, and weighs that.
    pub(super) fn weigh(&mut self, post: &Post<'_>, times: u32) -> Result<Cost> {
        let before = Usage::of(self.child.id())?;
        let start = Instant::now();
        self.repeat(post, times)?;
        let wall = start.elapsed();
        let cpu = Usage::of(self.child.id())?.since(&before);
        Ok(Cost::new(cpu, wall, times))
    }

    pub(super) fn repeat(&mut self, post: &Post<'_>, times: u32) -> Result<()> {
        let mut left = usize::try_from(times)?;
        while left > 0 {
            let together = self.connections.len().min(left);
            for index in 0..together {
                self.send(index, post)?;
            }
            for index in 0..together {
                self.receive(index, post)?;
            }
            left -= together;
        }
        Ok(())
    }

    pub(super) fn stop(mut self) -> Result<()> {
        stop(&mut self.child)
    }

    fn send(&mut self, index: usize, post: &Post<'_>) -> Result<()> {
        let request = self.request(post);
        let connection = self.connections[index].get_mut();
        Ok(connection.write_all(request.as_bytes())?)
    }

    /// The next request as it is sent.
    pub(super) fn request(&mut self, post: &Post<'_>) -> String {
        self.next_id += 1;
        let (head, tail) = self.era.request(post.method, post.params.clone());
        let body = format!("{head}{}{}", self.next_id, tail.trim_end());
        with_body(&self.head(post.method, post.name), &body)
    }

    /// Where the server listens.
    pub(super) fn address(&self) -> (&'static str, u16) {
        ("127.0.0.1", self.port)
    }

    /// Waits for the answer; the session it names, if it does.
    fn receive(&mut self, index: usize, post: &Post<'_>) -> Result<Option<String>> {
        let (status, session) = read_answer(&mut self.connections[index], &mut self.body)?;
        let body = std::str::from_utf8(&self.body)?;
        let message = message(body);
        if status == 200 && message.is_some_and(|text| text.contains(post.expected)) {
            return Ok(session);
        }
        let short: String = message.unwrap_or(body).chars().take(300).collect();
        bail!("`{}`: status {status}, {short}", post.method)
    }

    fn head(&self, method: &str, name: Option<&str>) -> String {
        let port = self.port;
        let mut head = format!(
            "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\n"
        );
        let more = match (self.era, &self.session, name) {
            (Era::Modern, _, None) => {
                format!("mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n")
            }
            (Era::Modern, _, Some(name)) => format!(
                "mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\nmcp-name: {name}\r\n"
            ),
            (Era::Legacy, Some(session), _) => {
                format!("mcp-protocol-version: 2025-11-25\r\nmcp-session-id: {session}\r\n")
            }
            (Era::Legacy, None, _) => String::new(),
        };
        head.push_str(&more);
        head
    }
}

fn with_body(head: &str, body: &str) -> String {
    let length = body.len();
    format!("{head}content-length: {length}\r\n\r\n{body}")
}

/// One answer, as JSON or as a stream of events; its status and session.
pub(super) fn read_answer(
    connection: &mut impl BufRead,
    body: &mut Vec<u8>,
) -> Result<(u16, Option<String>)> {
    let status = line(connection)?;
    let status = status.split(' ').nth(1).context("no status")?.parse()?;
    let (mut length, mut session) = (None, None);
    loop {
        let line = line(connection)?;
        let Some((name, value)) = line.split_once(": ") else {
            break;
        };
        match name {
            "content-length" => length = Some(value.parse()?),
            "mcp-session-id" => session = Some(value.to_owned()),
            _ => {}
        }
    }
    body.clear();
    match length {
        Some(length) => take(connection, length, body)?,
        None => chunks(connection, body)?,
    }
    Ok((status, session))
}

/// The last message of an answer: its body, or the data of an event.
fn message(body: &str) -> Option<&str> {
    if body.trim_start().starts_with('{') {
        return Some(body);
    }
    let mut data = body.lines().filter_map(|line| line.strip_prefix("data:"));
    data.rfind(|data| data.contains('{')).map(str::trim_start)
}

impl Drop for Net {
    fn drop(&mut self) {
        // Nothing is left to lose, and there is nobody to tell.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn port(stderr: &mut impl BufRead) -> Result<u16> {
    loop {
        let line = line(stderr).context("the server has ended")?;
        let address = line.split_once("listening on http://").map(|(_, rest)| rest);
        let Some(address) = address else { continue };
        let (_, port) = address.trim_end_matches("/mcp").rsplit_once(':').context("no port")?;
        return Ok(port.parse()?);
    }
}

fn line(reader: &mut impl BufRead) -> Result<String> {
    let mut line = String::new();
    ensure!(reader.read_line(&mut line)? > 0, "the connection has ended");
    Ok(line.trim_end().to_owned())
}

fn take(reader: &mut impl Read, length: usize, body: &mut Vec<u8>) -> Result<()> {
    let from = body.len();
    body.resize(from + length, 0);
    Ok(reader.read_exact(&mut body[from..])?)
}

fn chunks(reader: &mut impl BufRead, body: &mut Vec<u8>) -> Result<()> {
    loop {
        let length = usize::from_str_radix(&line(reader)?, 16)?;
        take(reader, length, body)?;
        line(reader).or_else(|error| if length == 0 { Ok(String::new()) } else { Err(error) })?;
        if length == 0 {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_json_or_a_stream() {
        let stream = "1c\r\ndata: \nid: 0/0\nretry: 3000\n\n\r\n3\r\n:\n\n\r\n\
                      18\r\ndata: {\"id\":7}\nid: 1/0\n\n\r\n0\r\n\r\n";
        let json = "{\"id\":7}";
        for (head, body) in [
            ("content-length: 8", json.to_owned()),
            ("transfer-encoding: chunked", stream.to_owned()),
        ] {
            let answer = format!("HTTP/1.1 200 OK\r\nmcp-session-id: s\r\n{head}\r\n\r\n{body}");
            let mut body = Vec::new();
            let read = read_answer(&mut answer.as_bytes(), &mut body).unwrap();
            assert_eq!(read, (200, Some("s".to_owned())));
            assert_eq!(message(std::str::from_utf8(&body).unwrap()), Some(json));
        }
    }
}
