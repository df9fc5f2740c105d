//! An answer on its way, and whether anything happened that makes it nobody else's.

use super::{Answers, Kept, Key};
use model::{Ability, Asker, Cache, Leash, Question, Unanswered};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Set when the answer is not to be kept: the client was asked something, or tools came and went. A clone
/// shares.
#[derive(Clone, Default)]
pub(crate) struct Spoilt(Arc<AtomicBool>);

impl Spoilt {
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

pub(crate) struct Keeping {
    key: Key,
    time: Duration,
    pub(crate) spoilt: Spoilt,
}

impl Keeping {
    /// Whatever the client is asked from here on is noted.
    pub(crate) fn begin(key: Key, cache: Cache, asker: &mut Option<Arc<dyn Asker>>) -> Self {
        let spoilt = Spoilt::default();
        if let Some(asked) = asker.take() {
            let spoilt = spoilt.clone();
            *asker = Some(Arc::new(Noting { asked, spoilt }));
        }
        Self {
            key,
            time: cache.time,
            spoilt,
        }
    }

    pub(crate) fn put(self, answers: &Answers, kept: Kept) {
        if !self.spoilt.0.load(Ordering::Relaxed) {
            answers.put(self.key, kept, self.time);
        }
    }
}

/// Passes everything on. Tools that are called from a call ask through it as well.
struct Noting {
    asked: Arc<dyn Asker>,
    spoilt: Spoilt,
}

impl Asker for Noting {
    fn can(&self, ability: Ability) -> bool {
        self.spoilt.set();
        self.asked.can(ability)
    }

    fn ask(&self, questions: &[Question], leash: &Leash) -> Result<Vec<Value>, Unanswered> {
        self.spoilt.set();
        self.asked.ask(questions, leash)
    }
}
