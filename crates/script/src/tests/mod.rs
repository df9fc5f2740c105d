//! Scripts loaded and called, as facts in data.

#![allow(clippy::needless_pass_by_value, reason = "facts in data read better as values")]

mod annotations;
mod asking;
mod bombs;
mod calls;
mod chains;
mod collisions;
mod compact;
mod describe;
mod digits;
mod examples;
mod floats;
mod growth;
mod hash;
mod http;
mod libraries;
mod lifecycle;
mod loads;
mod output_schemas;
mod parallel;
mod permissions;
mod pretend;
mod prompts;
mod questions;
mod resources;
mod rewriting;
mod schemas;
mod secrets;
mod source_facts;
mod sql;
mod stuck;
mod testing;
mod world;

use crate::{CallFailure, Cancel, Engine, FileId, LoadSession, Script, Sources, Turn};
use model::{
    Ability, Args, Cell, Database, ExecRequest, ExecResult, Fault, Host, HostError, HttpRequest,
    HttpResponse, Leash, Level, Limits, Output, Question, SqlAnswer, SqlRequest, Stored, Topic,
    Unanswered,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;

/// Files in memory.
pub(crate) struct Files(pub(crate) HashMap<&'static str, String>);

impl Sources for Files {
    fn read(&self, file: &FileId) -> Result<String, String> {
        self.0.get(file.as_str()).cloned().ok_or_else(|| "there is no such file".to_owned())
    }
}

impl LoadSession for Files {
    fn enter(&self, work: &mut dyn FnMut(&dyn Sources, &dyn Host)) {
        work(self, &Notebook::default());
    }
}

/// Loads one file of these.
pub(crate) fn load_with(engine: Engine, files: Files, entry: &str) -> Result<Script, Fault> {
    let session: Arc<dyn LoadSession> = Arc::new(files);
    let mut loaded = Arc::new(engine).load_all(&[entry.to_owned()], &session);
    loaded.remove(0).result
}

/// A host that remembers what it was told, and keeps one module's state.
#[derive(Default)]
pub(crate) struct Notebook {
    pub(crate) lines: Mutex<Vec<String>>,
    pub(crate) state: Mutex<BTreeMap<String, Stored>>,
    /// What is answered, one for each question; then the client is asked first.
    pub(crate) answers: Mutex<Vec<Value>>,
    /// Answers every question, where there is one.
    pub(crate) clerk: Option<fn(&Topic) -> Value>,
    pub(crate) web: Option<http::Web>,
    /// Who answers for databases, instead of one row that is always the same.
    pub(crate) databases: Option<sql::Databases>,
    /// Those who ask for random bytes wait here for each other.
    pub(crate) barrier: Option<Barrier>,
}

impl Host for Notebook {
    fn log(&self, level: Level, message: &str, fields: &Value) {
        self.lines.lock().unwrap().push(format!("{level:?} {message} {fields}"));
    }

    fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        self.lines.lock().unwrap().push(format!("{done}/{total:?} {message:?}"));
    }

    fn resource_updated(&self, uri: &str) {
        self.lines.lock().unwrap().push(format!("updated {uri}"));
    }

    fn read(&self, path: &str) -> Result<String, HostError> {
        match path {
            "data.json" => Ok(r#"{"answer": 42}"#.to_owned()),
            other => Err(HostError(format!("there is no {other}"))),
        }
    }

    fn now_ms(&self) -> i64 {
        1_785_240_000_999
    }

    fn sleep(&self, time: Duration, _leash: &Leash) {
        self.lines.lock().unwrap().push(format!("slept {time:?}"));
    }

    /// Counts up: 0, 1, 2, …
    fn random(&self, count: usize) -> Result<Vec<u8>, HostError> {
        self.barrier.as_ref().map(Barrier::wait);
        Ok((0..count).map(|i| i.to_le_bytes()[0]).collect())
    }

    fn http(&self, request: &HttpRequest, _leash: &Leash) -> Result<HttpResponse, HostError> {
        if let Some(web) = &self.web {
            return web(request);
        }
        Err(HostError(format!("there is no network here to reach {}", request.url)))
    }

    fn exec(&self, request: &ExecRequest, leash: &Leash) -> Result<ExecResult, HostError> {
        self.lines.lock().unwrap().push(format!("{request:?}"));
        match request.command.as_str() {
            "wait" => {
                while !leash.cancel.is_cancelled() && !leash.left().is_zero() {
                    std::thread::yield_now();
                }
                Err(HostError("nobody waits any more".into()))
            }
            "echo" => Ok(ExecResult {
                stdout: request.args.join(" "),
                stderr: request.stdin.clone(),
                exit_code: 0,
            }),
            "false" => {
                Ok(ExecResult { stdout: String::new(), stderr: String::new(), exit_code: 1 })
            }
            other => Err(HostError(format!("there is no `{other}` here"))),
        }
    }

    fn sql(
        &self,
        database: &Database,
        request: &SqlRequest,
        _leash: &Leash,
    ) -> Result<SqlAnswer, HostError> {
        if let Some(answer) = &self.databases {
            return Ok(answer(database, request));
        }
        let asked = format!("{database:?} {request:?}");
        if asked.contains("broken") {
            return Err(HostError("it is broken".into()));
        }
        self.lines.lock().unwrap().push(asked);
        Ok(SqlAnswer {
            columns: vec!["n".to_owned()],
            rows: vec![vec![Cell::Int(9_007_199_254_740_993)]],
            changed: vec![2, 1],
        })
    }

    fn env(&self, name: &str) -> Result<Option<String>, HostError> {
        match name {
            "HOME" => Ok(Some("/srv/ada".into())),
            "SECRET" => Err(HostError("`SECRET` is not yours".into())),
            _ => Ok(None),
        }
    }

    fn secret(&self, name: &str) -> Result<(), HostError> {
        match name {
            "token" => Ok(()),
            _ => Err(HostError(format!("there is no secret `{name}`"))),
        }
    }

    fn file_read(&self, path: &str) -> Result<String, HostError> {
        match path {
            "a.txt" => Ok("text".into()),
            "a.json" => Ok(r#"{"big": 12345678901234567890, "half": 0.5}"#.into()),
            _ => Err(HostError(format!("there is no {path}"))),
        }
    }

    fn file_list(&self, path: &str) -> Result<Vec<String>, HostError> {
        match path {
            "" => Ok(vec!["a.txt".into(), "sub/".into()]),
            _ => Err(HostError(format!("there is no {path}"))),
        }
    }

    fn file_exists(&self, path: &str) -> Result<bool, HostError> {
        Ok(path == "a.txt")
    }

    fn file_write(&self, path: &str, text: &str) -> Result<(), HostError> {
        self.lines.lock().unwrap().push(format!("{path} <- {text}"));
        Ok(())
    }

    fn state_get(&self, key: &str) -> Result<Option<Stored>, HostError> {
        Ok(self.state.lock().unwrap().get(key).cloned())
    }

    fn state_put(
        &self,
        key: &str,
        value: &Value,
        expected: Option<u64>,
    ) -> Result<bool, HostError> {
        let mut state = self.state.lock().unwrap();
        let version = state.get(key).map_or(0, |stored| stored.version);
        if expected.is_some_and(|expected| expected != version) {
            return Ok(false);
        }
        let stored = Stored { value: value.clone(), version: version + 1 };
        state.insert(key.to_owned(), stored);
        Ok(true)
    }

    fn state_delete(&self, key: &str) -> Result<bool, HostError> {
        Ok(self.state.lock().unwrap().remove(key).is_some())
    }

    fn state_list(&self, prefix: &str) -> Result<Vec<String>, HostError> {
        let state = self.state.lock().unwrap();
        let keys = state.keys().filter(|key| key.starts_with(prefix));
        Ok(keys.cloned().collect())
    }

    fn call(&self, tool: &str, args: Args) -> Result<Output, Unanswered> {
        match tool {
            "other.echo" => Ok(Output::text(Value::Object(args).to_string())),
            "other.fails" => Ok(Output::error("it failed")),
            "other.asks" => Err(Unanswered::Later),
            other => Err(HostError(format!("there is no tool `{other}`")).into()),
        }
    }

    fn can_ask(&self, ability: Ability) -> bool {
        ability != Ability::Roots
    }

    fn ask(&self, questions: &[Question], _leash: &Leash) -> Result<Vec<Value>, Unanswered> {
        let mut lines = self.lines.lock().unwrap();
        lines.push(format!("asked {questions:?}"));
        drop(lines);
        if let Some(clerk) = self.clerk {
            return Ok(questions.iter().map(|asked| clerk(&asked.topic)).collect());
        }
        let mut answers = self.answers.lock().unwrap();
        let count = questions.len().min(answers.len());
        let next: Vec<Value> = answers.drain(..count).collect();
        match next.first().and_then(Value::as_str) {
            Some(why) => Err(HostError(why.to_owned()).into()),
            None if next.len() < questions.len() => Err(Unanswered::Later),
            None => Ok(next),
        }
    }
}

pub(crate) fn quick() -> Limits {
    Limits { time: Duration::from_secs(20), ..Limits::default() }
}

pub(crate) fn load_files(
    files: &[(&'static str, &str)],
    entry: &str,
    limits: Limits,
) -> Result<Script, Fault> {
    let files = Files(files.iter().map(|(name, source)| (*name, (*source).to_owned())).collect());
    load_with(Engine::new(limits), files, entry)
}

pub(crate) fn load(source: &str) -> Result<Script, Fault> {
    load_files(&[("a.star", source)], "a.star", quick())
}

/// Loads, checks the arguments, calls; text of the answer or the caller's sentence.
pub(crate) fn call(source: &str, tool: &str, args: Value) -> Result<String, String> {
    let script = load(source).map_err(|fault| fault.to_string())?;
    call_script(&script, tool, args, &Notebook::default())
}

pub(crate) fn call_script(
    script: &Script,
    tool: &str,
    args: Value,
    host: &dyn Host,
) -> Result<String, String> {
    let tool = script.tools.iter().find(|t| t.tool.name.as_str() == tool).expect("no such tool");
    let Value::Object(args) = args else { panic!("arguments are an object") };
    let args: Args = tool.tool.input.accept(args).map_err(|e| e.to_string())?;
    let turn = |trial| Turn { trial, ..Turn::new(host, &QUICK) };
    let mut result = script.call(tool, &args, &turn(true));
    if matches!(result, Err(CallFailure::NeedsThread)) {
        result = script.call(tool, &args, &turn(false));
    }
    match result.map(|(output, _)| output) {
        Ok(output) if output.is_error => Err(output.plain_text()),
        Ok(output) => Ok(output.plain_text()),
        Err(CallFailure::Failed { fault, .. } | CallFailure::Stopped { fault, .. }) => {
            Err(fault.message)
        }
        Err(CallFailure::NeedsThread) => Err("a call that was no trial asked for a thread".into()),
        Err(CallFailure::Asks) => Err("asks".into()),
    }
}

static QUICK: std::sync::LazyLock<Limits> = std::sync::LazyLock::new(quick);

/// `def f(ctx…)` bodies in short form: one tool `f` that takes `x` and returns the expression.
pub(crate) fn eval(expression: &str, x: Value) -> Result<String, String> {
    call(&format!("def f(x):\n    return {expression}\ntool(f)"), "f", json!({"x": x}))
}
