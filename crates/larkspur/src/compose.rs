//! The only place that knows everyone: folders and limits become a runtime.

use crate::args::Common;
use runtime::{Event, Runtime, Settings};
use std::path::PathBuf;

/// The folders that were named, or the usual ones. Where neither of those exists yet, both are
/// waited for.
pub(crate) fn folders(common: &Common) -> Vec<PathBuf> {
    if !common.modules.is_empty() {
        return common.modules.clone();
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

pub(crate) fn settings(common: &Common) -> Settings {
    Settings {
        folders: folders(common),
        ..Settings::default()
    }
}

/// Everything loaded, once.
pub(crate) fn open(common: &Common) -> Runtime {
    Runtime::open(settings(common))
}

/// Everything loaded, and kept fresh.
pub(crate) fn watch(common: &Common, told: impl Fn(&Event) + Send + 'static) -> Runtime {
    Runtime::watch(settings(common), told)
}

/// Threads for waiting; scripts have their own.
pub(crate) fn executor() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        // Short calls run where they arrive; a script may nest its calls two hundred deep.
        .thread_stack_size(16 << 20)
        .enable_all()
        .build()
}
