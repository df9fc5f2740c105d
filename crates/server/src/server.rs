//! One runtime behind all doors.

use crate::http::HttpDoor;
use crate::shared::Shared;
use crate::stdio;
use model::Errors;
use runtime::Runtime;
use std::io;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A clone shares.
#[derive(Clone)]
pub struct Server(Arc<Shared>);

impl Server {
    pub fn new(runtime: Runtime, errors: Errors) -> Self {
        Self(Shared::new(runtime, errors, CancellationToken::new()))
    }

    /// Serves until the client closes its end, or the server is told to end. A client that leaves
    /// takes the server with it, whatever other doors it has.
    pub async fn serve_stdio(&self) -> io::Result<()> {
        stdio::serve(Arc::clone(&self.0)).await
    }

    /// Serves until the server is told to end.
    pub async fn serve_http(&self, door: HttpDoor) {
        door.serve(Arc::clone(&self.0)).await;
    }

    /// Ends the tasks that are under way: whoever asks for one later hears that it failed.
    pub async fn end_tasks(&self) {
        self.0.runtime.tasks().close().await;
    }

    /// Waits until it has been told to end.
    pub async fn ending(&self) {
        self.0.ending.cancelled().await;
    }

    /// Tells all doors to finish what they have begun, and to begin nothing.
    pub fn end(&self) {
        self.0.ending.cancel();
    }
}
