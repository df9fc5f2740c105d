//! What a running call relies on: it decides whether its result is cached, and for whom.

use super::{Answers, CachedResult, Kept, Key, Who};
use model::{Ability, Asker, Cache, Leash, Question, SecretName, SecretStamp, Unanswered, World};
use parking_lot::Mutex;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A secret that a call asked for, and the value it stood for; none if it was not set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SecretUse {
    pub(super) module: String,
    pub(super) name: String,
    pub(super) stamp: Option<SecretStamp>,
}

impl SecretUse {
    /// Whether this user would use the same value now.
    pub(crate) fn is_current(&self, user: &str, world: &dyn World) -> bool {
        let stamp =
            world.secret_stamp(&SecretName { module: &self.module, name: &self.name, user });
        stamp.is_ok_and(|stamp| stamp == self.stamp)
    }

    fn is_personal(&self) -> bool {
        self.stamp.is_some_and(|stamp| stamp.personal)
    }
}

/// Record of one running call. A nested call records for the calls around it as well. A clone shares.
#[derive(Clone, Default)]
pub(crate) struct ResultTracker(Arc<Tracked>);

#[derive(Default)]
struct Tracked {
    uncacheable: AtomicBool,
    secrets: Mutex<Vec<SecretUse>>,
    outer: Option<ResultTracker>,
}

impl ResultTracker {
    fn within(outer: Option<Self>) -> Self {
        Self(Arc::new(Tracked { outer, ..Tracked::default() }))
    }

    /// The client was asked something, or tools came and went: the call must run each time.
    pub(crate) fn forbid_caching(&self) {
        self.0.uncacheable.store(true, Ordering::Relaxed);
        if let Some(outer) = &self.0.outer {
            outer.forbid_caching();
        }
    }

    /// Records a secret before it is used: if it changes meanwhile, the result is not current.
    pub(crate) fn record_secret(&self, wanted: &SecretName<'_>, world: &dyn World) {
        match world.secret_stamp(wanted) {
            Ok(stamp) => self.record(&SecretUse {
                module: wanted.module.to_owned(),
                name: wanted.name.to_owned(),
                stamp,
            }),
            Err(_) => self.forbid_caching(),
        }
    }

    /// Records what a cached result of a nested call relies on.
    pub(crate) fn record_result(&self, result: &CachedResult) {
        result.secrets.iter().for_each(|used| self.record(used));
    }

    fn record(&self, used: &SecretUse) {
        let mut secrets = self.0.secrets.lock();
        // The first use counts: a later one may already see a changed value.
        let is_known =
            |known: &SecretUse| (&known.module, &known.name) == (&used.module, &used.name);
        if !secrets.iter().any(is_known) {
            secrets.push(used.clone());
        }
        drop(secrets);
        if let Some(outer) = &self.0.outer {
            outer.record(used);
        }
    }

    fn is_cacheable(&self) -> bool {
        !self.0.uncacheable.load(Ordering::Relaxed)
    }

    fn secrets(&self) -> Vec<SecretUse> {
        let secrets = self.0.secrets.lock();
        secrets.clone()
    }
}

/// A result that may be cached once its call has ended.
pub(crate) struct PendingResult {
    key: Key,
    /// The caller, who alone gets a result that was made with a secret of theirs.
    who: Who,
    time: Duration,
    pub(crate) tracker: ResultTracker,
}

impl PendingResult {
    /// Whatever the client is asked from here on is recorded.
    pub(crate) fn begin(
        key: Key,
        who: Who,
        cache: Cache,
        outer: Option<ResultTracker>,
        asker: &mut Option<Arc<dyn Asker>>,
    ) -> Self {
        let tracker = ResultTracker::within(outer);
        if let Some(asked) = asker.take() {
            let tracker = tracker.clone();
            *asker = Some(Arc::new(TrackedAsker { asked, tracker }));
        }
        Self { key, who, time: cache.time, tracker }
    }

    pub(crate) fn put(self, answers: &Answers, kept: Kept) {
        if !self.tracker.is_cacheable() {
            return;
        }
        let secrets = self.tracker.secrets();
        let key = if secrets.iter().any(SecretUse::is_personal) {
            self.key.for_caller(self.who)
        } else {
            self.key
        };
        answers.put(key, CachedResult { kept, secrets }, self.time);
    }
}

/// Passes everything on. Tools that are called from a call ask through it as well.
struct TrackedAsker {
    asked: Arc<dyn Asker>,
    tracker: ResultTracker,
}

impl Asker for TrackedAsker {
    fn can(&self, ability: Ability) -> bool {
        self.tracker.forbid_caching();
        self.asked.can(ability)
    }

    fn ask(&self, questions: &[Question], leash: &Leash) -> Result<Vec<Value>, Unanswered> {
        self.tracker.forbid_caching();
        self.asked.ask(questions, leash)
    }
}
