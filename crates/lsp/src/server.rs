//! The conversation with one editor: messages come in, answers and diagnostics go out, until it leaves.

use crate::answers;
use crate::diagnostics::{self, FileDiagnostics};
use crate::document::{self, Document};
use crate::folders::UnsavedTexts;
use crate::wire::{self, EditorMessage};
use check::Finding;
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument, Exit,
    Notification, PublishDiagnostics,
};
use lsp_types::request::{Completion, GotoDefinition, HoverRequest, Initialize, Request, Shutdown};
use lsp_types::{
    CompletionOptions, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, HoverProviderCapability, InitializeResult, OneOf,
    PublishDiagnosticsParams, SaveOptions, ServerCapabilities, ServerInfo,
    TextDocumentPositionParams, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, Uri, WorkspaceFolder,
};
use model::Fault;
use runtime::Settings;
use script::Library;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;

const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMS: i32 = -32602;
const NOT_INITIALIZED: i32 = -32002;

/// Why the modules of a project cannot be loaded.
#[derive(Debug)]
pub struct ProjectFault {
    pub file: PathBuf,
    pub fault: Fault,
}

/// Serves one editor. `enter` hears its folder; after that, `settings` says how modules are loaded, with absolute
/// folders. Answers whether the editor shut the server down before it left.
pub fn serve<S: Fn() -> Result<Settings, ProjectFault>>(
    input: impl BufRead + Send + 'static,
    output: impl Write,
    version: &str,
    enter: impl FnOnce(Option<PathBuf>),
    settings: S,
) -> io::Result<bool> {
    let messages = listen(input);
    let mut output = output;
    let Some(params) = greet(&messages, &mut output, version)? else {
        return Ok(false);
    };
    enter(root(params));
    let mut server = EditorServer {
        output,
        folders: settings().map(|settings| settings.folders).unwrap_or_default(),
        settings,
        libraries: script::reference(),
        documents: BTreeMap::new(),
        published: BTreeSet::new(),
        is_dirty: false,
        is_ending: false,
    };
    server.converse(&messages)
}

/// Reads on a thread of its own, so that several edits are checked once, with the last text.
fn listen(mut input: impl BufRead + Send + 'static) -> Receiver<EditorMessage> {
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

/// Waits for the first request, which says where the editor is.
fn greet(
    messages: &Receiver<EditorMessage>,
    output: &mut impl Write,
    version: &str,
) -> io::Result<Option<Value>> {
    for message in messages {
        match (message.method.as_str(), message.id) {
            (Initialize::METHOD, id) => {
                let result = json!(initialized(version));
                wire::write(output, &wire::response(&json!(id), &result))?;
                return Ok(Some(message.params));
            }
            (Exit::METHOD, _) => return Ok(None),
            (_, Some(id)) => {
                let refusal = wire::refusal(&id, NOT_INITIALIZED, "`initialize` comes first");
                wire::write(output, &refusal)?;
            }
            _ => {}
        }
    }
    Ok(None)
}

fn initialized(version: &str) -> InitializeResult {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::FULL),
        save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions::default())),
        ..TextDocumentSyncOptions::default()
    };
    let completion = CompletionOptions {
        trigger_characters: Some(vec![".".to_owned()]),
        ..CompletionOptions::default()
    };
    InitializeResult {
        capabilities: ServerCapabilities {
            text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
            completion_provider: Some(completion),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            definition_provider: Some(OneOf::Left(true)),
            ..ServerCapabilities::default()
        },
        server_info: Some(ServerInfo {
            name: "larkspur".to_owned(),
            version: Some(version.to_owned()),
        }),
    }
}

/// The folder of the editor. Nothing else of its parameters is read, so that newer ones do no harm.
fn root(params: Value) -> Option<PathBuf> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct EditorFolders {
        root_uri: Option<Uri>,
        workspace_folders: Option<Vec<WorkspaceFolder>>,
    }
    let folders: EditorFolders = serde_json::from_value(params).ok()?;
    let first = folders.workspace_folders.unwrap_or_default().into_iter().next();
    document::path(&first.map(|folder| folder.uri).or(folders.root_uri)?)
}

struct EditorServer<S, W> {
    output: W,
    settings: S,
    /// Of modules, as they were known last.
    folders: Vec<PathBuf>,
    libraries: Vec<Library>,
    /// By path, as the loader knows them.
    documents: BTreeMap<PathBuf, Document>,
    /// Files with diagnostics that are to be cleared once there are none.
    published: BTreeSet<PathBuf>,
    /// Whether something changed since the last check.
    is_dirty: bool,
    is_ending: bool,
}

impl<S: Fn() -> Result<Settings, ProjectFault>, W: Write> EditorServer<S, W> {
    fn converse(&mut self, messages: &Receiver<EditorMessage>) -> io::Result<bool> {
        loop {
            let next = if self.is_dirty {
                messages.try_recv()
            } else {
                messages.recv().map_err(|_| TryRecvError::Disconnected)
            };
            match next {
                Ok(message) if message.method == Exit::METHOD => return Ok(self.is_ending),
                Ok(EditorMessage { id: Some(id), method, params }) if !method.is_empty() => {
                    let answer = match self.answer(&method, params) {
                        Ok(result) => wire::response(&id, &result),
                        Err((code, why)) => wire::refusal(&id, code, &why),
                    };
                    wire::write(&mut self.output, &answer)?;
                }
                Ok(message) => {
                    let is_news = self.note(&message.method, message.params).is_some();
                    self.is_dirty |= is_news;
                }
                Err(TryRecvError::Disconnected) => return Ok(self.is_ending),
                Err(TryRecvError::Empty) => self.diagnose()?,
            }
        }
    }

    /// Takes a notification; nothing where it does not concern open files.
    fn note(&mut self, method: &str, params: Value) -> Option<()> {
        match method {
            DidOpenTextDocument::METHOD => {
                let opened = read::<DidOpenTextDocumentParams>(params)?.text_document;
                let path = document::path(&opened.uri)?;
                let document = Document::new(opened.uri, opened.text, opened.version);
                self.documents.insert(path, document);
            }
            DidChangeTextDocument::METHOD => {
                let mut changed: DidChangeTextDocumentParams = read(params)?;
                let path = document::path(&changed.text_document.uri)?;
                let text = changed.content_changes.pop()?.text;
                let document = self.documents.get_mut(&path)?;
                document.change(text, changed.text_document.version);
            }
            DidCloseTextDocument::METHOD => {
                let closed: DidCloseTextDocumentParams = read(params)?;
                self.documents.remove(&document::path(&closed.text_document.uri)?);
            }
            DidSaveTextDocument::METHOD => {}
            _ => return None,
        }
        Some(())
    }

    fn answer(&mut self, method: &str, params: Value) -> Result<Value, (i32, String)> {
        if self.is_ending {
            return Err((INVALID_REQUEST, "after `shutdown` comes `exit`".to_owned()));
        }
        match method {
            Shutdown::METHOD => {
                self.is_ending = true;
                return Ok(Value::Null);
            }
            Completion::METHOD | HoverRequest::METHOD | GotoDefinition::METHOD => {}
            _ => return Err((METHOD_NOT_FOUND, format!("there is no `{method}`"))),
        }
        let at: TextDocumentPositionParams = serde_json::from_value(params)
            .map_err(|why| (INVALID_PARAMS, format!("the parameters of `{method}`: {why}")))?;
        let path = document::path(&at.text_document.uri);
        let Some(document) = path.and_then(|path| self.documents.get(&path)) else {
            return Ok(Value::Null);
        };
        let files = answers::Files {
            document,
            libraries: &self.libraries,
            folders: &self.folders,
            unsaved: &self.unsaved(),
        };
        Ok(match method {
            Completion::METHOD => json!(files.completion(at.position)),
            HoverRequest::METHOD => json!(files.hover(at.position)),
            _ => json!(files.definition(at.position)),
        })
    }

    fn unsaved(&self) -> UnsavedTexts {
        let open = self.documents.iter();
        Arc::new(open.map(|(path, document)| (path.clone(), document.text.clone())).collect())
    }

    /// Publishes what is wrong now, and clears the files in which nothing is any more.
    fn diagnose(&mut self) -> io::Result<()> {
        self.is_dirty = false;
        let mut all = self.check();
        let open = self.documents.keys().cloned();
        for path in open.chain(std::mem::take(&mut self.published)) {
            all.entry(path).or_default();
        }
        for (path, diagnostics) in all {
            if !diagnostics.is_empty() {
                self.published.insert(path.clone());
            }
            let document = self.documents.get(&path);
            let known = document.map(|document| document.uri.clone());
            let Some(uri) = known.or_else(|| document::uri(&path)) else {
                continue;
            };
            let version = document.map(|document| document.version);
            let params = PublishDiagnosticsParams { uri, diagnostics, version };
            let message = wire::notification(PublishDiagnostics::METHOD, &json!(params));
            wire::write(&mut self.output, &message)?;
        }
        Ok(())
    }

    fn check(&mut self) -> FileDiagnostics {
        let mut all = FileDiagnostics::new();
        let mut findings = Vec::new();
        let mut checked = Vec::new();
        match (self.settings)() {
            Ok(settings) => {
                self.folders.clone_from(&settings.folders);
                let found =
                    diagnostics::check_modules(Settings { unsaved: self.unsaved(), ..settings });
                findings = found.all;
                checked = found.files;
            }
            Err(ProjectFault { file, fault }) => {
                findings.push(Finding::new(&file.display().to_string(), fault));
            }
        }
        // A file that belongs to no module is checked by itself.
        for (path, document) in &self.documents {
            let is_source = path.extension().is_some_and(|ending| ending == "star");
            if is_source && !checked.contains(path) {
                findings.extend(check::find_in_text(path, &document.text));
            }
        }
        for finding in &findings {
            diagnostics::add(finding, &mut all);
        }
        all
    }
}

fn read<P: DeserializeOwned>(params: Value) -> Option<P> {
    serde_json::from_value(params).ok()
}
