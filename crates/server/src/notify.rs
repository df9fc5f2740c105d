//! Tells clients that a list has changed, or a resource they subscribed to: once a change that they
//! can see, and never else.

use crate::reading::Subscribed;
use model::Caller;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, RoleServer, SubscriptionContext, SubscriptionSink};
use runtime::{Catalog, Listener, Runtime, Updated, Wish};
use std::sync::Arc;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// What clients see of each list, in one number each.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Lists {
    tools: u64,
    resources: u64,
    prompts: u64,
}

impl Lists {
    fn of(catalog: &Catalog) -> Self {
        Self {
            tools: catalog.fingerprint,
            resources: catalog.resources.fingerprint,
            prompts: catalog.prompts.fingerprint,
        }
    }
}

/// Which lists are others than those last told of.
#[derive(Clone, Copy)]
struct Changed {
    tools: bool,
    resources: bool,
    prompts: bool,
}

/// What somebody can see, and so hear of.
#[derive(Clone)]
pub(crate) struct Eyes {
    runtime: Runtime,
    caller: Caller,
}

impl Eyes {
    pub(crate) fn new(runtime: &Runtime, caller: Caller) -> Self {
        Self {
            runtime: runtime.clone(),
            caller,
        }
    }

    fn lists(&self) -> Lists {
        Lists::of(&self.runtime.view(&self.caller))
    }

    /// What nobody serves may be served later, and is nobody's secret. What a token is not for, its caller
    /// cannot read, and does not hear of either.
    fn may_hear_of(&self, uri: &str) -> bool {
        let is_served = |catalog: Arc<Catalog>| catalog.resources.find(uri).is_some();
        let may_see =
            is_served(self.runtime.view(&self.caller)) || !is_served(self.runtime.catalog());
        let wish = Wish::Resource(uri);
        may_see && self.runtime.lacking(&self.caller, &wish).is_empty()
    }
}

/// Sees everything from when it is made.
pub(crate) struct Watcher {
    differences: Differences,
    updates: Listener,
}

impl Watcher {
    pub(crate) fn new(eyes: Eyes) -> Self {
        Self {
            updates: eyes.runtime.updates().listen(),
            differences: Differences::new(eyes),
        }
    }
}

struct Differences {
    changes: watch::Receiver<Arc<Catalog>>,
    eyes: Eyes,
    told: Lists,
}

impl Differences {
    fn new(eyes: Eyes) -> Self {
        let mut changes = eyes.runtime.changes();
        changes.mark_unchanged();
        let told = eyes.lists();
        Self {
            changes,
            eyes,
            told,
        }
    }

    /// `None` when nothing will ever change again.
    async fn next(&mut self) -> Option<Changed> {
        loop {
            self.changes.changed().await.ok()?;
            self.changes.mark_unchanged();
            let now = self.eyes.lists();
            let before = std::mem::replace(&mut self.told, now);
            if now != before {
                return Some(Changed {
                    tools: now.tools != before.tools,
                    resources: now.resources != before.resources,
                    prompts: now.prompts != before.prompts,
                });
            }
        }
    }
}

pub(crate) async fn legacy(watcher: Watcher, peer: Peer<RoleServer>, closing: CancellationToken) {
    // Updates of resources are told by whom a subscription starts.
    let mut differences = watcher.differences;
    loop {
        let change = tokio::select! {
            () = closing.cancelled() => return,
            change = differences.next() => change,
        };
        let Some(changed) = change else { return };
        if tell_legacy(changed, &peer).await.is_none() {
            return;
        }
    }
}

/// `None` when nobody hears any more.
async fn tell_legacy(changed: Changed, peer: &Peer<RoleServer>) -> Option<()> {
    if changed.tools {
        peer.notify_tool_list_changed().await.ok()?;
    }
    if changed.resources {
        peer.notify_resource_list_changed().await.ok()?;
    }
    if changed.prompts {
        peer.notify_prompt_list_changed().await.ok()?;
    }
    Some(())
}

/// Updates of resources that a legacy client has subscribed to.
pub(crate) async fn updates(
    mut updates: Listener,
    subscribed: Subscribed,
    eyes: Eyes,
    peer: Peer<RoleServer>,
    closing: CancellationToken,
) {
    loop {
        let update = tokio::select! {
            () = closing.cancelled() => return,
            update = updates.next() => update,
        };
        let uris = match update {
            None => return,
            Some(Updated::Many) => subscribed.uris(),
            Some(Updated::One(uri)) if subscribed.contains(&uri) => vec![uri.to_string()],
            Some(Updated::One(_)) => continue,
        };
        for uri in uris.into_iter().filter(|uri| eyes.may_hear_of(uri)) {
            let word = ResourceUpdatedNotificationParam::new(uri);
            if peer.notify_resource_updated(word).await.is_err() {
                return;
            }
        }
    }
}

pub(crate) async fn modern(
    watcher: Watcher,
    context: SubscriptionContext,
    closing: CancellationToken,
) {
    let Watcher {
        mut differences,
        mut updates,
    } = watcher;
    let sink = context.sink().clone();
    loop {
        let told = tokio::select! {
            () = closing.cancelled() => return,
            () = context.cancelled() => return,
            change = differences.next() => match change {
                Some(changed) => tell_modern(changed, &sink).await,
                None => return,
            },
            update = updates.next() => match update {
                Some(update) => tell_update(update, &differences.eyes, &sink).await,
                None => return,
            },
        };
        if told.is_none() {
            return;
        }
    }
}

async fn tell_modern(changed: Changed, sink: &SubscriptionSink) -> Option<()> {
    let wanted = sink.accepted();
    if changed.tools && wanted.tools_list_changed == Some(true) {
        sink.notify_tool_list_changed().await.ok()?;
    }
    if changed.resources && wanted.resources_list_changed == Some(true) {
        sink.notify_resource_list_changed().await.ok()?;
    }
    if changed.prompts && wanted.prompts_list_changed == Some(true) {
        sink.notify_prompt_list_changed().await.ok()?;
    }
    Some(())
}

async fn tell_update(update: Updated, eyes: &Eyes, sink: &SubscriptionSink) -> Option<()> {
    let wanted = sink.accepted().resource_subscriptions.iter().flatten();
    let is_it = |uri: &&String| match &update {
        Updated::One(changed) => **changed == ***uri,
        Updated::Many => true,
    };
    for uri in wanted.filter(is_it).filter(|uri| eyes.may_hear_of(uri)) {
        sink.notify_resource_updated(uri.clone()).await.ok()?;
    }
    Some(())
}
