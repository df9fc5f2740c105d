//! Whom the requests of one module may reach, and when. Asked again at every redirect, and with the
//! address that a name stands for.

use super::Access;
use super::denied::Denied;
use super::scope::Scope;
use crate::host::{HostError, Site};
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

#[derive(Debug, Clone)]
pub struct Egress {
    module: String,
    scope: Scope,
    turns: Option<Arc<dyn Turns>>,
}

/// Why a request may go out, which decides the addresses it may go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The site is granted by name, wherever it lies.
    Granted,
    /// Any public address.
    Public,
}

/// Who asks too often waits.
pub trait Turns: fmt::Debug + Send + Sync {
    /// Takes the next turn at a site and says when that is, unless it is later than this.
    fn take(&self, site: &Site, until: Instant) -> Result<Instant, HostError>;
}

impl Egress {
    pub(super) fn new(module: &str, scope: &Scope) -> Self {
        Self { module: module.to_owned(), scope: scope.clone(), turns: None }
    }

    /// The same, each request in its turn.
    #[must_use]
    pub fn in_turns(self, turns: Arc<dyn Turns>) -> Self {
        Self { turns: Some(turns), ..self }
    }

    pub fn reach(&self, site: &Site) -> Result<Reach, Denied> {
        let reach = self.scope.reach(site);
        reach.map_err(|layer| Denied::by(&self.module, &Access::Http(site), layer))
    }

    /// The words for a site that is here or next door. Where exactly is not said.
    pub fn not_public(&self, site: &Site) -> Denied {
        Denied::not_public(&self.module, site, self.scope.only_public(site))
    }

    /// Are there hosts that may not be asked at any time?
    pub fn has_turns(&self) -> bool {
        self.turns.is_some()
    }

    /// When a request may go out to a site.
    pub fn turn(&self, site: &Site, until: Instant) -> Result<Instant, HostError> {
        match &self.turns {
            Some(turns) => turns.take(site, until),
            None => Ok(Instant::now()),
        }
    }
}

#[cfg(test)]
#[path = "egress_tests.rs"]
mod tests;
