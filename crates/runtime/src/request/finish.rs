//! Accounting of a request: counters, metrics, the observer, the audit log and the cache, however it ends.

use super::prepare::PreparedRequest;
use super::target::{FoundTarget, TargetType};
use super::{Asking, RequestError, RequestErrorKind, RequestReply, RequestVerdict};
use crate::answers::PendingResult;
use crate::audit::{Entry, Receipt, Unwritten};
use crate::catalog::Catalog;
use crate::meter::Meter;
use crate::observed::Observed;
use crate::runtime::Runtime;
use crate::stats::Stats;
use model::Stop;
use std::sync::Arc;
use std::time::Instant;

/// Counts one request from its begin to `finish`. One whose future is dropped before was cancelled.
pub(crate) struct RequestAccount<'a> {
    runtime: &'a Runtime,
    observed: Option<Observed>,
    entry: Entry,
    /// Set where an entry may be refused.
    name: String,
    /// Measures the run of a tool.
    run: Option<(Arc<Meter>, Instant)>,
    /// Set while the result may be cached.
    pending: Option<PendingResult>,
    is_finished: bool,
}

impl<'a> RequestAccount<'a> {
    pub(super) fn begin<T: TargetType>(runtime: &'a Runtime, target: &T) -> Self {
        Stats::add(&runtime.stats().calls);
        Self {
            runtime,
            observed: runtime.observe(&target.name()),
            entry: Entry::default(),
            name: String::new(),
            run: None,
            pending: None,
            is_finished: false,
        }
    }

    /// Opens the audit entry.
    pub(super) fn open<T: TargetType>(
        &mut self,
        target: &T,
        asking: &Asking,
    ) -> Result<(), RequestError> {
        let audit = self.runtime.audit();
        if !audit.is_on() {
            return Ok(());
        }
        let (caller, trail) = (&asking.caller, &asking.trail);
        self.name = target.name().into_owned();
        let entry = audit.begin(T::METHOD, caller, trail, &self.name, target.arguments());
        self.entry = entry.map_err(|unwritten| self.refused(unwritten))?;
        Ok(())
    }

    pub(super) fn found(&mut self, catalog: &Catalog, found: &impl FoundTarget) {
        self.entry.found(catalog, found.module(), found.own_name());
        if let Some(observed) = &mut self.observed {
            observed.found(found);
        }
    }

    /// Audits which target was meant, even one hidden from the caller.
    pub(super) fn missing<T: TargetType>(&mut self, target: &T) {
        if self.entry.is_open() {
            let catalog = self.runtime.catalog();
            if let Ok(found) = target.find(&catalog) {
                self.entry.found(&catalog, found.module(), found.own_name());
            }
        }
    }

    /// The run begins, unless there is a reply already.
    pub(super) fn begin_run<T: TargetType>(
        &mut self,
        prepared: &mut PreparedRequest<T>,
    ) -> Option<T::Reply> {
        if let Some(reply) = prepared.target.ready_reply(&prepared.found) {
            return Some(reply);
        }
        self.run = T::meter(self.runtime, &prepared.found).map(|meter| (meter, Instant::now()));
        match prepared.look_up_cache() {
            Ok(reply) => {
                self.entry.cached();
                Some(reply)
            }
            Err(pending) => {
                self.pending = pending;
                None
            }
        }
    }

    pub(super) async fn start(&mut self) -> Result<(), RequestError> {
        let started = self.entry.start().await;
        started.map_err(|unwritten| self.refused(unwritten))
    }

    pub(super) fn start_blocking(&mut self) -> Result<(), RequestError> {
        let started = self.entry.start_blocking();
        started.map_err(|unwritten| self.refused(unwritten))
    }

    pub(super) async fn finish<T: RequestReply>(
        mut self,
        result: Result<T, RequestError>,
    ) -> Result<T, RequestError> {
        let written = match self.record(&result) {
            Ok(Some(receipt)) => receipt.written().await,
            recorded => recorded.map(|_| ()),
        };
        self.close(result, written)
    }

    /// The same on a thread that may block.
    pub(super) fn finish_blocking<T: RequestReply>(
        mut self,
        result: Result<T, RequestError>,
    ) -> Result<T, RequestError> {
        let written = match self.record(&result) {
            Ok(Some(receipt)) => receipt.wait(),
            recorded => recorded.map(|_| ()),
        };
        self.close(result, written)
    }

    /// Ends the run: its meter, the cache and the audit entry.
    fn record<T: RequestReply>(
        &mut self,
        result: &Result<T, RequestError>,
    ) -> Result<Option<Receipt>, Unwritten> {
        self.measure(RequestVerdict::of(result).is_failure());
        if let Some(pending) = self.pending.take()
            && let Ok(reply) = result
            && let Some(kept) = reply.to_cache()
        {
            pending.put(self.runtime.answers(), kept);
        }
        std::mem::take(&mut self.entry).end(result)
    }

    /// Counts the request, whose result is withheld if its end could not be recorded.
    fn close<T: RequestReply>(
        mut self,
        result: Result<T, RequestError>,
        written: Result<(), Unwritten>,
    ) -> Result<T, RequestError> {
        self.is_finished = true;
        let result = match written {
            Ok(()) => result,
            Err(unwritten) => Err(self.refused(unwritten)),
        };
        if let Some(observed) = self.observed.take() {
            observed.end(&result);
        }
        if RequestVerdict::of(&result).is_failure() {
            let stop = result.as_ref().err().and_then(RequestError::stop);
            self.runtime.stats().add_failure(stop);
        }
        result
    }

    /// Ends a request of a target that cannot be called: counted, charged and audited like others. Nothing
    /// has run, so nothing waits for its line.
    pub(super) fn reject<T: TargetType>(
        mut self,
        target: &T,
        asking: &Asking,
        error: RequestError,
    ) -> RequestError {
        let opened = self.open(target, asking);
        let charged = opened.and_then(|()| {
            let charged = self.runtime.charge_caller(&asking.caller);
            charged.map_err(|limited| RequestErrorKind::from(limited).of(target.name()))
        });
        if matches!(error.kind, RequestErrorKind::Missing { .. }) {
            self.missing(target);
        }
        let error = charged.err().unwrap_or(error);
        let result = Err::<T::Reply, _>(error.clone());
        let _ = self.record(&result);
        self.close(result, Ok(())).err().unwrap_or(error)
    }

    fn measure(&mut self, has_failed: bool) {
        if let Some((meter, begin)) = self.run.take() {
            meter.add(begin.elapsed(), has_failed);
        }
    }

    fn refused(&self, unwritten: Unwritten) -> RequestError {
        RequestErrorKind::from(unwritten).of(&self.name)
    }
}

impl Drop for RequestAccount<'_> {
    /// The caller has disconnected. The audit entry ends with its own drop.
    fn drop(&mut self) {
        if self.is_finished {
            return;
        }
        self.measure(true);
        self.runtime.stats().add_failure(Some(Stop::Cancelled));
        if let Some(observed) = self.observed.take() {
            observed.cancel();
        }
    }
}
