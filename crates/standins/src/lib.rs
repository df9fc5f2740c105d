//! Stand-ins for Notion, GitHub and Jira on this machine, with the world of one invented company.
//!
//! They answer what `modules/notion`, `modules/github` and `modules/jira` ask, in the shapes and sizes of
//! the services' own answers: each thing is made of one item in a module's `payloads`. A thing that is
//! created is there afterwards. Throwaway, for tests and the demo; nothing of the product.

mod base64;
mod github;
mod http;
mod jira;
mod notion;
mod shape;
mod standin;
#[cfg(test)]
mod tests;

use std::io;

pub use standin::{Given, Standin};

/// Whose API token Jira's is: it is sent with it.
pub const JIRA_EMAIL: &str = jira::EMAIL;

/// The three of them, each on a port of its own, until this value goes.
pub struct Standins {
    pub notion: Standin,
    pub github: Standin,
    pub jira: Standin,
}

impl Standins {
    /// # Errors
    /// If this machine gives no port.
    pub fn start() -> io::Result<Self> {
        Ok(Self {
            notion: Standin::start(notion::TOKEN, notion::Notion::new())?,
            github: Standin::start(github::TOKEN, github::Github::new())?,
            jira: Standin::start(jira::TOKEN, jira::Jira::new())?,
        })
    }

    /// By the name of the module that asks it.
    #[must_use]
    pub fn by_module(&self) -> [(&'static str, &Standin); 3] {
        [("notion", &self.notion), ("github", &self.github), ("jira", &self.jira)]
    }
}
