//! What lies in the folders, loaded: owned by one thread, turned into a catalog after each change.

use crate::attempt::{Attempt, Shop, Wanted, is_manifest};
use crate::catalog::{Broken, Catalog, Module, Rules, State};
use crate::disk::{Folder, Stamp, is_test};
use crate::event::{Change, Event};
use crate::ground::Ground;
use crate::halt::Halted;
use crate::homes::Homes;
use crate::life::Life;
use crate::loaded::Loaded;
use crate::name_record::NameRecord;
use crate::project::ProjectFile;
use crate::rate::AllRates;
use crate::reader::digest;
use crate::registry::StartSurface;
use crate::settle::{Missed, Settle};
use model::{Fault, ModuleName};
use script::{Engine, FileId, Script};
use serde_json::Value;
use settings::{Manifest, ModuleSettings, Roles, Server, Surface};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A file, by its folder's place and its path below it.
pub(crate) type Key = (usize, FileId);

/// The state of one source: a file that may be a module, or a folder by its manifest.
pub(crate) struct Entry {
    /// Everything it was made from, itself included, with the digest of what each file held.
    pub(crate) touched: BTreeMap<Key, u64>,
    /// What the version on disk calls itself.
    pub(crate) name: Option<ModuleName>,
    pub(crate) manifest: Option<Arc<Manifest>>,
    /// The version on disk, if it can be loaded; what is served may be an earlier one.
    pub(crate) script: Option<Arc<Script>>,
    /// The version that is served, if it holds a module.
    pub(crate) module: Option<Arc<Module>>,
    /// Why the version on disk is not the one that is served.
    pub(crate) trouble: Option<Trouble>,
    /// What was held back together with it, and is tried again together with it.
    pub(crate) unit: BTreeSet<Key>,
}

impl Entry {
    /// What it depends on: as it stands on disk, and as it is served.
    pub(crate) fn dependencies(&self) -> impl Iterator<Item = &ModuleName> {
        let served = self.module.as_ref().and_then(|m| m.manifest.as_ref());
        let manifests = self.manifest.iter().chain(served);
        manifests.flat_map(|manifest| manifest.dependencies().map(|(name, _)| name))
    }
}

/// Why a version is not served.
#[derive(Debug, Clone)]
pub(crate) struct Trouble {
    pub(crate) kind: Kind,
    pub(crate) fault: Fault,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It cannot be loaded, configured or started.
    Broken,
    /// Its place among the others is wrong: a name twice, a dependency that is not there, a circle.
    Misplaced,
    /// Something it depends on does not run.
    Waiting,
    /// Somebody stopped it.
    Stopped,
    /// It was stopped since it left too many threads behind.
    Halted,
    /// `enable` leaves it out.
    Disabled,
}

impl Kind {
    /// It is meant to be so: there is nothing to hold back for.
    pub(crate) fn is_wanted(self) -> bool {
        matches!(self, Self::Stopped | Self::Halted | Self::Disabled)
    }
}

/// What configures modules besides their manifests.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// Variables of the environment.
    pub environment: Vec<(String, String)>,
    /// `module.key` with the value typed for it.
    pub set: Vec<(String, String)>,
    /// The same by a test, which gives values and not texts.
    pub played: Vec<(String, Value)>,
    /// How tools are shown, whatever the project's file says.
    pub surface: Option<Surface>,
}

pub(crate) struct Library {
    pub(crate) ground: Arc<Ground>,
    pub(crate) project: ProjectFile,
    pub(crate) overrides: Overrides,
    pub(crate) entries: BTreeMap<Key, Entry>,
    /// Modules that somebody stopped.
    pub(crate) stopped: BTreeSet<ModuleName>,
    /// Modules that were stopped since they left too many threads behind.
    pub(crate) halted: BTreeMap<ModuleName, Halted>,
    pub(crate) generations: HashMap<ModuleName, u64>,
    pub(crate) rates: AllRates,
    pub(crate) names: NameRecord,
    /// Set with the first catalog.
    start_surface: Option<Arc<StartSurface>>,
    /// Lives that end once the catalog without them is served.
    pub(crate) retiring: Vec<Arc<Life>>,
    engine: Arc<Engine>,
    /// Every file that matters as it looked before it was read.
    known: BTreeMap<Key, Option<Stamp>>,
    missed: Missed,
    project_settle: Settle,
    /// What is wrong with the project's file, if it changed for the worse.
    project_fault: Option<Fault>,
}

impl Library {
    pub(crate) fn new(
        ground: Arc<Ground>,
        engine: Arc<Engine>,
        project: ProjectFile,
        overrides: Overrides,
        names: NameRecord,
    ) -> Self {
        Self {
            ground,
            project,
            overrides,
            entries: BTreeMap::new(),
            stopped: BTreeSet::new(),
            halted: BTreeMap::new(),
            generations: HashMap::new(),
            rates: AllRates::default(),
            names,
            start_surface: None,
            retiring: Vec::new(),
            engine,
            known: BTreeMap::new(),
            missed: Missed::default(),
            project_settle: Settle::default(),
            project_fault: None,
        }
    }

    pub(crate) fn folders(&self) -> &[Folder] {
        &self.ground.folders
    }

    pub(crate) fn load_everything(&mut self, told: &dyn Fn(&Event)) -> Catalog {
        let found = self.scan();
        let attempts = self.load(&found.keys().cloned().collect(), &self.project);
        self.assemble(attempts, &BTreeSet::new(), told);
        self.stamp(found);
        self.catalog()
    }

    /// The same from what was loaded before; files are not looked at.
    pub(crate) fn take_loaded(&mut self, loaded: &Loaded, told: &dyn Fn(&Event)) -> Catalog {
        self.assemble(loaded.attempts.clone(), &BTreeSet::new(), told);
        self.catalog()
    }

    /// Is this file part of what is served, or of what it was made from?
    pub(crate) fn knows(&self, folder: usize, file: &str) -> bool {
        self.known.contains_key(&(folder, file.to_owned()))
    }

    /// Looks at the folders again. `suspects` are files that may have changed without showing it.
    /// Answers `None` when everything stays as it is, or when it is too early to tell: then there
    /// is a `patience`, and the same suspects are to be brought again.
    pub(crate) fn refresh(
        &mut self,
        suspects: &BTreeSet<Key>,
        told: &dyn Fn(&Event),
    ) -> Option<Catalog> {
        let (project, complaint) = self.reread_project(told);
        let found = self.scan();
        let changed = self.changed(&found, suspects);
        let is_gone = |key: &&Key| !found.contains_key(*key);
        let gone: Vec<Key> = self.entries.keys().filter(is_gone).cloned().collect();
        let reconfigured =
            project.as_ref().map_or_else(BTreeSet::new, |project| self.reconfigured(project));
        if changed.is_empty() && gone.is_empty() && reconfigured.is_empty() {
            self.missed = Missed::default();
            return self.take_project(project, complaint);
        }
        let mut roots: BTreeSet<Key> = changed.iter().cloned().collect();
        roots.extend(reconfigured);
        roots.extend(gone.iter().cloned());
        let edited = changed.iter().chain(&gone);
        self.resume_edited(&edited.cloned().collect());
        let affected = self.affected(&roots, &found);
        let attempts = self.load(&affected, project.as_ref().unwrap_or(&self.project));
        if self.too_early(&attempts, &gone) {
            return None;
        }
        self.take_project(project, complaint);
        for key in &gone {
            self.remove(key, told);
        }
        self.assemble(attempts, &changed, told);
        self.stamp(found);
        Some(self.catalog())
    }

    /// When files that are missed now are to be looked for again.
    pub(crate) fn patience(&self) -> Option<Instant> {
        let both = [self.missed.until(), self.project_settle.until()];
        both.into_iter().flatten().max()
    }

    /// The project's file, if it is another one now: taken, or complained about once.
    fn reread_project(&mut self, told: &dyn Fn(&Event)) -> (Option<ProjectFile>, Option<Fault>) {
        let reread = self.project.reread();
        let is_missed = reread.as_ref().is_some_and(|reread| reread.is_empty);
        if self.project_settle.is_early(is_missed) {
            return (None, self.project_fault.clone());
        }
        match reread.map(|reread| reread.parsed) {
            None => (None, None),
            Some(Ok(project)) => (Some(project), None),
            Some(Err(fault)) => {
                if self.project_fault.as_ref() != Some(&fault) {
                    let change = Change::Broken { fault: fault.clone(), still_served: true };
                    told(&Event {
                        file: self.project.shown(),
                        module: None,
                        change,
                        took: Duration::ZERO,
                    });
                }
                (None, Some(fault))
            }
        }
    }

    /// Answers a catalog if only the word about the project's file has changed.
    fn take_project(
        &mut self,
        project: Option<ProjectFile>,
        complaint: Option<Fault>,
    ) -> Option<Catalog> {
        let news = project.is_some() || complaint != self.project_fault;
        if let Some(project) = project {
            // Roles and limits may be others now.
            self.ground.answers.forget(|_| true);
            self.project = project;
        }
        self.project_fault = complaint;
        news.then(|| self.catalog())
    }

    /// Loads these, and whatever hangs on names that came with them.
    pub(crate) fn load(&self, keys: &BTreeSet<Key>, project: &ProjectFile) -> Vec<Attempt> {
        let wanted: Vec<Wanted> =
            keys.iter().map(|key| Wanted::new(key.clone(), self.folders())).collect();
        let others =
            self.entries.iter().filter(|(key, _)| is_manifest(&key.1) && !keys.contains(*key));
        let others = others.map(|(key, entry)| (key.clone(), entry.manifest.clone()));
        let homes = Arc::new(Homes::new(wanted.iter().filter_map(Wanted::home).chain(others)));
        let shop = Shop { ground: &self.ground, homes, engine: &self.engine, project };
        shop.load(&wanted)
    }

    pub(crate) fn scan(&self) -> BTreeMap<Key, Stamp> {
        let mut found = BTreeMap::new();
        for (i, folder) in self.folders().iter().enumerate() {
            let sources = folder.scan().into_iter().filter(|(file, _)| !is_test(file));
            found.extend(sources.map(|(file, stamp)| ((i, file), stamp)));
        }
        let manifests = found.keys().filter(|key| is_manifest(&key.1));
        let homes = Homes::new(manifests.map(|key| (key.clone(), None)));
        found.retain(|(folder, file), _| is_manifest(file) || homes.of(*folder, file).is_none());
        found
    }

    /// Remembers how the files looked before they were read.
    pub(crate) fn stamp(&mut self, found: BTreeMap<Key, Stamp>) {
        let touched = self.entries.values().flat_map(|entry| entry.touched.keys());
        let mut known: BTreeMap<Key, Option<Stamp>> = touched
            .filter(|key| !found.contains_key(*key))
            .map(|key| (key.clone(), self.folders()[key.0].stamp(&key.1)))
            .collect();
        known.extend(found.into_iter().map(|(key, stamp)| (key, Some(stamp))));
        self.known = known;
    }

    /// The same for files that nothing was made from before.
    pub(crate) fn stamp_new(&mut self) {
        let touched = self.entries.values().flat_map(|entry| entry.touched.keys());
        let new = touched.filter(|key| !self.known.contains_key(*key));
        let new: Vec<_> =
            new.map(|key| (key.clone(), self.folders()[key.0].stamp(&key.1))).collect();
        self.known.extend(new);
    }

    /// Files whose content is no longer what something was made from, and new ones.
    fn changed(&self, found: &BTreeMap<Key, Stamp>, suspects: &BTreeSet<Key>) -> BTreeSet<Key> {
        let is_new = |key: &&Key| !self.entries.contains_key(*key);
        let mut changed: BTreeSet<Key> = found.keys().filter(is_new).cloned().collect();
        for (key, stamp) in &self.known {
            let now = match found.get(key) {
                Some(now) => Some(*now),
                None => self.folders()[key.0].stamp(&key.1),
            };
            if now == *stamp && !suspects.contains(key) {
                continue;
            }
            let text = digest(&self.folders()[key.0].read_text(&key.1));
            let mut made_from = self.entries.values().filter_map(|e| e.touched.get(key));
            if made_from.any(|seen| *seen != text) {
                changed.insert(key.clone());
            }
        }
        changed
    }

    fn too_early(&mut self, attempts: &[Attempt], gone: &[Key]) -> bool {
        let before: BTreeMap<&Key, u64> = self
            .entries
            .values()
            .flat_map(|entry| entry.touched.iter().map(|(key, seen)| (key, *seen)))
            .collect();
        let now = attempts.iter().flat_map(|attempt| &attempt.touched);
        let folders = &self.ground.folders;
        self.missed.too_early(&before, now, gone, |key| folders[key.0].stamp(&key.1))
    }

    fn remove(&mut self, key: &Key, told: &dyn Fn(&Event)) {
        let Some(entry) = self.entries.remove(key) else {
            return;
        };
        if let Some(module) = entry.module {
            told(&Event {
                file: self.shown(key),
                module: Some(module.name.clone()),
                change: Change::Removed,
                took: Duration::ZERO,
            });
            self.retiring.push(Arc::clone(&module.life));
        }
    }

    pub(crate) fn shown(&self, key: &Key) -> String {
        self.folders()[key.0].path(&key.1).display().to_string()
    }

    fn rules(&self) -> Rules {
        let project = self.project.project();
        let modules = project.modules.iter();
        let prefix = |(name, settings): (&ModuleName, &ModuleSettings)| {
            Some((name.clone(), settings.prefix.clone()?))
        };
        let start = self.start_surface.clone();
        let at_start = start.as_ref();
        Rules {
            shows_modules: at_start.map(|at| at.shows_modules(&project.policy, &Roles::All)),
            start,
            server: Server {
                surface: self.overrides.surface.unwrap_or(project.server.surface),
                name: self.project.name(),
                ..project.server.clone()
            },
            prefixes: modules.filter_map(prefix).collect(),
            owners: Arc::clone(&self.names.owners),
            old_names: Arc::clone(&self.names.old_names),
            policy: Arc::new(project.policy.clone()),
            rates: project
                .modules
                .iter()
                .filter_map(|(name, settings)| Some((name.clone(), settings.rate?)))
                .collect(),
        }
    }

    pub(crate) fn catalog(&mut self) -> Catalog {
        let served = self.entries.values().filter_map(|e| e.module.clone());
        let served: Vec<Arc<Module>> = served.collect();
        let mut catalog = Catalog::by(self.rules(), served.iter().cloned());
        if !self.names.claim(&mut catalog) {
            catalog = Catalog::by(self.rules(), served);
            self.names.claim(&mut catalog);
        }
        let start = self.start_surface.get_or_insert_with(|| Arc::new(StartSurface::new(&catalog)));
        catalog.rules.start = Some(Arc::clone(start));
        for (key, entry) in &self.entries {
            if let Some(broken) = broken(entry).or_else(|| partial(entry)) {
                catalog.broken.insert(self.shown(key), broken);
            }
            for note in entry.module.iter().flat_map(|m| &m.script.declared.notes) {
                catalog.notes.push(note.clone());
            }
        }
        if let Some(fault) = &self.project_fault {
            let broken = Broken { name: None, state: State::Stale, fault: fault.clone() };
            catalog.broken.insert(self.project.shown(), broken);
        }
        catalog.notes.extend(self.notes());
        for halted in self.halted.values() {
            catalog.add_halted(halted);
        }
        catalog
    }
}

/// A module that is served without some of its tools.
fn partial(entry: &Entry) -> Option<Broken> {
    let module = entry.module.as_ref()?;
    Some(Broken {
        name: Some(module.name.clone()),
        state: State::Partial,
        fault: module.invalid_tools()?,
    })
}

pub(crate) fn broken(entry: &Entry) -> Option<Broken> {
    let trouble = entry.trouble.as_ref()?;
    let state = match (trouble.kind, entry.module.is_some()) {
        (Kind::Disabled, _) => return None,
        (_, true) => State::Stale,
        (Kind::Waiting, false) => State::Waiting,
        (Kind::Stopped, false) => State::Stopped,
        (_, false) => State::Failed,
    };
    Some(Broken { name: entry.name.clone(), state, fault: trouble.fault.clone() })
}
