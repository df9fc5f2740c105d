//! Everything that lies in the folders, served or not: for those who ask what there is, not what answers.

use crate::attempt::is_manifest;
use crate::catalog::Broken;
use crate::library::{Entry, Key, Kind, Library, broken};
use crate::place::Neighbours;
use crate::runtime::Runtime;
use model::{Fault, ModuleName, Order};
use script::Script;
use settings::{Config, Manifest};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// All modules, and the order in which they start.
pub struct Survey {
    /// By folder and file.
    pub modules: Vec<Surveyed>,
    pub order: Order<ModuleName>,
}

/// One module as it stands on disk, or a file that should have been one.
pub struct Surveyed {
    /// What it calls itself, unless that is not known or belongs to another.
    pub name: Option<ModuleName>,
    /// For people: the path as they gave it.
    pub file: String,
    /// The folder, of a module that is one.
    pub home: Option<PathBuf>,
    pub manifest: Option<Arc<Manifest>>,
    /// If it can be loaded.
    pub script: Option<Arc<Script>>,
    pub config: Result<Config, Fault>,
    /// Why it is not served as it stands.
    pub broken: Option<Broken>,
    /// `enable` leaves it out.
    pub disabled: bool,
}

impl Surveyed {
    /// Is it a file in starlark-mcp's form, with starlark-mcp's default permissions?
    pub fn is_extension(&self) -> bool {
        let script = self.script.as_ref().filter(|_| self.manifest.is_none());
        script.is_some_and(|script| script.declared.is_extension)
    }
}

impl Survey {
    pub fn named(&self) -> impl Iterator<Item = (&ModuleName, &Surveyed)> {
        let modules = self.modules.iter();
        modules.filter_map(|module| Some((module.name.as_ref()?, module)))
    }

    pub fn nameless(&self) -> impl Iterator<Item = &Surveyed> {
        self.modules.iter().filter(|module| module.name.is_none())
    }
}

impl Runtime {
    /// What lies in the folders, as it was looked at last.
    pub fn survey(&self) -> Survey {
        let survey = self.keeper().survey().blocking_recv();
        // A keeper that is gone has nothing left to tell.
        survey.unwrap_or_else(|_| Survey {
            modules: Vec::new(),
            order: model::order(&BTreeMap::new()),
        })
    }
}

impl Library {
    pub(crate) fn survey(&self) -> Survey {
        let neighbours = Neighbours::new(self, &[]);
        let entries = self.entries.iter();
        // A file without a name and without trouble is a library.
        let modules = entries.filter(|(_, e)| e.name.is_some() || e.trouble.is_some());
        Survey {
            modules: modules.map(|(key, entry)| self.surveyed(key, entry, &neighbours)).collect(),
            order: neighbours.order,
        }
    }

    fn surveyed(&self, key: &Key, entry: &Entry, neighbours: &Neighbours) -> Surveyed {
        let manifest = entry.manifest.as_ref();
        let name = entry.name.as_ref();
        let name = name.filter(|name| neighbours.owner(name, key).is_none());
        let path = self.folders()[key.0].path(&key.1);
        let home = path.parent().filter(|_| is_manifest(&key.1));
        Surveyed {
            name: name.cloned(),
            file: self.shown(key),
            home: home.map(PathBuf::from),
            manifest: manifest.cloned(),
            script: entry.script.clone(),
            config: match name {
                Some(name) => self.config(name, manifest.map(|m| &m.config)),
                None => Ok(Config::default()),
            },
            broken: broken(entry),
            disabled: entry.trouble.as_ref().map(|t| t.kind) == Some(Kind::Disabled),
        }
    }
}
