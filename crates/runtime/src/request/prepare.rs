//! Before a request runs: lookup, rate limits, scopes, arguments.

use super::finish::RequestAccount;
use super::target::{FoundTarget, TargetType};
use super::{Asking, RequestError, RequestErrorKind};
use crate::answers::ResultTracker;
use crate::catalog::Catalog;
use crate::life::Visit;
use crate::runtime::Runtime;
use crate::scopes::check_scope_of;
use model::{Caller, Limits};
use std::sync::Arc;
use std::time::Duration;

/// A request that may run.
pub(crate) struct PreparedRequest<T: TargetType> {
    pub(super) runtime: Runtime,
    pub(super) target: T,
    pub(super) found: T::Found,
    /// Served when the request came: the tools that it calls come from there too.
    pub(super) catalog: Arc<Catalog>,
    /// Keeps the module from being stopped, until a thread's lease does.
    pub(super) visit: Option<Visit>,
    pub(super) limits: Arc<Limits>,
    pub(super) asking: Asking,
    /// Number of calls that it is nested in.
    pub(super) depth: usize,
    /// Records what a cached result relies on: its own, or that of a call around it.
    pub(super) tracker: Option<ResultTracker>,
}

impl Runtime {
    /// Every request comes through here.
    pub(super) fn prepare<T: TargetType>(
        &self,
        mut target: T,
        asking: Asking,
        catalog: Arc<Catalog>,
        account: &mut RequestAccount<'_>,
    ) -> Result<PreparedRequest<T>, RequestError> {
        let charged = self.charge_caller(&asking.caller);
        charged.map_err(|limited| RequestErrorKind::from(limited).of(target.name()))?;
        let found = self.find(&target, catalog, &asking.caller);
        let (catalog, mut found, visit) = found.inspect_err(|_| account.missing(&target))?;
        account.found(&catalog, &found);
        let module = found.module();
        let charged = self.charge_module(&catalog, module);
        charged
            .map_err(|limited| RequestErrorKind::from(limited).of(target.error_target(&found)))?;
        let name = (module.name.as_str(), found.own_name());
        check_scope_of(&catalog, &asking.caller, name, || target.error_target(&found))?;
        let accepted = target.accept(&mut found);
        accepted.map_err(|rejected| {
            RequestErrorKind::rejected(rejected).of(target.error_target(&found))
        })?;
        Ok(PreparedRequest {
            limits: target.limits(self, &found),
            runtime: self.clone(),
            target,
            found,
            catalog,
            visit: Some(visit),
            asking,
            depth: 0,
            tracker: None,
        })
    }

    /// Looks up the target in this catalog, or in the newest if its module has ended since.
    fn find<T: TargetType>(
        &self,
        target: &T,
        mut catalog: Arc<Catalog>,
        caller: &Caller,
    ) -> Result<(Arc<Catalog>, T::Found, Visit), RequestError> {
        loop {
            let found = target.find(&catalog)?;
            if let Some(visit) = found.module().life.enter() {
                return Ok((catalog, found, visit));
            }
            catalog = self.view(caller);
        }
    }

    pub(crate) fn limits_for(&self, timeout: Option<Duration>) -> Arc<Limits> {
        let limits = self.limits();
        match timeout {
            Some(timeout) if timeout < limits.time => {
                Arc::new(Limits { time: timeout, ..(**limits).clone() })
            }
            _ => Arc::clone(limits),
        }
    }
}

impl<T: TargetType> PreparedRequest<T> {
    /// Tells the author of an error, and names the target to the caller.
    pub(super) fn report(&self, kind: RequestErrorKind) -> RequestError {
        let target = self.target.error_target(&self.found);
        kind.report(&target, &self.found.module().life);
        kind.of(target)
    }
}
