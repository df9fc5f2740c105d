//! Tells clients that the list has changed: once a change that they can see, and never else.

use rmcp::service::{Peer, RoleServer, SubscriptionContext};
use runtime::Catalog;
use std::sync::Arc;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The next catalog whose list differs from the one last told of.
struct Differences {
    changes: watch::Receiver<Arc<Catalog>>,
    told: u64,
}

impl Differences {
    fn new(mut changes: watch::Receiver<Arc<Catalog>>) -> Self {
        let told = changes.borrow_and_update().fingerprint;
        Self { changes, told }
    }

    /// `None` when nothing will ever change again.
    async fn next(&mut self) -> Option<()> {
        loop {
            self.changes.changed().await.ok()?;
            let now = self.changes.borrow_and_update().fingerprint;
            if now != self.told {
                self.told = now;
                return Some(());
            }
        }
    }
}

pub(crate) async fn legacy(
    changes: watch::Receiver<Arc<Catalog>>,
    peer: Peer<RoleServer>,
    closing: CancellationToken,
) {
    let mut differences = Differences::new(changes);
    loop {
        tokio::select! {
            () = closing.cancelled() => return,
            change = differences.next() => if change.is_none() { return },
        }
        if peer.notify_tool_list_changed().await.is_err() {
            return;
        }
    }
}

pub(crate) async fn modern(
    changes: watch::Receiver<Arc<Catalog>>,
    context: SubscriptionContext,
    closing: CancellationToken,
) {
    let mut differences = Differences::new(changes);
    let sink = context.sink().clone();
    let wanted = context.accepted().tools_list_changed == Some(true);
    loop {
        tokio::select! {
            () = closing.cancelled() => return,
            () = context.cancelled() => return,
            change = differences.next() => if change.is_none() { return },
        }
        if wanted && sink.notify_tool_list_changed().await.is_err() {
            return;
        }
    }
}
