//! Threads of lower priority for large messages: reading one must not hold up small ones.

use std::sync::OnceLock;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinSet;
use tracing::Instrument;

/// Messages of more bytes are read and answered there.
pub(crate) const LARGE: usize = 64 << 10;

/// The threads, from the first large message on.
#[derive(Default)]
pub(crate) struct LargeMessages(OnceLock<Option<Runtime>>);

impl LargeMessages {
    pub(crate) fn spawn<T: Send + 'static>(
        &self,
        set: &mut JoinSet<T>,
        work: impl Future<Output = T> + Send + 'static,
    ) {
        set.spawn_on(work.in_current_span(), &self.executor());
    }

    /// Without threads of their own, large messages are read where the small ones are.
    fn executor(&self) -> Handle {
        let own = self.0.get_or_init(|| {
            // As many as serve: an inline call may hold all but one of them.
            let threads = Handle::current().metrics().num_workers().max(2);
            let built = Builder::new_multi_thread()
                .worker_threads(threads)
                .thread_name("large")
                // Short calls run here as well; a script may nest its calls two hundred deep.
                .thread_stack_size(16 << 20)
                .on_thread_start(runtime::lower_priority)
                .enable_all()
                .build();
            let failed = |error: &std::io::Error| {
                tracing::warn!("cannot start threads for large messages: {error}");
            };
            built.inspect_err(failed).ok()
        });
        own.as_ref().map_or_else(Handle::current, |own| own.handle().clone())
    }
}

impl Drop for LargeMessages {
    fn drop(&mut self) {
        // It may be dropped by a task, which must not wait.
        if let Some(Some(own)) = self.0.take() {
            own.shutdown_background();
        }
    }
}
