//! Results that are data already, in the form that is asked for.

use super::shape::{Asked, Shaping};
use crate::catalog::Handle;
use crate::errand::Errand;
use crate::request::Within;
use crate::runtime::Runtime;
use compact::Compact;
use model::{Caller, Cancel, Limits, MemoryShare};
use script::{CallFailure, Turn};
use serde_json::Value;
use settings::StructuredResults;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

impl Runtime {
    /// Renders a result as it was asked for, for callers that need the data as well. The author's function
    /// runs within the limits of a call of its own. Where that fails, or the caller has gone, the result
    /// is rendered without it.
    pub async fn say(
        &self,
        handle: &Handle,
        raw: Value,
        asked: Asked,
        cancel: CancellationToken,
    ) -> Compact {
        let budget = self.catalog().rules.server.result_tokens;
        self.say_within(handle, Arc::new(raw), asked, cancel, Duration::MAX, budget).await
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
        if handle.tool().tool.is_compact() {
            let (own, raw, asked) = (handle.clone(), Arc::clone(&raw), asked.clone());
            let work =
                move |turn: &Turn<'_>, until| shaping(&own, budget, turn, until).say(&raw, &asked);
            if let Some(said) = self.with_author(handle, cancel, time, work).await {
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
        let (own, raw) = (handle.clone(), raw.clone());
        let work = move |turn: &Turn<'_>, _| make_compact(&own, &raw, turn);
        self.with_author(handle, cancel, time, work).await?
    }

    /// Runs an author's function on a thread of its own.
    async fn with_author<T: Send + 'static>(
        &self,
        handle: &Handle,
        cancel: CancellationToken,
        time: Duration,
        work: impl FnOnce(&Turn<'_>, Instant) -> Result<T, CallFailure> + Send + 'static,
    ) -> Option<T> {
        let visit = handle.module.life.enter()?;
        let timeout = handle.tool().tool.timeout;
        let timeout = timeout.map_or(time, |timeout| timeout.min(time));
        let errand = Errand {
            visit: Some(visit),
            of: None,
            runtime: self.clone(),
            limits: self.limits_for(Some(timeout)),
            name: format!("compact of {handle}"),
            cancel,
        };
        let handle = handle.clone();
        // The rest of the time is for writing the text.
        let limits = Limits { time: errand.limits.time / 10 * 9, ..(*errand.limits).clone() };
        let made = errand.run(move |cancel, thread| {
            on_turn(&handle, &limits, cancel, Some(&thread.memory), work)
        });
        made.await.ok()
    }
}

impl Within<'_> {
    /// The same for a script, which waits.
    pub(super) fn say(&self, handle: &Handle, raw: &Value, asked: &Asked) -> Compact {
        let budget = self.catalog.rules.server.result_tokens;
        let work = |turn: &Turn<'_>, until| shaping(handle, budget, turn, until).say(raw, asked);
        let is_compact = handle.tool().tool.is_compact();
        let said = is_compact.then(|| self.with_author(handle, work)).flatten();
        said.unwrap_or_else(|| asked.say_plainly(raw, handle, budget))
    }

    pub(super) fn compact_value(&self, handle: &Handle, raw: &Value) -> Option<Value> {
        self.with_author(handle, |turn, _| make_compact(handle, raw, turn))?
    }

    /// Runs an author's function on the script's own thread.
    fn with_author<T>(
        &self,
        handle: &Handle,
        work: impl FnOnce(&Turn<'_>, Instant) -> Result<T, CallFailure>,
    ) -> Option<T> {
        let visit = handle.module.life.enter()?;
        let _inside = self.thread.map(|thread| thread.enter(visit));
        let memory = self.thread.map(|thread| &thread.memory);
        let left = self.until.saturating_duration_since(Instant::now());
        let timeout = handle.tool().tool.timeout.unwrap_or(self.limits.time);
        let limits = Limits {
            // The script has some time left to go on with the text.
            time: timeout.min(left / 10 * 9),
            // The caller's values are in memory as well.
            heap_bytes: self.limits.heap_bytes / 2,
            ..self.limits.clone()
        };
        on_turn(handle, &limits, self.cancel.clone(), memory, work).ok()
    }
}

fn on_turn<T>(
    handle: &Handle,
    limits: &Limits,
    cancel: Cancel,
    memory: Option<&MemoryShare>,
    work: impl FnOnce(&Turn<'_>, Instant) -> Result<T, CallFailure>,
) -> Result<T, CallFailure> {
    let until = Instant::now() + limits.time;
    handle.module.life.turn(limits, &Caller::default(), |turn| {
        let turn = &Turn { cancel, memory, ..*turn };
        work(turn, until)
    })
}

fn make_compact(
    handle: &Handle,
    raw: &Value,
    turn: &Turn<'_>,
) -> Result<Option<Value>, CallFailure> {
    let made = handle.module.script.compact(handle.tool(), raw, turn);
    made.transpose()
}

fn shaping<'a>(
    handle: &'a Handle,
    budget: usize,
    turn: &'a Turn<'a>,
    until: Instant,
) -> Shaping<'a> {
    Shaping { handle, budget, results: StructuredResults::Auto, turn, until }
}
