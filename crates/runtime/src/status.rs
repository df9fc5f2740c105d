//! How a running server is doing, as data.

use crate::abandoned::ThreadLease;
use crate::catalog::{Broken, Module};
use crate::life::{LastError, fault};
use crate::runtime::Runtime;
use crate::stats::Stats;
use crate::supervised::GRACE;
use model::{Caller, Limits};
use script::Hook;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::oneshot;

#[derive(Debug, Clone, Serialize, Deserialize, PartialEq)]
pub struct Status {
    pub pid: u32,
    pub version: String,
    pub uptime_ms: u64,
    /// Absolute paths of the folders that are served.
    pub folders: Vec<String>,
    /// Where it listens, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<SocketAddr>,
    pub modules: Vec<ModuleStatus>,
    pub notes: Vec<String>,
    pub tools: usize,
    /// What clients see of the tools, and why.
    #[serde(default)]
    pub surface: String,
    pub calls: u64,
    pub failed: u64,
    pub in_flight: u64,
    pub stopped: u64,
    pub stuck: u64,
    pub reloads: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize, PartialEq)]
pub struct ModuleStatus {
    /// `None` for a file that never became a module.
    pub name: Option<String>,
    pub version: Option<String>,
    pub file: String,
    /// Is a version of it in memory, and do its tools answer?
    pub loaded: bool,
    pub running: bool,
    /// `running`, `stale` (an earlier version runs), `failed`, `waiting` or `stopped`.
    pub state: String,
    /// What its `status()` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Value>,
    pub depends_on: Vec<String>,
    pub tools: Vec<String>,
    /// Secrets that its manifest asks for and nobody has set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting_for: Vec<String>,
    pub load_time_ms: f64,
    pub generation: u64,
    /// Threads of it that ignore their deadline.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stuck: usize,
    /// What is wrong, on one line and in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// Kind and data of the `error(…)` that keeps it from running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_data: Option<Value>,
    /// The last of its calls that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<LastError>,
}

/// A module that does not say how it is within this is not well.
const STATUS_TIME: Duration = Duration::from_secs(2);

impl Runtime {
    /// Asks every module that has a `status` how it is, all at once.
    pub async fn status(&self) -> Status {
        let catalog = self.catalog();
        let stats = self.stats();
        let asked: Vec<_> = catalog.modules().map(|module| self.ask(module)).collect();
        let mut modules = Vec::new();
        for (module, asked) in catalog.modules().zip(asked) {
            let says = match asked {
                Some(asked) => Some(self.said(asked).await),
                None => None,
            };
            let broken = catalog.broken.get(&module.shown);
            modules.push(ModuleStatus {
                waiting_for: self.waiting_for(module),
                ..served(module, broken, says)
            });
        }
        let shown: BTreeSet<&str> = catalog.modules().map(|m| m.shown.as_str()).collect();
        let others = catalog.broken.iter();
        let others = others.filter(|(file, _)| !shown.contains(file.as_str()));
        modules.extend(others.map(|(file, broken)| unserved(file, broken)));
        Status {
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").into(),
            uptime_ms: u64::try_from(self.uptime().as_millis()).unwrap_or(u64::MAX),
            folders: self.folders().iter().map(|f| absolute(f.root())).collect(),
            address: None,
            tools: catalog.tool_count(),
            surface: catalog.front.choice.to_string(),
            modules,
            notes: catalog.notes.clone(),
            calls: Stats::get(&stats.calls),
            failed: Stats::get(&stats.failed),
            in_flight: Stats::get(&stats.in_flight),
            stopped: Stats::get(&stats.stopped),
            stuck: self.abandoned().count() as u64,
            reloads: Stats::get(&stats.reloads),
        }
    }

    /// Secrets that a module's manifest asks for and nobody has set.
    pub fn waiting_for(&self, module: &Module) -> Vec<String> {
        let world = &self.ground().world;
        let asked = module.manifest.iter().flat_map(|m| m.secrets.keys());
        asked.filter(|name| !world.is_secret_set(module.name.as_str(), name)).cloned().collect()
    }

    /// Runs a module's `status` on a thread of its own; nothing if it has none.
    fn ask(&self, module: &Arc<Module>) -> Option<Asked> {
        if !module.life.has(Hook::Status) {
            return None;
        }
        let (lease, thread) = ThreadLease::new((), Some(module.life.enter()?));
        let (answer, answered) = oneshot::channel();
        let life = Arc::clone(&module.life);
        let limits = Limits { time: STATUS_TIME, ..(**self.limits()).clone() };
        let work = move || {
            let says = life.turn(&limits, &Caller::default(), |turn| life.script.status(turn));
            let says = match says {
                Ok(says) => says.unwrap_or_default(),
                Err(failure) => error(&fault(failure).one_line()),
            };
            drop(thread);
            let _ = answer.send(says);
        };
        let started = self.pool().run(work);
        started.is_ok().then_some(Asked { lease, answered })
    }

    async fn said(&self, asked: Asked) -> Value {
        match tokio::time::timeout(STATUS_TIME + GRACE, asked.answered).await {
            Ok(Ok(says)) => says,
            Ok(Err(_)) => error("status() does not answer"),
            Err(_) => {
                asked.lease.abandon(|life| self.abandon(life));
                error("status() ignores its time limit of 2 s; abandoned its thread")
            }
        }
    }
}

/// A `status` hook under way.
struct Asked {
    lease: ThreadLease<()>,
    answered: oneshot::Receiver<Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

fn error(message: &str) -> Value {
    json!({"status": "error", "message": message})
}

fn served(module: &Module, broken: Option<&Broken>, status: Option<Value>) -> ModuleStatus {
    let manifest = module.manifest.iter();
    let raised = broken.and_then(|broken| broken.fault.raised.as_ref());
    ModuleStatus {
        name: Some(module.name.to_string()),
        version: module.version(),
        file: module.shown.clone(),
        loaded: true,
        running: true,
        state: broken.map_or_else(|| "running".to_owned(), |broken| broken.state.to_string()),
        status,
        depends_on: manifest.flat_map(|m| m.depends_on.iter().map(ToString::to_string)).collect(),
        tools: module.tools.iter().map(|tool| tool.tool.name.to_string()).collect(),
        waiting_for: Vec::new(),
        load_time_ms: module.loaded_in.as_secs_f64() * 1000.0,
        generation: module.generation,
        stuck: module.life.abandoned.load(Ordering::Relaxed),
        error: broken.map(|b| b.fault.one_line()),
        report: broken.map(|b| b.fault.to_string()),
        error_kind: raised.map(|raised| raised.kind.clone()),
        error_data: raised.map(|raised| raised.data.clone()),
        last_error: module.life.last_error(),
    }
}

fn unserved(file: &str, broken: &Broken) -> ModuleStatus {
    let raised = broken.fault.raised.as_ref();
    ModuleStatus {
        name: broken.name.as_ref().map(ToString::to_string),
        version: None,
        file: file.to_owned(),
        loaded: false,
        running: false,
        state: broken.state.to_string(),
        status: None,
        depends_on: Vec::new(),
        tools: Vec::new(),
        waiting_for: Vec::new(),
        load_time_ms: 0.0,
        generation: 0,
        stuck: 0,
        error: Some(broken.fault.one_line()),
        report: Some(broken.fault.to_string()),
        error_kind: raised.map(|raised| raised.kind.clone()),
        error_data: raised.map(|raised| raised.data.clone()),
        last_error: None,
    }
}

fn absolute(path: &std::path::Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()).display().to_string()
}
