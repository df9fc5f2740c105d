//! The only place that knows everyone: folders and limits become a runtime.

use crate::args::Global;
use runtime::{Event, Runtime, Settings};
use std::path::PathBuf;

/// The folders that were named, or the usual ones. Where neither of those exists yet, both are
/// waited for.
pub(crate) fn folders(global: &Global) -> Vec<PathBuf> {
    if !global.modules.is_empty() {
        return global.modules.clone();
    }
    let usual = [PathBuf::from("modules"), PathBuf::from("extensions")];
    let there: Vec<PathBuf> = usual
        .iter()
        .filter(|folder| folder.is_dir())
        .cloned()
        .collect();
    if there.is_empty() {
        usual.to_vec()
    } else {
        there
    }
}

pub(crate) fn settings(global: &Global) -> Settings {
    Settings {
        folders: folders(global),
        ..Settings::default()
    }
}

/// Everything loaded, once.
pub(crate) fn open(global: &Global) -> Runtime {
    Runtime::open(settings(global))
}

/// Everything loaded, and kept fresh.
pub(crate) fn watch(global: &Global, told: impl Fn(&Event) + Send + 'static) -> Runtime {
    Runtime::watch(settings(global), told)
}

/// Threads for waiting; scripts have their own.
pub(crate) fn executor() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(Settings::default().threads)
        // Short calls run where they arrive; a script may nest its calls two hundred deep.
        .thread_stack_size(16 << 20)
        .enable_all()
        .build()
}
