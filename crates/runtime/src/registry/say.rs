//! An answer that is there as data already, in the form that somebody asks for.

use super::shape::{Asked, Shaping};
use crate::catalog::Handle;
use crate::errand::Errand;
use crate::life::Visit;
use crate::request::Within;
use crate::runtime::Runtime;
use model::{Caller, Cancel, Compact, Limits, MemoryShare, StructuredResults};
use script::{CallFailure, Turn};
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

impl Runtime {
    /// An answer that is there as data, said as it was asked for; for whoever needs both. The author's
    /// function runs within the limits of a call of its own. Where that fails, or nobody waits for it
    /// any more, the answer is said without it.
    pub async fn say(
        &self,
        handle: &Handle,
        raw: Value,
        asked: Asked,
        cancel: CancellationToken,
    ) -> Compact {
        let budget = self.catalog().rules.showing.result_tokens;
        self.say_within(handle, Arc::new(raw), asked, cancel, Duration::MAX, budget)
            .await
    }

    /// The same, where the author's function has no more than this time, within a budget of tokens.
    pub(super) async fn say_within(
        &self,
        handle: &Handle,
        raw: Arc<Value>,
        asked: Asked,
        cancel: CancellationToken,
        time: Duration,
        budget: usize,
    ) -> Compact {
        let visit = handle.module.life.enter();
        if let Some(visit) = visit.filter(|_| handle.tool().tool.is_compact()) {
            let errand = self.errand_of(handle, visit, cancel, time);
            let handle = handle.clone();
            let (raw, asked) = (Arc::clone(&raw), asked.clone());
            // The rest of the time is for writing the text.
            let limits = Limits {
                time: errand.limits.time / 10 * 9,
                ..(*errand.limits).clone()
            };
            let said = errand.run(move |cancel, thread| {
                let memory = Some(&thread.memory);
                authors(&handle, budget, &raw, &asked, &limits, cancel, memory)
            });
            if let Ok(said) = said.await {
                return said;
            }
        }
        asked.say_plainly(&raw, handle, budget)
    }

    /// What the author's `compact` function makes of a result; none if it makes nothing or fails.
    pub(super) async fn compact_value(
        &self,
        handle: &Handle,
        raw: &Value,
        cancel: CancellationToken,
        time: Duration,
    ) -> Option<Value> {
        let visit = handle.module.life.enter()?;
        let errand = self.errand_of(handle, visit, cancel, time);
        let (handle, raw, limits) = (handle.clone(), raw.clone(), Arc::clone(&errand.limits));
        let made = errand.run(move |cancel, thread| {
            make_compact(&handle, &raw, &limits, cancel, Some(&thread.memory))
        });
        made.await.ok().flatten()
    }

    fn errand_of(
        &self,
        handle: &Handle,
        visit: Visit,
        cancel: CancellationToken,
        time: Duration,
    ) -> Errand {
        let timeout = handle.tool().tool.timeout;
        let timeout = timeout.map_or(time, |timeout| timeout.min(time));
        Errand {
            visit: Some(visit),
            of: None,
            runtime: self.clone(),
            limits: self.limits_for(Some(timeout)),
            name: format!("compact of {handle}"),
            cancel,
        }
    }
}

impl Within<'_> {
    /// The same for a script, which waits.
    pub(super) fn say(&self, handle: &Handle, raw: &Value, asked: &Asked) -> Compact {
        let budget = self.catalog.rules.showing.result_tokens;
        let visit = handle.module.life.enter();
        if let Some(visit) = visit.filter(|_| handle.tool().tool.is_compact()) {
            let _inside = self.thread.map(|thread| thread.enter(visit));
            let memory = self.thread.map(|thread| &thread.memory);
            let cancel = self.cancel.clone();
            let left = self.until.saturating_duration_since(Instant::now());
            let timeout = handle.tool().tool.timeout.unwrap_or(self.limits.time);
            let limits = Limits {
                // The script has some time left to go on with the text.
                time: timeout.min(left / 10 * 9),
                // The caller's values are in memory as well.
                heap_bytes: self.limits.heap_bytes / 2,
                ..self.limits.clone()
            };
            let said = authors(handle, budget, raw, asked, &limits, cancel, memory);
            if let Ok(said) = said {
                return said;
            }
        }
        asked.say_plainly(raw, handle, budget)
    }
}

impl Within<'_> {
    /// The same for a script, which waits.
    pub(super) fn compact_value(&self, handle: &Handle, raw: &Value) -> Option<Value> {
        let visit = handle.module.life.enter()?;
        let _inside = self.thread.map(|thread| thread.enter(visit));
        let memory = self.thread.map(|thread| &thread.memory);
        let limits = Limits {
            time: self.until.saturating_duration_since(Instant::now()),
            heap_bytes: self.limits.heap_bytes / 2,
            ..self.limits.clone()
        };
        make_compact(handle, raw, &limits, self.cancel.clone(), memory)
            .ok()
            .flatten()
    }
}

fn make_compact(
    handle: &Handle,
    raw: &Value,
    limits: &Limits,
    cancel: Cancel,
    memory: Option<&MemoryShare>,
) -> Result<Option<Value>, CallFailure> {
    let life = &handle.module.life;
    life.turn(limits, &Caller::default(), |turn| {
        let turn = &Turn {
            cancel,
            memory,
            ..*turn
        };
        let made = handle.module.script.compact(handle.tool(), raw, turn);
        made.transpose()
    })
}

/// With what the author's function makes of it, on this thread.
fn authors(
    handle: &Handle,
    budget: usize,
    raw: &Value,
    asked: &Asked,
    limits: &Limits,
    cancel: Cancel,
    memory: Option<&MemoryShare>,
) -> Result<Compact, CallFailure> {
    let until = Instant::now() + limits.time;
    let life = &handle.module.life;
    life.turn(limits, &Caller::default(), |turn| {
        let turn = &Turn {
            cancel,
            memory,
            ..*turn
        };
        let shaping = Shaping {
            handle,
            budget,
            results: StructuredResults::Auto,
            turn,
            until,
        };
        shaping.say(raw, asked)
    })
}
