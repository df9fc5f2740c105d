//! The results that the server sends, asked for directly over stdio.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::serving::Serving;

const TIME_LIMIT: Duration = Duration::from_mins(1);

/// A result as the server sends it.
#[derive(Debug)]
pub(crate) struct Sent {
    /// Text of each content block; an image is `[image]`.
    pub(crate) blocks: Vec<String>,
    pub(crate) structured: Option<Value>,
    pub(crate) is_error: bool,
}

/// A session with the server under test.
pub(crate) struct Reference {
    server: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    requests: u64,
}

impl Reference {
    pub(crate) fn start(serving: &Serving) -> Result<Self> {
        let mut command = serving.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = command.stderr(Stdio::null()).spawn()?;
        let input = server.stdin.take().context("no stdin")?;
        let output = BufReader::new(server.stdout.take().context("no stdout")?);
        let (sender, lines) = channel();
        thread::spawn(move || {
            let mut lines = output.lines().map_while(Result::ok);
            // Ends with the session or with the server.
            lines.all(|line| sender.send(line).is_ok())
        });
        let mut session = Self { server, input, lines, requests: 0 };
        let client = json!({"name": "reference", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        session.request("initialize", &params)?;
        session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(session)
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Sent> {
        let params = json!({"name": tool, "arguments": arguments});
        let response = self.request("tools/call", &params)?;
        if let Some(error) = response.get("error") {
            bail!("the server rejects the call of {tool}: {error}");
        }
        let result = &response["result"];
        let blocks = result["content"].as_array().context("no content")?;
        Ok(Sent {
            blocks: blocks.iter().map(block).collect(),
            structured: result.get("structuredContent").cloned(),
            is_error: result["isError"] == true,
        })
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let line = self.lines.recv_timeout(TIME_LIMIT);
            let line = line.with_context(|| format!("the server did not answer {method}"))?;
            let message: Value = serde_json::from_str(&line)?;
            if message["id"] == id {
                return Ok(message);
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        Ok(writeln!(self.input, "{message}")?)
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn block(block: &Value) -> String {
    match block["text"].as_str() {
        Some(text) => text.to_owned(),
        None if block["type"] == "image" => "[image]".to_owned(),
        None => block.to_string(),
    }
}
