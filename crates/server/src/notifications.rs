//! Tells clients that a list has changed, or a resource they subscribed to: once per change that they can
//! see.

use crate::context::RequestCx;
use crate::peer::ClientPeer;
use crate::shared::Shared;
use crate::sink::{MessageSink, notification};
use model::Caller;
use rmcp::model::SubscriptionFilter;
use runtime::{Catalog, Listener, Runtime, Updated, Wish};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use tokio::sync::watch;

const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
const UPDATED: &str = "notifications/resources/updated";
const TOOLS: &str = "notifications/tools/list_changed";
const RESOURCES: &str = "notifications/resources/list_changed";
const PROMPTS: &str = "notifications/prompts/list_changed";

/// What clients see of each list, in one number each.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Fingerprints {
    tools: u64,
    resources: u64,
    prompts: u64,
}

impl Fingerprints {
    fn of(catalog: &Catalog) -> Self {
        Self {
            tools: catalog.fingerprint,
            resources: catalog.resources.fingerprint,
            prompts: catalog.prompts.fingerprint,
        }
    }
}

/// A caller, and what it can see.
#[derive(Clone)]
pub(crate) struct Viewer {
    runtime: Runtime,
    caller: Caller,
}

impl Viewer {
    pub(crate) fn new(runtime: &Runtime, caller: Caller) -> Self {
        Self { runtime: runtime.clone(), caller }
    }

    fn fingerprints(&self) -> Fingerprints {
        Fingerprints::of(&self.runtime.view(&self.caller))
    }

    /// A URI that no module serves may be served later, and is no secret. A caller does not hear of what it
    /// may not read, for lack of a role or a scope.
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
    lists: ListWatcher,
    updates: Listener,
}

impl Watcher {
    pub(crate) fn new(viewer: Viewer) -> Self {
        Self { updates: viewer.runtime.updates().listen(), lists: ListWatcher::new(viewer) }
    }
}

struct ListWatcher {
    changes: watch::Receiver<Arc<Catalog>>,
    viewer: Viewer,
    sent: Fingerprints,
}

impl ListWatcher {
    fn new(viewer: Viewer) -> Self {
        let mut changes = viewer.runtime.changes();
        changes.mark_unchanged();
        let sent = viewer.fingerprints();
        Self { changes, viewer, sent }
    }

    /// Methods of the notifications that are due; none when nothing will change again.
    async fn next(&mut self) -> Option<Vec<&'static str>> {
        loop {
            self.changes.changed().await.ok()?;
            self.changes.mark_unchanged();
            let now = self.viewer.fingerprints();
            let before = std::mem::replace(&mut self.sent, now);
            let lists = [
                (TOOLS, now.tools != before.tools),
                (RESOURCES, now.resources != before.resources),
                (PROMPTS, now.prompts != before.prompts),
            ];
            let changed = lists.into_iter().filter(|(_, has_changed)| *has_changed);
            let methods: Vec<&str> = changed.map(|(method, _)| method).collect();
            if !methods.is_empty() {
                return Some(methods);
            }
        }
    }
}

/// Tells a client of changed lists until it is gone.
pub(crate) fn spawn_list_changes(shared: &Shared, peer: &Arc<ClientPeer>) {
    let viewer = Viewer::new(&shared.runtime, peer.caller.clone());
    let mut lists = ListWatcher::new(viewer);
    let peer = Arc::clone(peer);
    tokio::spawn(async move {
        loop {
            let methods = tokio::select! {
                () = peer.closing.cancelled() => return,
                methods = lists.next() => methods,
            };
            let Some(methods) = methods else { return };
            for method in methods {
                peer.sink.send(notification(method, None::<()>));
            }
        }
    });
}

/// Tells a client of updates of the resources it has subscribed to, until it is gone.
pub(crate) fn spawn_updates(shared: &Shared, peer: &Arc<ClientPeer>) {
    let mut updates = shared.runtime.updates().listen();
    let viewer = Viewer::new(&shared.runtime, peer.caller.clone());
    let peer = Arc::clone(peer);
    tokio::spawn(async move {
        loop {
            let update = tokio::select! {
                () = peer.closing.cancelled() => return,
                update = updates.next() => update,
            };
            let uris = match update {
                None => return,
                Some(Updated::Many) => peer.subscriptions(),
                Some(Updated::One(uri)) if peer.is_subscribed(&uri) => vec![uri.to_string()],
                Some(Updated::One(_)) => continue,
            };
            for uri in uris.into_iter().filter(|uri| viewer.may_hear_of(uri)) {
                peer.sink.send(notification(UPDATED, Some(json!({"uri": uri}))));
            }
        }
    });
}

/// The stream of one `subscriptions/listen`.
struct Subscription {
    sink: Arc<dyn MessageSink>,
    accepted: SubscriptionFilter,
    id: Value,
}

impl Subscription {
    fn send(&self, method: &str, mut params: Map<String, Value>) {
        params.insert("_meta".into(), json!({SUBSCRIPTION_ID: self.id}));
        self.sink.send(notification(method, Some(params)));
    }

    fn send_changes(&self, methods: &[&str]) {
        for method in methods {
            let is_wanted = match *method {
                TOOLS => self.accepted.tools_list_changed,
                RESOURCES => self.accepted.resources_list_changed,
                _ => self.accepted.prompts_list_changed,
            };
            if is_wanted == Some(true) {
                self.send(method, Map::new());
            }
        }
    }

    fn send_update(&self, update: &Updated, viewer: &Viewer) {
        let wanted = self.accepted.resource_subscriptions.iter().flatten();
        let is_it = |uri: &&String| match update {
            Updated::One(changed) => **changed == ***uri,
            Updated::Many => true,
        };
        for uri in wanted.filter(is_it).filter(|uri| viewer.may_hear_of(uri)) {
            let params = Map::from_iter([("uri".to_owned(), uri.clone().into())]);
            self.send(UPDATED, params);
        }
    }
}

/// Sends what was asked for until the request is cancelled or the server ends.
pub(crate) async fn listen(
    watcher: Watcher,
    accepted: SubscriptionFilter,
    sink: Arc<dyn MessageSink>,
    cx: &RequestCx,
) {
    let Watcher { mut lists, mut updates } = watcher;
    let notifications = json!(accepted);
    let subscription = Subscription { sink, accepted, id: json!(cx.id) };
    let params = Map::from_iter([("notifications".to_owned(), notifications)]);
    subscription.send(ACKNOWLEDGED, params);
    loop {
        tokio::select! {
            () = cx.closing.cancelled() => return,
            () = cx.cancel.cancelled() => return,
            methods = lists.next() => match methods {
                Some(methods) => subscription.send_changes(&methods),
                None => return,
            },
            update = updates.next() => match update {
                Some(update) => subscription.send_update(&update, &lists.viewer),
                None => return,
            },
        }
    }
}
