//! The project's file, `larkspur.toml`, as it was read last.

use crate::disk::read_project;
use crate::own::Own;
use crate::reader::digest;
use model::{DATA_FOLDER, Fault, Grant, ModuleName};
use settings::{AuditSettings, Connection, Project};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, Clone, Default)]
pub struct ProjectFile {
    path: PathBuf,
    project: Project,
    text: u64,
    /// It is not there, or there is nothing in it.
    is_blank: bool,
    /// What it, or one that it follows, makes the server's own.
    own: Arc<Own>,
    /// Where the project lies, as long as there is no file to lie beside.
    instead: Option<PathBuf>,
}

impl ProjectFile {
    /// Reads it; one that is not there says nothing.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, Fault> {
        let path = path.into();
        let text = read(&path)?;
        let file = Self::parse(path, text.as_deref())?;
        Ok(file.owning(&Own::default()))
    }

    /// The same, where the vault's key lies in a file that somebody else has named.
    #[must_use]
    pub fn with_key_file(self, file: PathBuf) -> Self {
        let own = Arc::new(self.own.with([], [file]));
        Self { own, ..self }
    }

    /// What was the server's own before still is: the store stays where it was opened.
    fn owning(self, before: &Own) -> Self {
        let data = self.data_dir();
        let audit = self.project.audit.as_ref();
        let audit = audit.map(|settings| self.audit_file(settings));
        let key = self.project.vault.key_file.as_ref();
        let key = key.map(|file| self.beside().join(file));
        let files = [self.path.clone(), data.join(store::FILE)];
        let files = files.into_iter().chain(audit).chain(key);
        let variables = self.project.trust.secret_variables();
        let own = before.with([data], files);
        let own = own.with_variables(variables.map(str::to_owned));
        Self { own: Arc::new(own), ..self }
    }

    pub(crate) fn own(&self) -> &Arc<Own> {
        &self.own
    }

    fn parse(path: PathBuf, text: Option<&str>) -> Result<Self, Fault> {
        let project = match text {
            Some(text) => Project::parse(&path.display().to_string(), text)?,
            None => Project::default(),
        };
        Ok(Self {
            path,
            project,
            text: digest_of(text),
            is_blank: is_blank(text),
            own: Arc::default(),
            instead: None,
        })
    }

    /// What it says now, unless less is forbidden by that and nobody may have meant it.
    fn follow(&self, text: Option<&str>) -> Result<Self, Fault> {
        if is_blank(text) && !self.is_blank {
            let how = if text.is_some() { "empty" } else { "gone" };
            return Err(Fault::new(format!(
                "{} is {how}, and what it said holds on: write it anew, or restart the server if that \
                 is meant",
                self.shown()
            )));
        }
        let next = Self::parse(self.path.clone(), text)?;
        match next.project.policy.vanished(&self.project.policy) {
            // Without roles everybody may do everything: a file that was cut short is not to say that.
            Some(what) => Err(Fault::new(format!(
                "{} has no {what} any more: restart the server if that is meant",
                self.shown()
            ))),
            None => {
                for table in next.project.waiting_for_a_start(&self.project) {
                    tracing::warn!(
                        "{table} in {} has changed: that holds when the server is started again",
                        self.shown()
                    );
                }
                Ok(next.owning(&self.own))
            }
        }
    }

    /// The same; without a file, what must outlive the process is kept in this folder.
    #[must_use]
    pub fn or_in(mut self, folder: PathBuf) -> Self {
        if self.exists() {
            return self;
        }
        self.instead = Some(folder);
        let before = Arc::clone(&self.own);
        self.owning(&before)
    }

    /// One that only knows where databases are.
    pub(crate) fn with_connections(all: impl IntoIterator<Item = (String, String)>) -> Self {
        let named = all.into_iter().map(|(name, url)| (name, Connection { url }));
        let mut file = Self::default();
        file.project.postgres = named.collect();
        file
    }

    /// One that knows where this one's databases are, and nothing else.
    #[must_use]
    pub fn connections_only(&self) -> Self {
        let all = self.project.postgres.iter();
        let all = all.map(|(name, to)| (name.clone(), to.url.clone()));
        Self { own: Arc::clone(&self.own), ..Self::with_connections(all) }
    }

    /// The folder that paths in it begin in.
    fn beside(&self) -> &Path {
        self.path.parent().unwrap_or_else(|| Path::new(""))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn project(&self) -> &Project {
        &self.project
    }

    /// What the project is called: as the file says, or as its folder; nothing without a file.
    pub fn name(&self) -> Option<String> {
        let given = self.project.server.name.clone();
        given.or_else(|| {
            let path = std::path::absolute(&self.path).ok()?;
            let folder = path.parent()?.file_name()?.to_string_lossy();
            self.exists().then(|| folder.into_owned())
        })
    }

    /// Whether there is a file.
    pub fn exists(&self) -> bool {
        self.text != digest_of(None)
    }

    /// Where what must outlive the process is kept: beside the file, unless it says otherwise.
    pub fn data_dir(&self) -> PathBuf {
        let wanted = self.project.server.data_dir.as_deref();
        self.home().join(wanted.unwrap_or(DATA_FOLDER))
    }

    fn home(&self) -> &Path {
        let beside = self.path.parent().unwrap_or_else(|| Path::new(""));
        self.instead.as_deref().unwrap_or(beside)
    }

    /// Where lines about calls go.
    pub fn audit_file(&self, settings: &AuditSettings) -> PathBuf {
        match &settings.file {
            Some(file) => self.beside().join(file),
            None => self.data_dir().join("audit.jsonl"),
        }
    }

    /// Is this module to be loaded?
    pub(crate) fn enables(&self, name: &ModuleName) -> bool {
        let enable = self.project.enable.as_ref();
        enable.is_none_or(|names| names.contains(name))
    }

    /// What the operator leaves this module.
    pub(crate) fn grant(&self, name: &ModuleName) -> Option<&Grant> {
        let settings = self.project.modules.get(name);
        settings.and_then(|settings| settings.grant.as_ref())
    }

    /// All that is granted, by name.
    pub(crate) fn grants(&self) -> impl Iterator<Item = (&ModuleName, &Grant)> {
        let modules = self.project.modules.iter();
        modules.filter_map(|(name, settings)| Some((name, settings.grant.as_ref()?)))
    }

    pub(crate) fn shown(&self) -> String {
        self.path.display().to_string()
    }

    /// What it says now, if that is something else.
    pub(crate) fn reread(&self) -> Option<Reread> {
        if self.path.as_os_str().is_empty() {
            return None;
        }
        let text = match read(&self.path) {
            Ok(text) => text,
            Err(fault) => {
                return Some(Reread { is_empty: false, parsed: Err(fault) });
            }
        };
        let is_other = digest_of(text.as_deref()) != self.text;
        is_other.then(|| Reread {
            is_empty: is_blank(text.as_deref()),
            parsed: self.follow(text.as_deref()),
        })
    }
}

/// The file as it is now.
pub(crate) struct Reread {
    /// Gone or empty: some editors save that way, so it is believed only after a while.
    pub(crate) is_empty: bool,
    pub(crate) parsed: Result<ProjectFile, Fault>,
}

fn read(path: &Path) -> Result<Option<String>, Fault> {
    let text = read_project(path);
    text.map_err(|why| Fault::new(format!("cannot read {}: {why}", path.display())))
}

fn is_blank(text: Option<&str>) -> bool {
    text.is_none_or(|text| text.trim().is_empty())
}

fn digest_of(text: Option<&str>) -> u64 {
    digest(&text.map(str::to_owned).ok_or_else(String::new))
}
