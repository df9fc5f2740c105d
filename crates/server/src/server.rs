//! One runtime behind all transports.

use crate::http::HttpListener;
use crate::shared::Shared;
use crate::stdio::{self, StdioEnd};
use runtime::Runtime;
use settings::Errors;
use std::io;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Settings of all transports.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    pub errors: Errors,
    /// Bytes that a message may have.
    pub message_bytes: usize,
}

/// A clone shares.
#[derive(Clone)]
pub struct Server(Arc<Shared>);

impl Server {
    pub fn new(runtime: Runtime, settings: &ServerSettings) -> Self {
        Self(Shared::new(runtime, settings, CancellationToken::new()))
    }

    /// Serves until the client closes its end, or the server is told to end, and all is answered.
    pub async fn serve_stdio(&self) -> io::Result<StdioEnd> {
        stdio::serve(Arc::clone(&self.0)).await
    }

    /// Serves until the server is told to end.
    pub async fn serve_http(&self, listener: HttpListener) {
        listener.serve(Arc::clone(&self.0)).await;
    }

    /// Ends the tasks that are under way: whoever asks for one later hears that it failed.
    pub async fn end_tasks(&self) {
        self.0.runtime.tasks().close().await;
    }

    /// Waits until it has been told to end.
    pub async fn ending(&self) {
        self.0.ending.cancelled().await;
    }

    /// Waits for the end of standard input, while the stdio transport is served.
    pub async fn input_closed(&self) {
        self.0.input_closed.cancelled().await;
    }

    /// Cancels requests that are still in flight.
    pub fn abort(&self) {
        self.0.abort.cancel();
    }

    pub fn is_ending(&self) -> bool {
        self.0.ending.is_cancelled()
    }

    /// Tells all transports to finish what they have begun, and to begin nothing.
    pub fn end(&self) {
        self.0.ending.cancel();
    }
}
