//! The conversation: messages come in, answers and diagnostics go out, until the editor leaves.

use crate::answers;
use crate::document::{self, Document};
use crate::position::{beginning, range};
use crate::project::Project;
use crate::wire;
use model::{Fault, Limits};
use script::{Engine, Library};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;

const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_REQUEST: i32 = -32600;

/// Serves one editor. `open` makes the project once its folder is known. Answers whether the editor
/// said good-bye before it left.
pub fn serve<P: Project>(
    input: impl BufRead + Send + 'static,
    output: impl Write,
    version: &str,
    open: impl FnOnce(Option<PathBuf>) -> P,
) -> io::Result<bool> {
    let messages = listen(input);
    let mut output = output;
    let Some(hello) = greet(&messages, &mut output, version)? else {
        return Ok(false);
    };
    let mut server = Server {
        output,
        project: open(root(&hello)),
        libraries: script::reference(),
        plain: Arc::new(Engine::new(Limits::default())),
        testing: Arc::new(Engine::for_tests(Limits::default())),
        documents: BTreeMap::new(),
        told: BTreeSet::new(),
        is_dirty: false,
        is_ending: false,
    };
    server.converse(&messages)
}

/// Reading waits, so that it has a thread; what piles up meanwhile is answered with the last text.
fn listen(mut input: impl BufRead + Send + 'static) -> Receiver<Value> {
    let (send, messages) = channel();
    thread::spawn(move || {
        while let Ok(Some(message)) = wire::read(&mut input) {
            if send.send(message).is_err() {
                return;
            }
        }
    });
    messages
}

/// Waits for the first request, which says who the editor is, and where.
fn greet(
    messages: &Receiver<Value>,
    output: &mut impl Write,
    version: &str,
) -> io::Result<Option<Value>> {
    for message in messages {
        let id = &message["id"];
        match message["method"].as_str() {
            Some("initialize") => {
                let capabilities = json!({
                    "textDocumentSync": {"openClose": true, "change": 1, "save": true},
                    "completionProvider": {"triggerCharacters": ["."]},
                    "hoverProvider": true,
                    "definitionProvider": true,
                });
                let info = json!({"name": "larkspur", "version": version});
                let result = json!({"capabilities": capabilities, "serverInfo": info});
                wire::write(output, &wire::response(id, &result))?;
                return Ok(Some(message["params"].clone()));
            }
            Some("exit") => return Ok(None),
            _ if !id.is_null() => {
                let refusal = wire::refusal(id, -32002, "`initialize` comes first");
                wire::write(output, &refusal)?;
            }
            _ => {}
        }
    }
    Ok(None)
}

fn root(params: &Value) -> Option<PathBuf> {
    let folder = &params["workspaceFolders"][0]["uri"];
    let uri = folder.as_str().or(params["rootUri"].as_str())?;
    document::path(uri)
}

struct Server<P, W> {
    output: W,
    project: P,
    libraries: Vec<Library>,
    plain: Arc<Engine>,
    testing: Arc<Engine>,
    /// By path, as the loader knows them.
    documents: BTreeMap<PathBuf, Document>,
    /// Files with diagnostics, which have to be taken back.
    told: BTreeSet<PathBuf>,
    /// Something changed since the last look.
    is_dirty: bool,
    is_ending: bool,
}

impl<P: Project, W: Write> Server<P, W> {
    fn converse(&mut self, messages: &Receiver<Value>) -> io::Result<bool> {
        loop {
            let next = if self.is_dirty {
                messages.try_recv()
            } else {
                messages.recv().map_err(|_| TryRecvError::Disconnected)
            };
            match next {
                Ok(message) if message["method"] == "exit" => return Ok(self.is_ending),
                Ok(message) => self.hear(&message)?,
                Err(TryRecvError::Disconnected) => return Ok(self.is_ending),
                Err(TryRecvError::Empty) => self.diagnose()?,
            }
        }
    }

    fn hear(&mut self, message: &Value) -> io::Result<()> {
        let (id, params) = (&message["id"], &message["params"]);
        let Some(method) = message["method"].as_str() else {
            return Ok(());
        };
        if id.is_null() {
            self.note(method, params);
            return Ok(());
        }
        let answer = self.answer(id, method, params);
        wire::write(&mut self.output, &answer)
    }

    fn note(&mut self, method: &str, params: &Value) {
        let given = &params["textDocument"];
        let Some(path) = given["uri"].as_str().and_then(document::path) else {
            return;
        };
        let version = given["version"].as_i64();
        match method {
            "textDocument/didOpen" => {
                let (uri, text) = (given["uri"].as_str(), given["text"].as_str());
                let document =
                    Document::new(uri.unwrap_or_default(), text.unwrap_or_default(), version);
                self.documents.insert(path, document);
            }
            "textDocument/didChange" => {
                let changes = params["contentChanges"].as_array();
                let text = changes.and_then(|all| all.last()?["text"].as_str());
                if let (Some(document), Some(text)) = (self.documents.get_mut(&path), text) {
                    document.change(text, version);
                }
            }
            "textDocument/didClose" => {
                self.documents.remove(&path);
            }
            "textDocument/didSave" => {}
            _ => return,
        }
        self.is_dirty = true;
    }

    fn answer(&mut self, id: &Value, method: &str, params: &Value) -> Value {
        if self.is_ending {
            return wire::refusal(id, INVALID_REQUEST, "after `shutdown` comes `exit`");
        }
        let uri = params["textDocument"]["uri"].as_str();
        let path = uri.and_then(document::path);
        let document = path.and_then(|path| self.documents.get(&path));
        let position = &params["position"];
        let result = match (method, document) {
            ("shutdown", _) => {
                self.is_ending = true;
                Value::Null
            }
            ("textDocument/completion", Some(document)) => {
                answers::completion(document, &self.libraries, position)
            }
            ("textDocument/hover", Some(document)) => {
                answers::hover(document, &self.libraries, &self.project, position)
            }
            ("textDocument/definition", Some(document)) => {
                answers::definition(document, &self.project, position)
            }
            (
                "textDocument/completion" | "textDocument/hover" | "textDocument/definition",
                None,
            ) => Value::Null,
            _ => return wire::refusal(id, METHOD_NOT_FOUND, &format!("there is no `{method}`")),
        };
        wire::response(id, &result)
    }

    /// Says anew what is wrong, and takes back what is not any more.
    fn diagnose(&mut self) -> io::Result<()> {
        self.is_dirty = false;
        let mut faults = self.check();
        let open = self.documents.iter();
        let unsaved = open.map(|(path, document)| (path.clone(), document.text.clone()));
        for (path, fault) in self.project.broken(&Arc::new(unsaved.collect())) {
            // A file that is wrong by itself has said enough.
            let own = faults.entry(path).or_default();
            if own.iter().all(is_warning) {
                own.push(fault);
            }
        }
        let open: Vec<PathBuf> = self.documents.keys().cloned().collect();
        let before = std::mem::take(&mut self.told);
        for path in open.into_iter().chain(before) {
            faults.entry(path).or_default();
        }
        for (path, faults) in &faults {
            self.tell(path, faults)?;
        }
        let wrong = faults.into_iter().filter(|(_, faults)| !faults.is_empty());
        self.told = wrong.map(|(path, _)| path).collect();
        Ok(())
    }

    /// What the open files are wrong about by themselves.
    fn check(&self) -> BTreeMap<PathBuf, Vec<Fault>> {
        let sources = self.documents.iter();
        let sources = sources.filter(|(path, _)| path.extension().is_some_and(|e| e == "star"));
        let found = sources.map(|(path, document)| {
            let file = path.display().to_string();
            let is_test = file.ends_with("_test.star");
            let engine = if is_test { &self.testing } else { &self.plain };
            let checked = script::check(engine, vec![(file, document.text.clone())]);
            let faults = checked.into_iter().flat_map(|(_, faults)| faults);
            (path.clone(), faults.collect::<Vec<_>>())
        });
        found.filter(|(_, faults)| !faults.is_empty()).collect()
    }

    fn tell(&mut self, path: &PathBuf, faults: &[Fault]) -> io::Result<()> {
        let Some(uri) = document::uri(path) else {
            return Ok(());
        };
        let document = self.documents.get(path);
        let text = match document {
            Some(document) => document.text.clone(),
            None => self.project.read(path).unwrap_or_default(),
        };
        let diagnostics: Vec<Value> = faults.iter().map(|fault| diagnostic(fault, &text)).collect();
        let mut params = json!({"uri": uri, "diagnostics": diagnostics});
        if let Some(document) = document {
            params["uri"] = json!(document.uri);
            params["version"] = json!(document.version);
        }
        let message = wire::notification("textDocument/publishDiagnostics", &params);
        wire::write(&mut self.output, &message)
    }
}

fn diagnostic(fault: &Fault, text: &str) -> Value {
    let place = fault.place.as_ref();
    let message = match &fault.help {
        Some(help) => format!("{}\n{help}", fault.message),
        None => fault.message.clone(),
    };
    json!({
        "range": place.map_or_else(beginning, |place| range(text, place)),
        "severity": if is_warning(fault) { 2 } else { 1 },
        "code": fault.code,
        "source": "larkspur",
        "message": message,
    })
}

fn is_warning(fault: &Fault) -> bool {
    fault.code.is_some_and(|code| code.starts_with('W'))
}
