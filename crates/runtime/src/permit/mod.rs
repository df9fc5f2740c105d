//! What a module may do to the world: its rights, and where its paths begin. Whatever they do not
//! cover is refused, with the line that would grant it.

mod path;
mod program;

use crate::rate::Rates;
use model::{Access, Egress, HostError, Leash, Rate, Rights};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub(crate) struct Permit {
    /// The folder that paths are relative to.
    home: PathBuf,
    rights: Rights,
    rates: Arc<Rates>,
}

impl Permit {
    pub(crate) fn new(home: PathBuf, rights: Rights) -> Self {
        Self {
            home,
            rights,
            rates: Arc::default(),
        }
    }

    /// The same, asking each host no more often than this.
    pub(crate) fn at_rates(self, rates: &BTreeMap<String, Rate>) -> Self {
        Self {
            rates: Arc::new(Rates::new(rates)),
            ..self
        }
    }

    /// Whom a request may reach; that it may be sent at all is judged here.
    pub(crate) fn egress(&self, url: &str) -> Result<Egress, HostError> {
        self.check(&Access::Http(url))?;
        Ok(self.rights.egress())
    }

    /// Does it allow the same? The turns taken so far do not count.
    pub(crate) fn allows_as(&self, other: &Self) -> bool {
        (&self.home, &self.rights) == (&other.home, &other.rights)
    }

    /// Waits until a request may go out.
    pub(crate) fn wait_for_turn(&self, url: &str, leash: &Leash) -> Result<(), HostError> {
        self.rates.wait(url, leash)
    }

    pub(crate) fn env(&self, name: &str) -> Result<(), HostError> {
        self.check(&Access::Env(name))
    }

    fn check(&self, access: &Access<'_>) -> Result<(), HostError> {
        let checked = self.rights.check(access);
        checked.map_err(|denied| HostError(denied.to_string()))
    }
}
