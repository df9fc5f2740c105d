//! What a module may do to the world: its rights, and where its paths begin. Whatever they do not
//! cover is refused, with the line that would grant it.

mod path;
mod program;

use model::{Access, Egress, HostError, Rights};
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Permit {
    /// The folder that paths are relative to.
    home: PathBuf,
    rights: Rights,
}

impl Permit {
    pub(crate) fn new(home: PathBuf, rights: Rights) -> Self {
        Self { home, rights }
    }

    /// Whom a request may reach; that it may be sent at all is judged here.
    pub(crate) fn egress(&self, url: &str) -> Result<Egress, HostError> {
        self.check(&Access::Http(url))?;
        Ok(self.rights.egress())
    }

    pub(crate) fn env(&self, name: &str) -> Result<(), HostError> {
        self.check(&Access::Env(name))
    }

    fn check(&self, access: &Access<'_>) -> Result<(), HostError> {
        let checked = self.rights.check(access);
        checked.map_err(|denied| HostError(denied.to_string()))
    }
}
