//! What a script reaches of the world: the host as one call of one module may use it.

use crate::call::Progress;
use crate::disk::Folder;
use crate::updates::Updates;
use model::{Host, HostError, Level};
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

pub struct Gate<'a> {
    pub module: &'a str,
    pub folder: &'a Folder,
    pub progress: Option<&'a Progress>,
    /// Hears of resources that have changed; while a file loads nobody does.
    pub updates: Option<&'a Updates>,
    /// Set when the script has reached for anything here.
    pub used: AtomicBool,
}

impl Gate<'_> {
    fn use_it(&self) {
        self.used.store(true, Ordering::Relaxed);
    }
}

impl Host for Gate<'_> {
    fn log(&self, level: Level, message: &str, fields: &Value) {
        self.use_it();
        let module = self.module;
        let fields = match fields {
            Value::Object(map) if !map.is_empty() => format!(" {fields}"),
            _ => String::new(),
        };
        match level {
            Level::Debug => tracing::debug!(target: "script", "{module}: {message}{fields}"),
            Level::Info => tracing::info!(target: "script", "{module}: {message}{fields}"),
            Level::Warn => tracing::warn!(target: "script", "{module}: {message}{fields}"),
            Level::Error => tracing::error!(target: "script", "{module}: {message}{fields}"),
        }
    }

    fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        self.use_it();
        if let Some(progress) = self.progress {
            progress(done, total, message);
        }
    }

    fn resource_updated(&self, uri: &str) {
        self.use_it();
        if let Some(updates) = self.updates {
            updates.tell(uri);
        }
    }

    fn read(&self, path: &str) -> Result<String, HostError> {
        self.use_it();
        self.folder
            .read_text(path)
            .map_err(|why| HostError(format!("cannot read {path}: {why}")))
    }

    fn now_ms(&self) -> i64 {
        self.use_it();
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }
}
