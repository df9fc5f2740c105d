//! Word of resources that have changed, for whoever has subscribed.

use std::sync::Arc;
use tokio::sync::broadcast::{self, error::RecvError};

/// Words kept for a listener that is slow.
const KEPT: usize = 1024;

/// A clone shares.
#[derive(Clone)]
pub struct Updates(broadcast::Sender<Arc<str>>);

impl Default for Updates {
    fn default() -> Self {
        Self(broadcast::Sender::new(KEPT))
    }
}

/// What a listener hears.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Updated {
    One(Arc<str>),
    /// Too many to tell which: any may have changed.
    Many,
}

impl Updates {
    pub(crate) fn tell(&self, uri: &str) {
        // Nobody listening is no error.
        let _ = self.0.send(uri.into());
    }

    pub fn listen(&self) -> Listener {
        Listener(self.0.subscribe())
    }
}

pub struct Listener(broadcast::Receiver<Arc<str>>);

impl Listener {
    /// `None` when nothing will ever change again.
    pub async fn next(&mut self) -> Option<Updated> {
        match self.0.recv().await {
            Ok(uri) => Some(Updated::One(uri)),
            Err(RecvError::Lagged(_)) => Some(Updated::Many),
            Err(RecvError::Closed) => None,
        }
    }
}
