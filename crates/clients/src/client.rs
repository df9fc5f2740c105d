//! One program of the table: its files, and the form in which a server stands in them.

use crate::document::Format;
use crate::home::Home;
use crate::trouble::Trouble;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// For everything its user does, or for the project in this folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    User,
    Project,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Client {
    /// Its key in the table.
    #[serde(skip)]
    pub name: String,
    pub title: String,
    pub(crate) format: Format,
    pub(crate) servers: Vec<String>,
    pub(crate) entry: Map<String, Value>,
    /// What an entry says besides, to have all tools loaded at once.
    #[serde(default)]
    pub(crate) always: Map<String, Value>,
    user: Option<Place>,
    project: Option<String>,
    #[serde(default)]
    signs: Vec<String>,
    /// What its user does next.
    pub then: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Place {
    Everywhere(String),
    #[serde(rename_all = "lowercase")]
    Here {
        linux: Option<String>,
        macos: Option<String>,
    },
}

impl Client {
    /// The file of a scope.
    pub fn path(&self, scope: Scope, home: &Home) -> Result<PathBuf, Trouble> {
        match scope {
            Scope::User => home.place(self.user_place().ok_or_else(|| self.without("user"))?),
            Scope::Project => {
                let place = self.project.as_ref();
                Ok(home.in_project(place.ok_or_else(|| self.without("project"))?))
            }
        }
    }

    pub fn scopes(&self) -> impl Iterator<Item = Scope> {
        let user = self.user_place().map(|_| Scope::User);
        let project = self.project.as_ref().map(|_| Scope::Project);
        user.into_iter().chain(project)
    }

    /// Is it on this machine, as far as its files tell?
    pub fn is_there(&self, home: &Home) -> bool {
        let file = self.path(Scope::User, home).ok();
        // A folder that is the client's alone; the home folder is everybody's.
        let folder = file.as_deref().and_then(|file| file.parent());
        let folder = folder.filter(|folder| *folder != home.folder());
        let signs = self.signs.iter().filter_map(|sign| home.place(sign).ok());
        let mut all = signs.chain(folder.map(PathBuf::from)).chain(file.clone());
        all.any(|path| path.exists())
    }

    fn user_place(&self) -> Option<&str> {
        match self.user.as_ref()? {
            Place::Everywhere(place) => Some(place),
            Place::Here { macos, .. } if cfg!(target_os = "macos") => macos.as_deref(),
            Place::Here { linux, .. } => linux.as_deref(),
        }
    }

    fn without(&self, scope: &str) -> Trouble {
        let other = if scope == "user" { "project" } else { "user" };
        Trouble::Other(format!(
            "{} has no file for --scope {scope} on this system; try --scope {other}",
            self.title
        ))
    }
}
