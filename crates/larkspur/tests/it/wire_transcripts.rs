//! Transcripts of the protocol in `tests/wire`: each request is made on both transports and in both eras, by
//! 2025-11-25 in a session and by 2026-07-28, and has one response.
//!
//! A transcript is read line by line:
//! - `--- FILE` begins a file of the server's folder, such as `modules/a.star` or `larkspur.toml`, and `--- env` its
//!   variables. `--- FILE = OTHER` copies, a file without lines is removed, and a `module.toml` without a name gets
//!   what one must say.
//! - `=== TITLE` says what the next requests show. If files have changed since, another server starts with them.
//!   After `+++ TITLE` the same one goes on, and the first request is made until it shows what it should.
//! - `> METHOD PARAMS` is a request; lines that begin with two spaces continue it. `call TOOL ARGUMENTS`,
//!   `get PROMPT ARGUMENTS` and `read URI` are short forms, `status` asks as `larkspur status` does, and `$ COMMAND`
//!   is run by a shell.
//!   ` | a * b` at its end shows this part of the result alone; `*` stands for every item.
//! - `< LINE` is a line of the response, in which `[..]` stands for any text. `<!` begins an error of a tool,
//!   `<!!` an error of the protocol, `<~` a notification that comes before the response, and `< ---` another block.
//! - `stdio`, `http`, `legacy` and `modern` before `>` or `<` restrict a line to one transport or era.
//! - `# TEXT` is a comment.
//!
//! `UPDATE_EXPECT=1` writes the responses as they are. What only one era has in every result is compared here.

use crate::fixture::status_of;
use crate::room::Room;
use crate::session::Session;
use crate::transcript::fits;
use crate::web::{MODERN, Web, modern};
use crate::wire::PATIENCE;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use std::{fs, thread};

const LEGACY: &str = "2025-11-25";
const BOTH: (&str, &str) = ("Accept", "application/json, text/event-stream");

/// A transport and an era.
type Way = [&'static str; 2];

const WAYS: [Way; 4] =
    [["stdio", "legacy"], ["stdio", "modern"], ["http", "legacy"], ["http", "modern"]];

fn is_of(way: Way, markers: &str) -> bool {
    markers.split_whitespace().all(|marker| way.contains(&marker))
}

/// The markers before a sign, and the rest of the line.
fn split(line: &str, sign: char) -> Option<(&str, &str)> {
    let is_marker = |word: &str| word.is_empty() || WAYS.iter().any(|way| way.contains(&word));
    line.split_once(sign).filter(|(markers, _)| markers.split(' ').all(is_marker))
}

/// A server on both transports, with an open session on each.
struct Served {
    web: Web,
    session: String,
    last_id: i64,
}

impl Served {
    fn start(room: Room) -> Self {
        let mut web = Web::start(room, &["--transport", "stdio,http"]);
        let session = Session::open(&web, LEGACY, json!({})).id;
        let who = json!({"name": "t", "version": "1"});
        let params = json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": who});
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        web.wire.send(hello.to_string().as_bytes());
        web.wire.answer(&json!(0));
        web.wire.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        Self { web, session, last_id: 0 }
    }

    /// Messages that come for a request, the response last.
    fn exchange(&mut self, [transport, era]: Way, method: &str, params: &str) -> Vec<Value> {
        self.last_id += 1;
        let id = self.last_id;
        let is_modern = era == "modern";
        let params = if is_modern { with_meta(params) } else { params.to_owned() };
        let message =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        if transport == "stdio" {
            self.web.wire.send(message.as_bytes());
            let response = self.web.wire.answer(&json!(id));
            let mut messages = self.web.wire.take_notifications();
            messages.push(response);
            return messages;
        }
        let params: Value = serde_json::from_str(&params).unwrap_or_default();
        let target = ["name", "uri"].iter().find_map(|member| params[member].as_str());
        let mut headers = vec![("Content-Type", "application/json"), BOTH];
        if is_modern {
            headers.extend([("MCP-Protocol-Version", MODERN), ("Mcp-Method", method)]);
            headers.extend(target.map(|target| ("Mcp-Name", target)));
        } else if method != "initialize" {
            headers.extend([("MCP-Protocol-Version", LEGACY), ("Mcp-Session-Id", &self.session)]);
        }
        self.web.ask("POST", "/mcp", &headers, &message).events()
    }

    /// The lines that show what a request leads to.
    fn lines(&mut self, way: Way, request: &str) -> Vec<String> {
        let (request, path) = request.rsplit_once(" | ").unwrap_or((request, ""));
        if request == "status" {
            let status = status_of(&self.web.room, self.web.wire.pid());
            return shown(&json!({"result": status}), path);
        }
        let (method, params) = method_and_params(request);
        let messages = self.exchange(way, &method, &params);
        let mut lines = Vec::new();
        for message in &messages {
            match message["method"].as_str() {
                None => lines.extend(shown(message, path)),
                Some(of @ ("notifications/progress" | "notifications/message")) => {
                    lines.push(format!("~ {of} {}", message["params"]));
                }
                Some(_) => {}
            }
        }
        let result = messages.last().and_then(|message| message.get("result"));
        lines.extend(result.and_then(|result| wrong_era(way[1] == "modern", &method, result)));
        lines
    }
}

/// What a command prints in the folder of a server, JSON on one line, and how it ends unless well.
fn printed(room: &Room, command: &str) -> String {
    let larkspur = room.larkspur(&[]);
    let program = larkspur.get_program().display();
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!("larkspur() {{ '{program}' \"$@\"; }}; {command}"))
        .envs(larkspur.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .current_dir(room.path())
        .output()
        .unwrap();
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    let json = serde_json::from_str::<Value>(&stdout);
    let stdout = json.map_or(stdout, |json| format!("{json}\n"));
    let end = match output.status.code().unwrap() {
        0 => String::new(),
        code => format!("exits with {code}"),
    };
    format!("{stdout}{stderr}{end}").trim_end().to_owned()
}

/// Says what a result must not have in its era, or lacks.
fn wrong_era(is_modern: bool, method: &str, result: &Value) -> Option<String> {
    let who = &result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"];
    let of_all = [*who == "larkspur", result["resultType"] == "complete"];
    let of_kept = [result["ttlMs"].is_u64(), result["cacheScope"].is_string()];
    let is_kept = is_modern
        && (method.ends_with("/list") || ["server/discover", "resources/read"].contains(&method));
    let is_right = of_all == [is_modern; 2] && of_kept == [is_kept; 2];
    (!is_right).then(|| format!("!!! not a result of its era: {result}"))
}

/// Params of a modern request, otherwise as they are written: a key may stand twice in them.
fn with_meta(params: &str) -> String {
    let meta = modern("", json!({}))["params"]["_meta"].to_string();
    let members = meta.trim_end_matches('}');
    match (params.split_once(r#""_meta": {"#), params.strip_prefix('{')) {
        (Some((before, own)), _) => format!(r#"{before}"_meta":{members}}},{own}"#),
        (None, Some("}")) => format!(r#"{{"_meta":{meta}}}"#),
        (None, Some(rest)) => format!(r#"{{"_meta":{meta},{rest}"#),
        (None, None) => params.to_owned(),
    }
}

fn method_and_params(request: &str) -> (String, String) {
    let (word, rest) = request.split_once(' ').unwrap_or((request, "{}"));
    let (name, arguments) = rest.split_once(' ').unwrap_or((rest, "{}"));
    let named = |method: &str| {
        (method.to_owned(), format!(r#"{{"name":"{name}","arguments":{arguments}}}"#))
    };
    match word {
        "call" => named("tools/call"),
        "get" => named("prompts/get"),
        "read" => ("resources/read".to_owned(), json!({"uri": rest}).to_string()),
        method => (method.to_owned(), rest.to_owned()),
    }
}

/// A response as lines; without the members of its era, and of a path only what is there.
fn shown(response: &Value, path: &str) -> Vec<String> {
    if let Some(error) = response.get("error") {
        let data = error.get("data").map_or(String::new(), |data| format!(" {data}"));
        let text = error["message"].as_str().unwrap_or_default();
        return marked("!!", &format!("{} {text}{data}", error["code"]));
    }
    let result = &response["result"];
    if !path.is_empty() {
        let part = part(result, &path.split(' ').collect::<Vec<_>>());
        return marked("", &text_of(&part));
    }
    let sign = if result["isError"] == true { "!" } else { "" };
    let mut texts = Vec::new();
    for (name, value) in result.as_object().into_iter().flatten() {
        match (name.as_str(), value) {
            ("resultType" | "ttlMs" | "cacheScope" | "isError", _) => {}
            ("_meta", meta) => {
                let mut meta = meta.clone();
                let members = meta.as_object_mut().unwrap();
                members.remove("io.modelcontextprotocol/serverInfo");
                texts.extend((!members.is_empty()).then(|| format!("_meta: {meta}")));
            }
            ("content", Value::Array(blocks)) => {
                let blocks = blocks.iter().map(|block| match &block["text"] {
                    Value::String(text) => text.strip_suffix('\n').unwrap_or(text).to_owned(),
                    _ => block.to_string(),
                });
                texts.push(blocks.collect::<Vec<_>>().join("\n---\n"));
            }
            ("structuredContent", data) if texts.contains(&data.to_string()) => {
                texts.push("structuredContent".to_owned());
            }
            (_, Value::Array(items)) if items.iter().any(Value::is_object) => {
                texts.extend(items.iter().map(Value::to_string));
            }
            (name, value) => texts.push(format!("{name}: {value}")),
        }
    }
    marked(sign, &texts.join("\n"))
}

/// Each line of a text after a blank, and the first one after this sign.
fn marked(sign: &str, text: &str) -> Vec<String> {
    let line = |line: &str| if line.is_empty() { String::new() } else { format!(" {line}") };
    let mut lines: Vec<String> = text.split('\n').map(line).collect();
    lines[0].insert_str(0, sign);
    lines
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What lies at a path, of every item where it says `*`.
fn part(value: &Value, path: &[&str]) -> Value {
    match (path, value) {
        ([], value) => value.clone(),
        (["*", rest @ ..], Value::Array(items)) => {
            items.iter().map(|item| part(item, rest)).collect()
        }
        ([at, rest @ ..], Value::Array(items)) => {
            part(items.get(at.parse::<usize>().unwrap()).unwrap_or(&Value::Null), rest)
        }
        ([name, rest @ ..], value) => part(&value[name], rest),
    }
}

/// A transcript as it is followed.
struct Play {
    /// The folder, until a server has it.
    room: Option<Room>,
    served: Option<Served>,
    /// Files have changed since the last title.
    has_changed: bool,
    /// The next request is made until it shows what it should.
    is_patient: bool,
    /// The transcript with the responses that came.
    written: Vec<String>,
    problems: Vec<String>,
}

impl Play {
    fn follow(text: &str) -> Self {
        let mut play = Self {
            room: Some(Room::new()),
            served: None,
            has_changed: false,
            is_patient: false,
            written: Vec::new(),
            problems: Vec::new(),
        };
        let mut rest: Vec<&str> = text.lines().collect();
        while !rest.is_empty() {
            let line = rest.remove(0);
            let mut more = |belongs: fn(&str) -> bool| -> Vec<&str> {
                let end = rest.iter().position(|line| !belongs(line)).unwrap_or(rest.len());
                rest.drain(..end).collect()
            };
            play.written.push(line.to_owned());
            if let Some(file) = line.strip_prefix("--- ") {
                let lines = more(|line| {
                    !["--- ", "=== ", "+++ "].iter().any(|sign| line.starts_with(sign))
                });
                play.written.extend(lines.iter().map(|line| (*line).to_owned()));
                play.put(file, &lines);
            } else if let Some((markers, request)) = split(line, '>') {
                let lines = more(|line| line.starts_with("  "));
                play.written.extend(lines.iter().map(|line| (*line).to_owned()));
                let request = [&[request], &lines[..]].concat().join(" ");
                let expected = more(|line| split(line, '<').is_some());
                play.step(markers, request.trim(), &expected);
            } else if line.starts_with("=== ") && play.has_changed {
                let served = play.served.take();
                play.room = play.room.or_else(|| served.map(|served| served.web.room));
                play.has_changed = false;
            } else if line.starts_with("+++ ") {
                (play.has_changed, play.is_patient) = (false, true);
            } else if !line.is_empty() && !line.starts_with("=== ") && !line.starts_with("# ") {
                play.problems.push(format!("line {}: what is `{line}`?", play.written.len()));
            }
        }
        play
    }

    fn room(&mut self) -> &mut Room {
        match (&mut self.room, &mut self.served) {
            (Some(room), _) => room,
            (None, served) => &mut served.as_mut().unwrap().web.room,
        }
    }

    fn put(&mut self, file: &str, lines: &[&str]) {
        self.has_changed = true;
        if file == "env" {
            for (name, value) in lines.iter().filter_map(|line| line.split_once('=')) {
                self.room().set_env(name, value);
            }
            return;
        }
        let (file, copied) = file.split_once(" = ").unwrap_or((file, ""));
        let path = self.room().path().join(file);
        if copied.is_empty() && lines.is_empty() {
            return fs::remove_file(path).unwrap();
        }
        let mut text = lines.join("\n") + "\n";
        if !copied.is_empty() {
            text = fs::read_to_string(self.room().path().join(copied)).unwrap();
        }
        text = text.replace("$ROOM", self.room().path().to_str().unwrap());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let module = path.parent().unwrap().file_name().unwrap().display();
        let manifest =
            format!("name = '{module}'\nversion = '1.0.0'\ndescription = 'A {module}'\n");
        let beside = path.with_file_name("module.toml");
        if path == beside && !text.starts_with("name =") {
            text.insert_str(0, &manifest);
        } else if file.ends_with("/main.star") && !beside.exists() {
            fs::write(beside, manifest).unwrap();
        }
        fs::write(path, text).unwrap();
    }

    /// What comes for a request by each way; commands and questions about the server are asked once.
    fn came(&mut self, markers: &str, request: &str) -> Vec<(Way, Vec<String>)> {
        let place = self.room().path().to_str().unwrap().to_owned();
        let request = &request.replace("$ROOM", &place);
        let command = request.strip_prefix("$ ");
        let is_once = command.is_some() || request.starts_with("status");
        let ways = WAYS.into_iter().filter(|way| is_of(*way, markers));
        let came = ways.take(if is_once { 1 } else { WAYS.len() }).map(|way| {
            let lines = match command {
                Some(command) => marked("", &printed(self.room(), command)),
                None => self.served().lines(way, request),
            };
            (way, lines.iter().map(|line| line.replace(&place, "$ROOM")).collect())
        });
        came.collect()
    }

    fn served(&mut self) -> &mut Served {
        let room = &mut self.room;
        self.served.get_or_insert_with(|| Served::start(room.take().unwrap()))
    }

    fn step(&mut self, markers: &str, request: &str, expected: &[&str]) {
        let is_expected = |(way, lines): &(Way, Vec<String>)| {
            let expected = expected.iter().filter_map(|line| split(line, '<'));
            let expected = expected.filter(|(markers, _)| is_of(*way, markers));
            let expected: Vec<&str> = expected.map(|(_, line)| line).collect();
            expected.len() == lines.len()
                && expected.iter().zip(lines).all(|(expected, line)| fits(expected, line))
        };
        let is_patient = std::mem::take(&mut self.is_patient);
        let deadline = Instant::now() + if is_patient { PATIENCE } else { Duration::ZERO };
        let mut came = self.came(markers, request);
        while !came.iter().all(is_expected) && Instant::now() < deadline {
            came = self.came(markers, request);
        }
        // A line for ways that were not asked is compared with nothing.
        let is_asked = |line: &&str| {
            let (markers, _) = split(line, '<').unwrap_or_default();
            came.iter().any(|(way, _)| is_of(*way, markers))
        };
        if came.iter().all(is_expected) && expected.iter().all(is_asked) {
            return self.written.extend(expected.iter().map(|line| (*line).to_owned()));
        }
        let at = self.written.len();
        self.written.extend(grouped(&came));
        let came = self.written[at..].join("\n");
        let expected = expected.join("\n");
        self.problems
            .push(format!("> {request}\nis expected to show\n{expected}\nand shows\n{came}"));
    }
}

/// The lines of all ways; where they differ, those of each era, of each transport or of each way apart.
fn grouped(came: &[(Way, Vec<String>)]) -> Vec<String> {
    let of = |markers: &'static str| {
        let came = came.iter().filter(move |(way, _)| is_of(*way, markers));
        came.map(|(_, lines)| lines)
    };
    let is_one =
        |markers: &&'static str| of(markers).skip(1).all(|lines| of(markers).next() == Some(lines));
    let ways = ["stdio legacy", "stdio modern", "http legacy", "http modern"];
    let groups = [&[""][..], &["legacy", "modern"], &["stdio", "http"], &ways];
    let group = groups.into_iter().find(|group| group.iter().all(is_one)).unwrap();
    let lines = group.iter().flat_map(|markers| {
        let lines = of(markers).next().into_iter().flatten();
        lines.map(move |line| format!("{markers}<{line}"))
    });
    lines.collect()
}

#[test]
fn responses_are_those_of_the_transcripts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let paths: Mutex<Vec<PathBuf>> = Mutex::new(paths.collect());
    assert!(paths.lock().unwrap().len() > 10);
    let updates = std::env::var_os("UPDATE_EXPECT").is_some();
    let problems = Mutex::new(Vec::new());
    let follow = || {
        while let Some(path) = { paths.lock().unwrap().pop() } {
            let play = Play::follow(&fs::read_to_string(&path).unwrap());
            let problems_of = play.problems.join("\n");
            if updates && !problems_of.is_empty() {
                fs::write(&path, play.written.join("\n") + "\n").unwrap();
            } else if !problems_of.is_empty() {
                problems.lock().unwrap().push(format!("{}\n{problems_of}", path.display()));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(follow);
        }
    });
    let problems = problems.into_inner().unwrap().join("\n\n");
    assert!(problems.is_empty(), "{problems}\n\nUPDATE_EXPECT=1 writes what came instead");
}

#[test]
fn other_responses_are_found() {
    let text = "--- modules/m.star\ndef f() -> str: return \"a\\n\\nb\"\ntool(f)\n=== f\n\
                > call f\n< a\n<\n< [..]\n> call f\n< b\nlegacy> ping\n<\nmodern< none\nnonsense";
    let play = Play::follow(text);
    let written = play.written.join("\n");
    assert!(written.ends_with("> call f\n< a\n<\n< b\nlegacy> ping\n<\nnonsense"), "{written}");
    let problems = play.problems.join("\n");
    assert_eq!(play.problems.len(), 3, "{problems}");
    assert!(problems.contains("line 15: what is `nonsense`?"), "{problems}");
}
