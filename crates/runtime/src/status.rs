//! How a running server is doing, as data.

use crate::runtime::Runtime;
use crate::stats::Stats;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct Status {
    pub pid: u32,
    pub version: String,
    pub uptime_ms: u64,
    /// Absolute paths of the folders that are served.
    pub folders: Vec<String>,
    pub modules: Vec<ModuleStatus>,
    pub notes: Vec<String>,
    pub tools: usize,
    pub calls: u64,
    pub failed: u64,
    pub in_flight: u64,
    pub stopped: u64,
    pub stuck: u64,
    pub reloads: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct ModuleStatus {
    /// `None` for a file that never became a module.
    pub name: Option<String>,
    pub file: String,
    /// `ok`, `stale` (an earlier version is served) or `broken`.
    pub state: String,
    pub tools: usize,
    pub generation: u64,
    /// What is wrong, on one line and in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
}

impl Runtime {
    pub fn status(&self) -> Status {
        let catalog = self.catalog();
        let stats = self.stats();
        let mut modules: Vec<ModuleStatus> = catalog
            .modules()
            .map(|module| {
                let broken = catalog.broken.get(&module.shown);
                ModuleStatus {
                    name: Some(module.name.to_string()),
                    file: module.shown.clone(),
                    state: if broken.is_some() { "stale" } else { "ok" }.into(),
                    tools: module.script.tools.len(),
                    generation: module.generation,
                    error: broken.map(|b| b.fault.one_line()),
                    report: broken.map(|b| b.fault.to_string()),
                }
            })
            .collect();
        let served: Vec<String> = modules.iter().map(|m| m.file.clone()).collect();
        for (file, broken) in catalog
            .broken
            .iter()
            .filter(|(file, _)| !served.contains(file))
        {
            modules.push(ModuleStatus {
                name: None,
                file: file.clone(),
                state: "broken".into(),
                tools: 0,
                generation: 0,
                error: Some(broken.fault.one_line()),
                report: Some(broken.fault.to_string()),
            });
        }
        Status {
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").into(),
            uptime_ms: u64::try_from(self.uptime().as_millis()).unwrap_or(u64::MAX),
            folders: self.folders().iter().map(|f| absolute(f.root())).collect(),
            tools: catalog.tool_count(),
            modules,
            notes: catalog.notes.clone(),
            calls: Stats::get(&stats.calls),
            failed: Stats::get(&stats.failed),
            in_flight: Stats::get(&stats.in_flight),
            stopped: Stats::get(&stats.stopped),
            stuck: Stats::get(&stats.stuck),
            reloads: Stats::get(&stats.reloads),
        }
    }
}

fn absolute(path: &std::path::Path) -> String {
    std::path::absolute(path)
        .unwrap_or_else(|_| path.to_path_buf())
        .display()
        .to_string()
}
