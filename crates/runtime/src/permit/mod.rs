//! What a module may do to the world: its rights, and where its paths begin. Whatever they do not
//! cover is refused, with the line that would grant it.

mod path;
mod program;
mod secret;

use crate::own::Own;
use crate::rate::Rates;
use model::{Access, Denied, Egress, HostError, Rights, Site, ToolPath};
use settings::{Connection, SecretSpec};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub(crate) struct Permit {
    /// The folder that paths are relative to.
    home: PathBuf,
    rights: Rights,
    /// Whatever they say.
    own: Arc<Own>,
    rates: Arc<Rates>,
    /// Databases by name, those that it may use.
    connections: BTreeMap<String, Connection>,
    /// What the manifest asks for.
    secrets: BTreeMap<String, SecretSpec>,
}

impl Permit {
    pub(crate) fn new(home: PathBuf, rights: Rights, own: &Arc<Own>) -> Self {
        Self {
            home,
            rights,
            own: Arc::clone(own),
            rates: Arc::default(),
            connections: BTreeMap::new(),
            secrets: BTreeMap::new(),
        }
    }

    /// May it use anything beyond this machine?
    pub(crate) fn can_reach_out(&self) -> bool {
        self.rights.can_reach_out()
    }

    /// The same, with secrets.
    pub(crate) fn with_secrets(self, secrets: BTreeMap<String, SecretSpec>) -> Self {
        Self { secrets, ..self }
    }

    /// The same, asking each host no more often than this.
    pub(crate) fn at_rates(self, rates: Arc<Rates>) -> Self {
        Self { rates, ..self }
    }

    /// Whom a request may reach, and when. Its own host is judged here: what is not granted is not
    /// looked up.
    pub(crate) fn egress(&self, url: &str) -> Result<Egress, HostError> {
        // What is no URL is refused by those who know how to say it.
        if let Some(site) = Site::read(url) {
            self.check(&Access::Http(&site))?;
        }
        let egress = self.rights.egress();
        if self.rates.is_empty() {
            return Ok(egress);
        }
        let rates = Arc::clone(&self.rates);
        Ok(egress.in_turns(rates))
    }

    /// The same, with databases that are known by name.
    pub(crate) fn with_connections(mut self, all: &BTreeMap<String, Connection>) -> Self {
        let may_use = |name: &str| self.check(&Access::Postgres(name)).is_ok();
        let own = all.iter().filter(|(name, _)| may_use(name));
        self.connections = own.map(|(name, to)| (name.clone(), to.clone())).collect();
        self
    }

    /// Does it allow the same? The turns taken so far do not count.
    pub(crate) fn allows_as(&self, other: &Self) -> bool {
        self.home == other.home
            && self.rights == other.rights
            && self.own == other.own
            && self.connections == other.connections
            && self.secrets == other.secrets
    }

    pub(crate) fn env(&self, name: &str) -> Result<(), HostError> {
        if self.own.has_variable(name) {
            return Err(HostError(Denied::own(name).to_string()));
        }
        self.check(&Access::Env(name))
    }

    /// May a script of this module call the tool?
    pub(crate) fn calls(&self, tool: &ToolPath) -> Result<(), Denied> {
        self.rights.check(&Access::Calls(tool))
    }

    fn check(&self, access: &Access<'_>) -> Result<(), HostError> {
        let checked = self.rights.check(access);
        checked.map_err(|denied| HostError(denied.to_string()))
    }
}
