//! A client's file as it is now, and what installing and uninstalling would make of it.
#![expect(clippy::disallowed_methods, reason = "this is the room that reads clients' files")]

use crate::change::Change;
use crate::client::{Client, Scope};
use crate::home::Home;
use crate::launch::Launch;
use crate::project::ProjectPaths;
use crate::trouble::{Trouble, Wrong};
use crate::{backup, document};
use serde_json::{Map, Value};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct ConfigFile<'c> {
    pub client: &'c Client,
    pub scope: Scope,
    pub path: PathBuf,
    /// None where there is no such file.
    text: Option<String>,
}

impl<'c> ConfigFile<'c> {
    pub fn open(client: &'c Client, scope: Scope, home: &Home) -> Result<Self, Trouble> {
        let path = client.path(scope, home)?;
        let text = read(&path)?;
        Ok(Self { client, scope, path, text })
    }

    pub fn exists(&self) -> bool {
        self.text.is_some()
    }

    /// Does anything stand there under this name?
    pub fn has(&self, name: &str) -> Result<bool, Trouble> {
        Ok(self.entry(name)?.is_some())
    }

    /// What the client starts under this name; none if that is no program.
    pub fn launch(&self, name: &str) -> Result<Option<Launch>, Trouble> {
        let entry = self.entry(name)?;
        Ok(entry.and_then(|entry| Launch::of_entry(&entry, self.client)))
    }

    /// All programs that the client starts, by their names.
    pub fn launches(&self) -> Result<Vec<(String, Launch)>, Trouble> {
        let all = document::all(self.client, self.text());
        let all = all.map_err(|wrong| self.wrong(wrong))?.into_iter();
        let launches =
            all.filter_map(|(name, entry)| Some((name, Launch::of_entry(&entry, self.client)?)));
        Ok(launches.collect())
    }

    /// An entry as `install` and `uninstall` are told of it.
    pub fn named(&self, name: &str) -> String {
        let scope = match self.scope {
            Scope::User => "",
            Scope::Project => " --scope project",
        };
        format!("{}{scope} --name {name}", self.client.name)
    }

    /// The name under which the client starts this project, if it does.
    pub fn name_of(&self, project: &ProjectPaths) -> Result<Option<String>, Trouble> {
        let is_it = |launch: &Launch| {
            let there = ProjectPaths::of(launch);
            there.is_some_and(|there| there.is_same(project))
        };
        let mut launches = self.launches()?.into_iter();
        let found = launches.find(|(_, launch)| is_it(launch));
        Ok(found.map(|(name, _)| name))
    }

    /// The name to install this project under: the one it has there, or the wanted one, with a number
    /// if that is taken.
    pub fn free_name(&self, wanted: &str, project: &ProjectPaths) -> Result<String, Trouble> {
        if let Some(name) = self.name_of(project)? {
            return Ok(name);
        }
        let numbered = (2_u32..).map(|number| format!("{wanted}-{number}"));
        for name in std::iter::once(wanted.to_owned()).chain(numbered) {
            let is_gone = |launch| ProjectPaths::of(&launch).is_some_and(|there| there.is_gone());
            if !self.has(&name)? || self.launch(&name)?.is_some_and(is_gone) {
                return Ok(name);
            }
        }
        Ok(wanted.to_owned())
    }

    /// What has to change for the client to start this; none if it does already. An entry of another
    /// project, or of another program, stays.
    pub fn install(&self, name: &str, launch: &Launch) -> Result<Option<Change>, Trouble> {
        if let Some(other) = self.other_owner(name, launch)? {
            return Err(self.wrong(Wrong::Shape(format!(
                "`{name}` there is {other}; choose another name with --name"
            ))));
        }
        let after = self.put(self.text(), name, &launch.entry(self.client))?;
        // A file that is not there can only come.
        Ok((self.text.as_deref() != Some(&after)).then(|| self.change(Some(after), None)))
    }

    /// What has to change for the client to forget this; none if it knows nothing of it.
    pub fn uninstall(&self, name: &str) -> Result<Option<Change>, Trouble> {
        let Some(Value::Object(entry)) = self.entry(name)? else {
            return Ok(None);
        };
        let Some(launch) = self.launch(name)? else {
            return Err(self.wrong(Wrong::Shape(format!(
                "`{name}` there is another kind of server, which nobody here has put in; take it out by \
                 hand, or choose another name with --name"
            ))));
        };
        // What somebody has added to it since is not ours to throw away without a copy.
        if launch.entry(self.client) != entry {
            return self.take(name).map(Some);
        }
        for kept in backup::all(&self.path) {
            if let Ok(Some(before)) = read(&kept)
                && self.came_from(&before, name, &entry)
            {
                return Ok(Some(self.change(Some(before), Some(kept))));
            }
        }
        if self.came_from("", name, &entry) {
            return Ok(Some(self.change(None, None)));
        }
        self.take(name).map(Some)
    }

    /// What stands there under this name, if it is not ours to replace.
    fn other_owner(&self, name: &str, launch: &Launch) -> Result<Option<String>, Trouble> {
        if !self.has(name)? {
            return Ok(None);
        }
        let Some(there) = self.launch(name)? else {
            return Ok(Some("another kind of server".to_owned()));
        };
        Ok(match (ProjectPaths::of(&there), ProjectPaths::of(launch)) {
            (Some(there), Some(ours)) if there.is_same(&ours) || there.is_gone() => None,
            (Some(there), Some(_)) => {
                let mut paths = there.config.iter().chain(&there.folders);
                let path = paths.next().map_or("no folder", String::as_str);
                Some(format!("another project, with {path}"))
            }
            (None, Some(_)) => Some(format!("another program, {}", there.command)),
            (_, None) => None,
        })
    }

    /// The entry alone goes.
    fn take(&self, name: &str) -> Result<Change, Trouble> {
        let after = document::take(self.client, self.text(), name);
        let after = after.map_err(|wrong| self.wrong(wrong))?;
        Ok(self.change(Some(after), None))
    }

    /// Is this file what that text becomes by this server alone? Then nothing else is lost with it.
    fn came_from(&self, before: &str, name: &str, entry: &Map<String, Value>) -> bool {
        let is_without = matches!(document::get(self.client, before, name), Ok(None));
        is_without && self.put(before, name, entry).ok().as_deref() == self.text.as_deref()
    }

    fn entry(&self, name: &str) -> Result<Option<Value>, Trouble> {
        let found = document::get(self.client, self.text(), name);
        found.map_err(|wrong| self.wrong(wrong))
    }

    fn put(&self, text: &str, name: &str, entry: &Map<String, Value>) -> Result<String, Trouble> {
        let written = document::put(self.client, text, name, entry);
        written.map_err(|wrong| self.wrong(wrong))
    }

    fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    fn wrong(&self, wrong: Wrong) -> Trouble {
        Trouble::Text { file: self.path.clone(), wrong }
    }

    fn change(&self, after: Option<String>, restored: Option<PathBuf>) -> Change {
        Change {
            path: self.path.clone(),
            before: self.text.clone(),
            after,
            restored,
            is_private: self.scope == Scope::User,
        }
    }
}

pub(crate) fn read(path: &Path) -> Result<Option<String>, Trouble> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => Ok(None),
        Err(error) => Err(Trouble::Disk {
            doing: "read",
            file: path.to_path_buf(),
            why: match error.kind() {
                ErrorKind::InvalidData => "it is not UTF-8 text".into(),
                ErrorKind::NotFound => "it is a link to a file that is not there".into(),
                _ => error.to_string(),
            },
        }),
    }
}
