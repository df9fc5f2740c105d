//! A small blocking MCP client over the pipes of a child process.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};

use super::contender::Contender;
use super::era::Era;
use super::patient::Patient;
use super::stop::stop;
use super::usage::{self, Usage};

pub(super) struct Client {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<Patient>,
    stderr: File,
    line: Vec<u8>,
    pub(super) era: Era,
    next_id: u64,
}

impl Client {
    /// Starts the server on the modules in `folder`; nothing is said yet.
    pub(super) fn spawn(contender: &Contender, folder: &Path, era: Era) -> Result<Self> {
        Self::spawn_with(contender, folder, era, &[])
    }

    fn spawn_with(contender: &Contender, folder: &Path, era: Era, flags: &[&str]) -> Result<Self> {
        let stderr = tempfile::tempfile().context("no place for the server's stderr")?;
        let mut child = Command::new(&contender.program)
            .args(&contender.script)
            .args(["serve", "--modules"])
            .arg(folder)
            .args(flags)
            .envs(contender.environment.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr.try_clone()?)
            .spawn()
            .with_context(|| format!("cannot start {}", contender.program.display()))?;
        let stdin = child.stdin.take().context("no stdin")?;
        let stdout = Patient(child.stdout.take().context("no stdout")?);
        let stdout = BufReader::with_capacity(1 << 16, stdout);
        Ok(Self { child, stdin, stdout, stderr, line: Vec::new(), era, next_id: 0 })
    }

    /// Starts the server and gets through the first exchange.
    pub(super) fn connect(contender: &Contender, folder: &Path, era: Era) -> Result<Self> {
        Self::connect_with(contender, folder, era, &[])
    }

    pub(super) fn connect_with(
        contender: &Contender,
        folder: &Path,
        era: Era,
        flags: &[&str],
    ) -> Result<Self> {
        let mut client = Self::spawn_with(contender, folder, era, flags)?;
        client.open()?;
        Ok(client)
    }

    pub(super) fn open(&mut self) -> Result<()> {
        let (method, params) = self.era.opening();
        self.request(method, params)?;
        match self.era.opened() {
            Some(notification) => self.send(notification.as_bytes()),
            None => Ok(()),
        }
    }

    /// The result of one request; notifications on the way are passed over.
    pub(super) fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        let id = self.id();
        let (head, tail) = self.era.request(method, params);
        self.send(format!("{head}{id}{tail}").as_bytes())?;
        loop {
            let mut message: Value = serde_json::from_str(self.receive()?).context("not JSON")?;
            if message["id"] == json!(id) {
                return result(&mut message).with_context(|| format!("`{method}` failed"));
            }
        }
    }

    /// The text a tool answers with.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<String> {
        let result = self.request("tools/call", json!({"name": tool, "arguments": arguments}))?;
        let blocks = result["content"].as_array().into_iter().flatten();
        let texts: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
        if texts.is_empty() || result["isError"] == json!(true) {
            bail!("`{tool}` answered {}", excerpt(&result));
        }
        Ok(texts.concat())
    }

    /// All tools, over all pages.
    pub(super) fn tools(&mut self) -> Result<Vec<Value>> {
        let mut params = json!({});
        let mut tools = Vec::new();
        loop {
            let mut page = self.request("tools/list", params)?;
            if let Value::Array(more) = page["tools"].take() {
                tools.extend(more);
            }
            match page["nextCursor"].take() {
                Value::Null => return Ok(tools),
                cursor => params = json!({ "cursor": cursor }),
            }
        }
    }

    pub(super) fn id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    pub(super) fn send(&mut self, bytes: &[u8]) -> Result<()> {
        let sent = self.stdin.write_all(bytes);
        sent.map_err(|error| self.last_words(&error))
    }

    /// The next line, whatever it is.
    pub(super) fn receive(&mut self) -> Result<&str> {
        self.line.clear();
        match self.stdout.read_until(b'\n', &mut self.line) {
            Ok(0) => Err(self.last_words(&io::ErrorKind::UnexpectedEof.into())),
            Ok(_) => std::str::from_utf8(&self.line).context("not UTF-8"),
            Err(error) => Err(self.last_words(&error)),
        }
    }

    /// Whether `receive` would answer from what is already read.
    pub(super) fn has_line(&self) -> bool {
        self.stdout.buffer().contains(&b'\n')
    }

    pub(super) fn usage(&self) -> Result<Usage> {
        Usage::of(self.child.id())
    }

    pub(super) fn stop(mut self) -> Result<()> {
        stop(&mut self.child)
    }

    pub(super) fn rss(&self) -> Result<f64> {
        usage::rss(self.child.id())
    }

    /// An error of the pipes says little; what the server printed last often says why.
    fn last_words(&mut self, error: &io::Error) -> anyhow::Error {
        let mut printed = String::new();
        let read = self
            .stderr
            .seek(SeekFrom::Start(0))
            .and_then(|_| self.stderr.read_to_string(&mut printed));
        let last = printed.trim_end().lines().next_back().unwrap_or_default();
        match read {
            Ok(1..) => anyhow!("no word from the server ({error}); its last on stderr: {last}"),
            _ => anyhow!("no word from the server ({error})"),
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Nothing is left to lose, and there is nobody to tell.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn result(message: &mut Value) -> Result<Value> {
    match message["result"].take() {
        Value::Null => bail!("{}", excerpt(&message["error"])),
        result => Ok(result),
    }
}

/// As much of an unexpected answer as fits into a table.
pub(super) fn excerpt(message: &Value) -> String {
    message.to_string().chars().take(300).collect()
}
