//! Threads that wait for networks, started when the first script wants one.

use std::sync::OnceLock;
use tokio::runtime::{Builder, Runtime};

#[derive(Default)]
pub(crate) struct Executor(OnceLock<Result<Runtime, String>>);

impl Executor {
    /// Waits here, on a script's thread, for something that happens there.
    pub(crate) fn wait<T>(&self, work: impl Future<Output = T>) -> Result<T, String> {
        let runtime = self.0.get_or_init(|| {
            let mut builder = Builder::new_multi_thread();
            builder.worker_threads(threads()).thread_name("outside").enable_all();
            builder.build().map_err(|error| error.to_string())
        });
        match runtime {
            Ok(runtime) => Ok(runtime.block_on(work)),
            Err(why) => Err(format!("no thread could be started: {why}")),
        }
    }
}

/// They only carry bytes to and from those who wait: one for two processors keeps words from being
/// handed back and forth among them.
fn threads() -> usize {
    let processors = std::thread::available_parallelism();
    processors.map_or(1, |all| (all.get() / 2).clamp(1, 4))
}
