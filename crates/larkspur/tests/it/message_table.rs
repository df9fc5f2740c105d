//! Every message of every revision has one reply, the same bytes over stdio and over HTTP.
//!
//! Nothing is normalized: HTTP's status and headers stand beside the bytes that are compared, and an event of a
//! stream is taken for its data. A client without a session writes the headers that its message implies.

use crate::messages::{Expected, Message, REVISIONS, table};
use crate::room::Room;
use crate::web::{MODERN, Reply, Web, read_reply, written};
use rmcp::model::{
    CallToolResult, CompleteResult, DiscoverResult, GetPromptResult, InitializeResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    ReadResourceResult, ServerJsonRpcMessage,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const GREET: &str = r#"
def hello(name: str) -> str:
    """Greet somebody."""
    return "hello " + name

def broken() -> str:
    """Fails."""
    fail("nothing works today")

def letter(to: str):
    """Write to somebody."""
    return "Write to " + to

def today():
    return "sunny"

def bad():
    fail("unreadable")

tool(hello)
tool(broken)
prompt(letter)
resource("greet://today", today)
resource("greet://bad", bad)
"#;

/// How a library speaks of itself.
const LIBRARY_WORDS: [&str; 10] = [
    "struct ",
    "rmcp",
    "serde",
    "expected a map",
    "CallToolRequestParams",
    "untagged",
    "invalid type",
    "duplicate field",
    "EOF",
    "expected ident",
];

/// A reply comes long before, or never.
const LATEST: Duration = Duration::from_secs(5);

fn room() -> Room {
    let room = Room::new();
    room.write("greet.star", GREET);
    room
}

fn initialize(revision: &str) -> Value {
    let who = json!({"name": "t", "version": "1"});
    json!({"jsonrpc": "2.0", "id": "opening", "method": "initialize",
        "params": {"protocolVersion": revision, "capabilities": {}, "clientInfo": who}})
}

/// A conversation over stdio that sends a message and counts what comes back for it.
struct StdioClient {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
    revision: &'static str,
}

impl StdioClient {
    fn start(room: &Room, revision: &'static str) -> Self {
        let mut child = room
            .larkspur(&["serve"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut lines = stdout.lines().map_while(Result::ok);
            lines.try_for_each(|line| sender.send(line))
        });
        let stdin = child.stdin.take().unwrap();
        let mut client = Self { child, stdin, lines, revision };
        client.open();
        client
    }

    fn open(&mut self) {
        if self.revision == MODERN {
            return;
        }
        self.write(initialize(self.revision).to_string().as_bytes());
        self.write(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        self.until("opening");
    }

    fn write(&mut self, line: &[u8]) {
        self.stdin.write_all(line).unwrap();
        self.stdin.write_all(b"\n").unwrap();
        self.stdin.flush().unwrap();
    }

    /// Replies up to the one with this id.
    fn until(&mut self, id: &str) -> Vec<String> {
        let mut replies = Vec::new();
        loop {
            let line = self.lines.recv_timeout(crate::wire::PATIENCE).unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return replies;
            }
            if message.get("method").is_none() {
                replies.push(line);
            }
        }
    }

    fn fence(&mut self) -> Vec<String> {
        self.write(br#"{"jsonrpc":"2.0","id":"fence","method":"ping"}"#);
        self.until("fence")
    }

    fn exchange(&mut self, message: &Message) -> Vec<String> {
        self.write(&message.bytes);
        let mut replies = self.fence();
        let deadline = Instant::now() + LATEST;
        while replies.is_empty()
            && message.expected != Expected::Nothing
            && Instant::now() < deadline
        {
            replies.extend(self.fence());
        }
        // It may have agreed on another revision.
        if message.method == "initialize" {
            self.open();
        }
        replies
    }

    /// Replies that came after everything was thought to be answered.
    fn rest(self) -> Vec<String> {
        let Self { mut child, stdin, lines, .. } = self;
        drop(stdin);
        let rest = lines.iter().collect();
        child.wait().unwrap();
        rest
    }
}

/// A client of one revision over HTTP.
struct HttpClient<'w> {
    web: &'w Web,
    session: Option<String>,
    revision: &'static str,
}

impl<'w> HttpClient<'w> {
    fn start(web: &'w Web, revision: &'static str) -> Self {
        let mut client = Self { web, session: None, revision };
        if revision != MODERN {
            let reply = client.send(initialize(revision).to_string().as_bytes(), Vec::new());
            let session = reply.is(200).header("mcp-session-id").unwrap();
            client.session = Some(session.to_owned());
            let ready = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
            client.send(ready, client.headers()).is(202);
        }
        client
    }

    /// Headers of a session; only newer revisions name themselves there.
    fn headers(&self) -> Vec<(&str, &str)> {
        let mut headers = Vec::new();
        if let Some(session) = &self.session {
            headers.push(("Mcp-Session-Id", session.as_str()));
            if self.revision >= "2025-06-18" {
                headers.push(("MCP-Protocol-Version", self.revision));
            }
        }
        headers
    }

    fn send(&self, body: &[u8], headers: Vec<(&str, &str)>) -> Reply {
        let length = body.len().to_string();
        let mut all = vec![
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Content-Length", &length),
        ];
        all.extend(headers);
        let mut request = written(self.web.port, "POST", "/mcp", &all, "");
        request.extend_from_slice(body);
        let mut stream = self.web.connect();
        stream.set_read_timeout(Some(LATEST)).unwrap();
        stream.write_all(&request).unwrap();
        // A request that is never answered is a problem of the table, not of the connection.
        match stream.peek(&mut [0]) {
            Ok(1) => read_reply(&mut BufReader::new(stream)),
            _ => Reply { status: 0, headers: Vec::new(), body: String::new() },
        }
    }

    fn exchange(&self, message: &Message) -> Reply {
        let headers = match (&message.revision, self.session.is_some()) {
            (Some(revision), _) => {
                let mut headers = vec![
                    ("MCP-Protocol-Version", revision.as_str()),
                    ("Mcp-Method", &message.method),
                ];
                if let Some(target) = &message.target {
                    headers.push(("Mcp-Name", target));
                }
                headers
            }
            (None, true) if message.method != "initialize" => self.headers(),
            (None, _) => Vec::new(),
        };
        self.send(&message.bytes, headers)
    }
}

/// Replies in the body of a response.
fn replies(reply: &Reply) -> Vec<String> {
    let is_stream = reply.header("content-type") == Some("text/event-stream");
    let texts: Vec<&str> = if is_stream {
        let lines = reply.body.lines();
        lines.filter_map(|line| line.strip_prefix("data:")).collect()
    } else {
        vec![&reply.body]
    };
    let texts = texts.iter().map(|text| text.trim());
    let is_reply = |text: &&str| {
        let message = serde_json::from_str::<Value>(text);
        !text.is_empty() && !message.is_ok_and(|message| message.get("method").is_some())
    };
    texts.filter(is_reply).map(str::to_owned).collect()
}

fn short(text: &str) -> String {
    text.chars().take(160).collect()
}

fn shorts(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| short(text)).collect();
    format!("{texts:?}")
}

/// What is wrong with the replies to a message.
fn problems(message: &Message, spoken: &[String], response: &Reply) -> Vec<String> {
    let mut problems = Vec::new();
    let posted = replies(response);
    if spoken != posted {
        problems.push(format!("stdio {}, HTTP {}", shorts(spoken), shorts(&posted)));
    }
    let is_silent = message.expected == Expected::Nothing;
    if is_silent != (response.status == 202) {
        problems.push(format!("status {}", response.status));
    }
    let is_unknown = message.revision.is_some() && message.expected == Expected::Error(-32601);
    if is_unknown && response.status != 404 {
        problems.push(format!("status {} of an unknown method", response.status));
    }
    if spoken.len() != usize::from(!is_silent) {
        problems.push(format!("{} replies over stdio", spoken.len()));
    }
    for text in spoken.iter().chain(&posted) {
        problems.extend(problem(message, text).map(|why| format!("{why}: {}", short(text))));
    }
    problems.dedup();
    problems
}

/// What is wrong with one reply.
fn problem(message: &Message, text: &str) -> Option<String> {
    if let Some(word) = LIBRARY_WORDS.iter().find(|word| text.contains(**word)) {
        return Some(format!("a library says `{word}`"));
    }
    let Ok(reply) = serde_json::from_str::<Value>(text) else {
        return Some("no JSON".to_owned());
    };
    if let Err(error) = serde_json::from_str::<ServerJsonRpcMessage>(text) {
        return Some(format!("rmcp cannot decode it, {error}"));
    }
    if reply.get("id") != Some(&message.id) {
        return Some(format!("expected the id {}", short(&message.id.to_string())));
    }
    let result = &reply["result"];
    match message.expected {
        Expected::Error(code) if reply["error"]["code"] != code => {
            Some(format!("expected error {code}"))
        }
        Expected::Error(_) => {
            let text = reply["error"]["message"].as_str().unwrap_or_default();
            let is_clear = !text.is_empty() && text.contains(&message.mentions);
            (!is_clear).then(|| format!("expected {:?} in the message", message.mentions))
        }
        Expected::Result if !result.is_object() => Some("expected a result".to_owned()),
        Expected::Result => {
            let modern = message.revision.as_ref().map(|_| "complete");
            let kind = result.get("resultType").and_then(Value::as_str);
            let decoded = decode(&message.method, result).err();
            let wrong = (kind != modern).then(|| format!("expected the result type {modern:?}"));
            decoded.or(wrong)
        }
        Expected::Nothing => None,
    }
}

/// Reads a result as rmcp's client does.
fn decode(method: &str, result: &Value) -> Result<(), String> {
    fn read<T: DeserializeOwned>(result: &Value) -> Result<(), String> {
        let read = serde_json::from_value::<T>(result.clone());
        read.map(drop).map_err(|error| format!("rmcp cannot decode the result, {error}"))
    }
    match method {
        "initialize" => read::<InitializeResult>(result),
        "server/discover" => read::<DiscoverResult>(result),
        "tools/list" => read::<ListToolsResult>(result),
        "tools/call" => read::<CallToolResult>(result),
        "prompts/list" => read::<ListPromptsResult>(result),
        "prompts/get" => read::<GetPromptResult>(result),
        "resources/list" => read::<ListResourcesResult>(result),
        "resources/templates/list" => read::<ListResourceTemplatesResult>(result),
        "resources/read" => read::<ReadResourceResult>(result),
        "completion/complete" => read::<CompleteResult>(result),
        _ => Ok(()),
    }
}

#[track_caller]
fn assert_none(problems: &[String]) {
    let listed = problems.len().min(400);
    let text = problems[..listed].join("\n");
    assert!(problems.is_empty(), "{} problems:\n{text}", problems.len());
}

fn check(revision: &'static str) {
    let spoken_room = room();
    let mut stdio = StdioClient::start(&spoken_room, revision);
    let web = Web::start(room(), &[]);
    let http = HttpClient::start(&web, revision);
    let mut found = Vec::new();
    for message in table(revision) {
        let spoken = stdio.exchange(&message);
        let response = http.exchange(&message);
        let problems = problems(&message, &spoken, &response);
        let label = short(&message.label);
        found.extend(problems.iter().map(|problem| format!("{label}\n    {problem}")));
    }
    let rest = stdio.rest();
    if !rest.is_empty() {
        found.push(format!("at the end, stdio {}", shorts(&rest)));
    }
    assert_none(&found);
}

#[test]
fn revision_2024_11_05_has_one_reply_on_both_transports() {
    check(REVISIONS[0]);
}

#[test]
fn revision_2025_03_26_has_one_reply_on_both_transports() {
    check(REVISIONS[1]);
}

#[test]
fn revision_2025_06_18_has_one_reply_on_both_transports() {
    check(REVISIONS[2]);
}

#[test]
fn revision_2025_11_25_has_one_reply_on_both_transports() {
    check(REVISIONS[3]);
}

#[test]
fn revision_2026_07_28_has_one_reply_on_both_transports() {
    check(REVISIONS[4]);
}

#[test]
fn the_table_is_large_and_its_labels_are_unique() {
    for revision in REVISIONS {
        let mut labels: Vec<String> = table(revision).into_iter().map(|row| row.label).collect();
        assert!(labels.len() >= 300, "{revision}: {}", labels.len());
        let count = labels.len();
        labels.sort();
        labels.dedup();
        assert_eq!(labels.len(), count, "{revision}");
    }
}

/// Where nothing streams, the response is plain JSON, in sessions as well.
#[test]
fn plain_requests_are_answered_as_json() {
    let web = Web::start(room(), &[]);
    let mut found = Vec::new();
    for revision in REVISIONS {
        let http = HttpClient::start(&web, revision);
        for message in table(revision) {
            if message.expected == Expected::Nothing {
                continue;
            }
            let response = http.exchange(&message);
            let kind = response.header("content-type");
            if kind != Some("application/json") {
                found.push(format!("{}: {kind:?}", short(&message.label)));
            }
        }
    }
    assert_none(&found);
}
