//! A served folder, as a chain of words: write, call, compare, edit, wait.

use crate::room::Room;
use crate::wire::{PATIENCE, Wire};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

pub(crate) const LIST_CHANGED: &str = "notifications/tools/list_changed";

/// How a client opens the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// `initialize` and `notifications/initialized`.
    Legacy,
    /// No opening; every request says its revision.
    Modern,
    /// No opening, and nothing said.
    Bare,
}

/// Starts when it is first spoken to: what is written before is there from the beginning.
pub(crate) struct Server {
    pub(crate) room: Room,
    opening: Opening,
    /// No folder is named: the usual ones are served.
    pub(crate) usual: bool,
    /// What the client says it can do.
    pub(crate) capabilities: Value,
    /// Further arguments of `larkspur serve`.
    pub(crate) flags: Vec<String>,
    wire: Option<Wire>,
    last_id: i64,
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::start_as(Opening::Legacy)
    }

    pub(crate) fn start_as(opening: Opening) -> Self {
        Self::start_in(Room::new(), opening)
    }

    pub(crate) fn start_in(room: Room, opening: Opening) -> Self {
        Self {
            room,
            opening,
            usual: false,
            capabilities: json!({}),
            flags: Vec::new(),
            wire: None,
            last_id: 0,
        }
    }

    pub(crate) fn module(&mut self, name: &str, source: &str) -> &mut Self {
        self.file(&format!("{name}.star"), source)
    }

    pub(crate) fn file(&mut self, file: &str, text: &str) -> &mut Self {
        self.room.write(file, text);
        self
    }

    /// A folder with a manifest: what it may do, and its code.
    pub(crate) fn folder(&mut self, name: &str, permissions: &str, source: &str) -> &mut Self {
        let head = format!("name = '{name}'\nversion = '1.0.0'\ndescription = 'd'\n");
        let manifest = format!("{head}[permissions]\n{permissions}\n");
        self.file(&format!("{name}/module.toml"), &manifest)
            .file(&format!("{name}/main.star"), source)
    }

    /// The same as `module`, where it reads better.
    pub(crate) fn edit(&mut self, name: &str, source: &str) -> &mut Self {
        self.module(name, source)
    }

    pub(crate) fn remove(&mut self, file: &str) -> &mut Self {
        self.room.remove(file);
        self
    }

    pub(crate) fn rename(&mut self, from: &str, to: &str) -> &mut Self {
        self.room.rename(from, to);
        self
    }

    pub(crate) fn wire(&mut self) -> &mut Wire {
        if self.wire.is_none() {
            let folder = self.room.modules();
            let args = ["serve", "--modules", folder.to_str().unwrap()];
            let args = if self.usual { &args[..1] } else { &args };
            let flags = self.flags.iter().map(String::as_str);
            let args: Vec<&str> = args.iter().copied().chain(flags).collect();
            self.wire = Some(Wire::spawn(&self.room, &args));
            if self.opening == Opening::Legacy {
                let who = json!({"name": "it", "version": "1"});
                let can = self.capabilities.clone();
                let params = json!({"protocolVersion": "2025-11-25", "capabilities": can, "clientInfo": who});
                self.request("initialize", params).result();
                self.notify("notifications/initialized", json!({}));
            }
        }
        self.wire.as_mut().unwrap()
    }

    /// Makes sure that it runs.
    pub(crate) fn up(&mut self) -> &mut Self {
        self.request("tools/list", json!({})).result();
        self
    }

    /// Sends a request and does not wait; the id to ask for.
    pub(crate) fn send(&mut self, method: &str, params: Value) -> i64 {
        self.wire();
        self.last_id += 1;
        let params = self.dressed(params);
        let message =
            json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params});
        self.wire().send(message.to_string().as_bytes());
        self.last_id
    }

    pub(crate) fn send_call(&mut self, tool: &str, arguments: Value) -> i64 {
        self.send("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// A modern request carries its revision.
    fn dressed(&self, mut params: Value) -> Value {
        if self.opening == Opening::Modern && params.is_object() {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
                self.capabilities.clone();
        }
        params
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) -> &mut Self {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.line(message.to_string().as_bytes())
    }

    pub(crate) fn line(&mut self, line: &[u8]) -> &mut Self {
        self.wire().send(line);
        self
    }

    #[track_caller]
    pub(crate) fn answer(&mut self, id: impl Into<Value>) -> Answer<'_> {
        let message = self.wire().answer(&id.into());
        Answer { server: self, message }
    }

    #[track_caller]
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Answer<'_> {
        let id = self.send(method, params);
        self.answer(id)
    }

    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Answer<'_> {
        let id = self.send_call(tool, arguments);
        self.answer(id)
    }

    /// Names in the list, in its order.
    #[track_caller]
    pub(crate) fn tools(&mut self) -> Vec<String> {
        let result = self.request("tools/list", json!({})).result();
        let tools = result["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    #[track_caller]
    pub(crate) fn lists(&mut self, names: &[&str]) -> &mut Self {
        assert_eq!(self.tools(), names);
        self
    }

    /// Waits to be told of another list.
    #[track_caller]
    pub(crate) fn changed(&mut self) -> &mut Self {
        self.wire().notification(LIST_CHANGED);
        self
    }

    /// Nothing about another list has been said, up to this request's answer.
    #[track_caller]
    pub(crate) fn not_told(&mut self) -> &mut Self {
        self.up();
        let told = self.wire().notified(LIST_CHANGED);
        assert_eq!(told, None, "the list changed without need");
        self
    }

    /// Calls until the answer is this.
    #[track_caller]
    pub(crate) fn until(&mut self, tool: &str, arguments: Value, text: &str) -> &mut Self {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let message = self.call(tool, arguments.clone()).message;
            if is_body(body_of(&message["result"]), text) {
                return self;
            }
            if Instant::now() > deadline {
                self.wire().fail(&format!("{tool} never answered {text}, at last {message}"));
            }
            self.wire().pump(Instant::now() + Duration::from_millis(5));
        }
    }

    /// What `larkspur status` would be told.
    #[track_caller]
    pub(crate) fn status(&mut self) -> Value {
        let pid = self.wire().pid();
        status_of(&self.room, pid)
    }

    /// Asks until the status is as wanted.
    #[track_caller]
    pub(crate) fn status_until(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let status = self.status();
            if wanted(&status) {
                return status;
            }
            if Instant::now() > deadline {
                self.wire().fail(&format!("never {what}, at last {status:#}"));
            }
            self.wire().pump(Instant::now() + Duration::from_millis(2));
        }
    }

    /// Looks, while the server goes on, until there is something.
    #[track_caller]
    pub(crate) fn wait_until<T>(&mut self, what: &str, look: impl Fn() -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = look() {
                return found;
            }
            if Instant::now() > deadline {
                self.wire().fail(&format!("never {what}"));
            }
            self.wire().pump(Instant::now() + Duration::from_millis(2));
        }
    }

    #[track_caller]
    pub(crate) fn reloads(&mut self) -> u64 {
        self.status()["reloads"].as_u64().unwrap()
    }

    /// Waits until this is on stderr.
    #[track_caller]
    pub(crate) fn warned(&mut self, part: &str) -> &mut Self {
        self.wire().warned(part);
        self
    }

    /// The client leaves; the server must end well, and within this.
    #[track_caller]
    pub(crate) fn leave_within(&mut self, patience: Duration) -> &mut Self {
        let (status, took) = self.wire().close();
        if status.code() != Some(0) || took > patience {
            self.wire().fail(&format!("ended with {status} after {took:?}"));
        }
        self
    }

    /// The room, for the next server in it.
    pub(crate) fn leave_room(&mut self) -> Room {
        std::mem::replace(&mut self.room, Room::without("nowhere"))
    }

    /// Kilobytes of memory in use.
    pub(crate) fn rss(&mut self) -> u64 {
        self.memory("VmRSS:")
    }

    /// Kilobytes of memory in use at its peak.
    pub(crate) fn peak_memory(&mut self) -> u64 {
        self.memory("VmHWM:")
    }

    fn memory(&mut self, field: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.wire().pid()));
        let status = status.unwrap();
        let line = status.lines().find(|line| line.starts_with(field));
        line.and_then(|line| line.split_whitespace().nth(1))
            .and_then(|kilobytes| kilobytes.parse().ok())
            .unwrap()
    }
}

/// What `larkspur status` would be told of this server, asked in the same way.
#[track_caller]
pub(crate) fn status_of(room: &Room, pid: u32) -> Value {
    let socket = room.path().join(format!("run/larkspur/{pid}.sock"));
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(b"\"status\"\n").unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    let mut reply: Value = serde_json::from_str(&line).unwrap();
    reply["status"].take()
}

/// One answer, and the server to go on with.
pub(crate) struct Answer<'a> {
    server: &'a mut Server,
    pub(crate) message: Value,
}

/// The text of a result, without the line that names its notation.
pub(crate) fn body_of(result: &Value) -> &str {
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    let lines = ["(json)\n", "(text)\n"];
    let body = lines.iter().find_map(|line| text.strip_prefix(line));
    body.unwrap_or(text)
}

/// Whether a body is this text, or this list in JSON.
fn is_body(body: &str, expected: &str) -> bool {
    match serde_json::from_str(expected) {
        Ok(Value::Array(items)) if body != expected => list_of(body) == items,
        _ => body == expected,
    }
}

/// The items of a list that is written in JSON, or in TOON without commas in its texts.
pub(crate) fn list_of(body: &str) -> Vec<Value> {
    if let Ok(Value::Array(items)) = serde_json::from_str(body) {
        return items;
    }
    let cells = |line: &str| -> Vec<Value> {
        let cells = line.trim().split(',');
        let cells = cells.map(|cell| serde_json::from_str(cell).unwrap_or_else(|_| cell.into()));
        cells.collect()
    };
    let Some((head, rest)) = body.split_once(':') else {
        return vec![body.into()];
    };
    let Some((_, columns)) = head.split_once('{') else {
        return cells(rest);
    };
    let columns: Vec<&str> = columns.trim_end_matches('}').split(',').collect();
    let row = |line: &str| -> Value {
        let cells = columns.iter().zip(cells(line));
        cells.map(|(column, cell)| ((*column).to_owned(), cell)).collect()
    };
    rest.lines().skip(1).map(row).collect()
}

impl<'a> Answer<'a> {
    fn text_of(&self) -> &str {
        body_of(&self.message["result"])
    }

    /// The tool answered exactly this.
    #[track_caller]
    pub(crate) fn text(self, expected: &str) -> &'a mut Server {
        assert_eq!(self.message["result"]["isError"], false, "{:#}", self.message);
        let text = self.text_of();
        assert!(is_body(text, expected), "{text}\nis not {expected}");
        self.server
    }

    /// The tool said error, with this in it.
    #[track_caller]
    pub(crate) fn fails(self, part: &str) -> &'a mut Server {
        assert_eq!(self.message["result"]["isError"], true, "{:#}", self.message);
        assert!(self.text_of().contains(part), "{:#}", self.message);
        self.server
    }

    /// The server refused the request, with this code and this in its message.
    #[track_caller]
    pub(crate) fn refused(self, code: i32, part: &str) -> &'a mut Server {
        let error = &self.message["error"];
        assert_eq!(error["code"], code, "{:#}", self.message);
        assert!(error["message"].as_str().unwrap().contains(part), "{error:#}");
        self.server
    }

    #[track_caller]
    pub(crate) fn result(self) -> Value {
        let result = self.message.get("result").cloned();
        result.unwrap_or_else(|| panic!("no result: {:#}", self.message))
    }
}

/// A module with one tool that greets with this word.
pub(crate) fn greeting(word: &str) -> String {
    format!("def hello(name: str) -> str:\n    return \"{word} \" + name\ntool(hello)\n")
}

/// The same, listed with a description.
pub(crate) fn described(word: &str, description: &str) -> String {
    format!(
        "def hello(name: str) -> str:\n    \"\"\"{description}\"\"\"\n    return \"{word} \" + name\ntool(hello)\n"
    )
}

/// A module with one tool of this name that answers with this text.
pub(crate) fn saying(tool: &str, text: &str) -> String {
    format!("def {tool}() -> str:\n    return \"{text}\"\ntool({tool})\n")
}

pub(crate) fn ada() -> Value {
    json!({"name": "ada"})
}
