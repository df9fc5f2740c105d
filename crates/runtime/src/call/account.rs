//! Counts a call, whichever way it was made and however it ends.

use crate::meter::Meter;
use crate::observed::Observed;
use crate::request::{RequestError, Verdict};
use crate::runtime::Runtime;
use crate::stats::Stats;
use model::{Output, Stop};
use std::sync::Arc;
use std::time::Instant;

/// Counts one call from its begin to `finish`. A call whose future is dropped before was cancelled.
pub(crate) struct CallAccount<'a> {
    stats: &'a Stats,
    observed: Option<Observed>,
    is_finished: bool,
}

impl<'a> CallAccount<'a> {
    pub(crate) fn begin(runtime: &'a Runtime, name: &str) -> Self {
        let stats = runtime.stats();
        Stats::add(&stats.calls);
        Self {
            stats,
            observed: runtime.observe(name),
            is_finished: false,
        }
    }

    pub(crate) fn finish(mut self, result: &Result<Output, RequestError>) {
        self.is_finished = true;
        if let Some(observed) = self.observed.take() {
            observed.end(result);
        }
        if Verdict::of(result).is_failure() {
            let stop = result.as_ref().err().and_then(RequestError::stop);
            self.stats.add_failure(stop);
        }
    }
}

impl Drop for CallAccount<'_> {
    fn drop(&mut self) {
        if self.is_finished {
            return;
        }
        self.stats.add_failure(Some(Stop::Cancelled));
        if let Some(observed) = self.observed.take() {
            observed.cancel();
        }
    }
}

/// Measures the run of one tool. A run that is dropped before `finish` has failed.
pub(crate) struct RunTimer {
    meter: Arc<Meter>,
    begin: Instant,
    has_failed: bool,
}

impl RunTimer {
    pub(crate) fn start(meter: Arc<Meter>) -> Self {
        Self {
            meter,
            begin: Instant::now(),
            has_failed: true,
        }
    }

    pub(crate) fn finish(mut self, has_failed: bool) {
        self.has_failed = has_failed;
    }
}

impl Drop for RunTimer {
    fn drop(&mut self) {
        self.meter.add(self.begin.elapsed(), self.has_failed);
    }
}
