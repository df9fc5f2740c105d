//! Starts a server as a client would, and asks it what it has.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the room that starts what was put into a client's file"
)]

use crate::launch::Launch;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A revision that every client of today speaks.
const REVISION: &str = "2025-06-18";
/// How much of what a server says on stderr is shown.
const LAST_LINES: usize = 6;
/// How long a server that nobody listens to has before it is ended.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// What a server said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub name: String,
    pub version: String,
    pub tools: usize,
    pub took: Duration,
}

/// Starts it in a folder, which a client chooses as it likes. The error says why there is no answer.
pub fn probe(launch: &Launch, folder: &Path, patience: Duration) -> Result<Answer, String> {
    let begun = Instant::now();
    let child = Command::new(&launch.command)
        .args(&launch.args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let child = child.map_err(|error| format!("cannot start {}: {error}", launch.command))?;
    let mut running = Running::new(child, begun + patience);
    let answer = running.talk(begun);
    let said = running.end();
    answer.map_err(|why| format!("{why}{said}"))
}

struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Receiver<String>,
    deadline: Instant,
}

impl Running {
    fn new(mut child: Child, deadline: Instant) -> Self {
        Self {
            stdin: child.stdin.take(),
            lines: lines_of(child.stdout.take()),
            errors: lines_of(child.stderr.take()),
            child,
            deadline,
        }
    }

    fn talk(&mut self, begun: Instant) -> Result<Answer, String> {
        let hello = json!({
            "protocolVersion": REVISION,
            "capabilities": {},
            "clientInfo": {"name": "larkspur-install", "version": env!("CARGO_PKG_VERSION")},
        });
        self.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}))?;
        let server = self.result(1)?["serverInfo"].take();
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        self.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}))?;
        let tools = self.result(2)?;
        let text = |key: &str| server[key].as_str().unwrap_or_default().to_owned();
        Ok(Answer {
            name: text("name"),
            version: text("version"),
            tools: tools["tools"].as_array().map_or(0, Vec::len),
            took: begun.elapsed(),
        })
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        let stdin = self.stdin.as_mut().ok_or("it does not listen")?;
        let sent = writeln!(stdin, "{message}").and_then(|()| stdin.flush());
        sent.map_err(|_| "it ended before it answered".to_owned())
    }

    /// The result of a request; what else the server says is passed over.
    fn result(&mut self, id: u64) -> Result<Value, String> {
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).map_err(|end| match end {
                RecvTimeoutError::Timeout => "it did not answer in time".to_owned(),
                RecvTimeoutError::Disconnected => "it ended before it answered".to_owned(),
            })?;
            let message: Result<Value, _> = serde_json::from_str(&line);
            let mut message =
                message.map_err(|_| format!("it said `{line}`, which is no message"))?;
            if message["id"] != id {
                continue;
            }
            if let Some(why) = message["error"]["message"].as_str() {
                return Err(format!("it answered with an error: {why}"));
            }
            if !message["result"].is_object() {
                return Err("it answered without a result".to_owned());
            }
            return Ok(message["result"].take());
        }
    }

    /// Lets it go, and answers the last it said on stderr.
    fn end(mut self) -> String {
        self.stdin = None;
        // A server that is left alone ends; one that does not is ended.
        until_closed(&self.lines);
        let _ = self.child.kill();
        let _ = self.child.wait();
        let said = until_closed(&self.errors);
        let last = &said[said.len().saturating_sub(LAST_LINES)..];
        std::iter::once("").chain(last.iter().map(String::as_str)).collect::<Vec<_>>().join("\n  ")
    }
}

/// What is left of a stream, for as long as one waits for an end.
fn until_closed(lines: &Receiver<String>) -> Vec<String> {
    let deadline = Instant::now() + LAST_WORDS;
    let left = || deadline.saturating_duration_since(Instant::now());
    std::iter::from_fn(|| lines.recv_timeout(left()).ok()).collect()
}

/// The lines of a stream, read on a thread, since reading waits.
fn lines_of(stream: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (send, lines) = channel();
    thread::spawn(move || {
        let lines = stream.into_iter().flat_map(|stream| BufReader::new(stream).lines());
        for line in lines.map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    lines
}
