//! The run of a request: inline where it arrived, or on a thread; the one place where that is decided.

use super::finish::RequestAccount;
use super::nested::Within;
use super::prepare::PreparedRequest;
use super::target::{FoundTarget, TargetType};
use super::{Asking, RequestError, RequestErrorKind};
use crate::answers::ResultTracker;
use crate::errand::{CallThread, Errand};
use crate::gate::Gate;
use crate::lane::Trial;
use crate::runtime::Runtime;
use crate::supervised::GRACE;
use model::Stop;
use script::{CallFailure, Cancel, Turn};
use std::sync::Arc;
use std::time::Instant;

impl Runtime {
    /// The driver of requests that nobody blocks a thread for.
    pub(super) async fn request<T: TargetType>(
        &self,
        target: T,
        asking: Asking,
    ) -> Result<T::Reply, RequestError> {
        let mut account = RequestAccount::begin(self, &target);
        let result = self.run(target, asking, &mut account).await;
        account.finish(result).await
    }

    async fn run<T: TargetType>(
        &self,
        target: T,
        asking: Asking,
        account: &mut RequestAccount<'_>,
    ) -> Result<T::Reply, RequestError> {
        account.open(&target, &asking)?;
        let catalog = self.view(&asking.caller);
        let mut prepared = self.prepare(target, asking, catalog, account)?;
        if let Some(reply) = account.begin_run(&mut prepared) {
            return Ok(reply);
        }
        account.start().await?;
        match prepared.run_inline().await {
            Some(result) => result,
            None => Box::pin(prepared.run_on_thread()).await,
        }
    }
}

impl<T: TargetType> PreparedRequest<T> {
    /// A tool known to be quick runs where its call arrived. An inline run ends at the first host call
    /// and after a thousand steps, before anything has happened that could not be done again.
    async fn run_inline(&self) -> Option<Result<T::Reply, RequestError>> {
        if !self.target.is_quick(&self.found) {
            return None;
        }
        let slot = self.runtime.enter_trial(|| self.watched()).await?;
        let result = self.run_here(Cancel::default(), None, true);
        drop(slot);
        match result {
            Err(CallFailure::NeedsThread) => {
                if let Some(lane) = T::lane(&self.found) {
                    lane.needs_thread();
                }
                None
            }
            result => Some(result.map_err(|failure| self.report(failure.into()))),
        }
    }

    /// What the watchdog knows of an inline run.
    fn watched(&self) -> Trial {
        let (runtime, found) = (self.runtime.clone(), self.found.clone());
        let (given_up, limits) = (self.target.given_up().cloned(), Arc::clone(&self.limits));
        let give_up = move || {
            if let Some(lane) = T::lane(&found) {
                lane.needs_thread();
            }
            let thread = runtime.abandon(Some(&found.module().life));
            if let Some(given_up) = given_up {
                let stopped = RequestErrorKind::stopped(Stop::Deadline, &limits);
                given_up(stopped.of(found.to_string()));
            }
            thread
        };
        Trial {
            since: Instant::now(),
            patience: self.limits.time + GRACE,
            give_up: Some(Box::new(give_up)),
            abandoned: None,
        }
    }

    async fn run_on_thread(mut self) -> Result<T::Reply, RequestError> {
        let errand = Errand {
            runtime: self.runtime.clone(),
            visit: self.visit.take(),
            of: Some((self.asking.caller.clone(), self.found.module().name.clone())),
            limits: Arc::clone(&self.limits),
            name: self.found.to_string(),
            cancel: self.asking.cancel.clone(),
        };
        let timeout = self.target.timeout();
        let prepared = Arc::new(self);
        let here = Arc::clone(&prepared);
        let work = move |cancel, thread: &CallThread| here.run_here(cancel, Some(thread), false);
        let result = errand.run_within(timeout, work).await;
        result.map_err(|kind| prepared.report(kind))
    }

    /// Runs the script on this thread.
    pub(super) fn run_here(
        &self,
        cancel: Cancel,
        thread: Option<&CallThread>,
        inline: bool,
    ) -> Result<T::Reply, CallFailure> {
        let (module, asking) = (self.found.module(), &self.asking);
        let until = Instant::now() + self.limits.time;
        let ground = self.runtime.ground();
        let within = self.within(cancel.clone(), thread, until);
        let folder = &ground.folders[module.folder];
        let gate = Gate {
            progress: asking.progress.as_ref(),
            asker: asking.asker.as_deref(),
            lines: asking.lines.as_ref(),
            updates: Some(&ground.updates),
            read_only: within.read_only,
            within: Some(within),
            ..Gate::new(module.name.as_str(), folder, &module.life.permit, ground)
        };
        let turn = Turn {
            cancel,
            memory: thread.map(|thread| &thread.memory),
            structured: self.target.structured(&self.found, &self.catalog),
            caller: &asking.caller,
            started: &module.life.started,
            trial: inline,
            ticks: Some(&self.runtime.stats().ticks),
            ..Turn::new(&gate, &self.limits)
        };
        let started = Instant::now();
        let evaluated = self.target.evaluate(&self.found, &self.catalog, &turn, until);
        if let Some(lane) = T::lane(&self.found).filter(|_| !inline) {
            lane.ran(started.elapsed(), gate.was_used());
        }
        let (reply, changes) = evaluated?;
        if !changes.is_empty() {
            self.tracker.iter().for_each(ResultTracker::forbid_caching);
            let changed = self.runtime.change_tools(&module.life, changes);
            changed.map_err(|fault| CallFailure::Failed { fault, raised: None })?;
        }
        Ok(reply)
    }

    /// The script, for the calls that it makes.
    fn within<'a>(
        &'a self,
        cancel: Cancel,
        thread: Option<&'a CallThread>,
        until: Instant,
    ) -> Within<'a> {
        Within {
            runtime: &self.runtime,
            read_only: T::read_only(&self.found),
            catalog: &self.catalog,
            caller: &self.asking.caller,
            asker: self.asking.asker.as_ref(),
            limits: &self.limits,
            lines: self.asking.lines.as_ref(),
            depth: self.depth,
            thread,
            name: &self.found,
            permit: &self.found.module().life.permit,
            trail: &self.asking.trail,
            tracker: self.tracker.as_ref(),
            cancel,
            until,
        }
    }
}
