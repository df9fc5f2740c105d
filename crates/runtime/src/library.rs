//! What lies in the folders, loaded: owned by one thread, turned into a catalog after each change.

use crate::attempt::{Attempt, blank, digest};
use crate::catalog::{Broken, Catalog, Module};
use crate::disk::{Folder, Stamp, is_test};
use crate::event::{Change, Event};
use crate::lane::Lane;
use model::{Fault, ModuleName};
use script::{Engine, FileId, Script};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A file, by its folder's place and its path below it.
pub(crate) type Key = (usize, FileId);

/// The state of one source file.
struct Entry {
    stamp: Option<Stamp>,
    /// The text last loaded, as a hash: touching a file without changing it changes nothing.
    text: u64,
    /// The version that is served, if it holds a module.
    module: Option<Arc<Module>>,
    fault: Option<Fault>,
    /// Everything it was made from: itself, what it loads, the data it reads.
    touched: BTreeSet<FileId>,
}

/// A file that vanished or became empty gets so long to come back.
const SETTLE: Duration = Duration::from_millis(150);

pub(crate) struct Library {
    pub(crate) folders: Vec<Folder>,
    engine: Engine,
    entries: BTreeMap<Key, Entry>,
    /// Files that are no sources, or are not there, as they looked when they were wanted.
    data: BTreeMap<Key, Option<Stamp>>,
    /// Sources that vanished or became empty, since when, and how they look: many editors save that
    /// way.
    missed: BTreeMap<Key, (Instant, Option<Stamp>)>,
    generations: HashMap<ModuleName, u64>,
}

impl Library {
    pub(crate) fn new(folders: Vec<Folder>, engine: Engine) -> Self {
        Self {
            folders,
            engine,
            entries: BTreeMap::new(),
            data: BTreeMap::new(),
            missed: BTreeMap::new(),
            generations: HashMap::new(),
        }
    }

    pub(crate) fn load_everything(&mut self, told: &dyn Fn(&Event)) -> Catalog {
        let found = self.scan();
        for attempt in Attempt::all(
            &self.folders,
            &self.engine,
            &found.keys().cloned().collect::<Vec<_>>(),
        ) {
            self.take(attempt, told);
        }
        self.stamp(found);
        self.catalog()
    }

    /// Is this file part of what is served, or of what it was made from?
    pub(crate) fn knows(&self, folder: usize, file: &str) -> bool {
        self.entries
            .iter()
            .any(|((f, _), entry)| *f == folder && entry.touched.contains(file))
    }

    /// Looks at the folders again. `suspects` are files that may have changed without showing it.
    /// Answers `None` when everything stays as it is, or when it is too early to tell: then there
    /// is a `patience`, and the same suspects are to be brought again.
    pub(crate) fn refresh(
        &mut self,
        suspects: &BTreeSet<Key>,
        told: &dyn Fn(&Event),
    ) -> Option<Catalog> {
        let found = self.scan();
        let changed = self.changed(&found, suspects);
        let gone: Vec<Key> = self
            .entries
            .keys()
            .filter(|key| !found.contains_key(*key))
            .cloned()
            .collect();
        if changed.is_empty() && gone.is_empty() {
            self.missed.clear();
            return None;
        }
        let affected = self.affected(&changed, &gone, &found);
        let attempts = Attempt::all(&self.folders, &self.engine, &affected);
        let empty = attempts.iter().filter(|attempt| attempt.text == blank());
        let missed = empty.map(|attempt| &attempt.key).chain(&gone);
        let missed = missed.map(|key| (key.clone(), found.get(key).copied()));
        if self.too_early(missed.collect()) {
            return None;
        }
        for key in &gone {
            self.remove(key, told);
        }
        self.take_by_unit(attempts, &changed, told);
        self.stamp(found);
        Some(self.catalog())
    }

    /// Remembers how the files looked before they were read.
    fn stamp(&mut self, found: BTreeMap<Key, Stamp>) {
        let touched = self.entries.iter().flat_map(|((folder, _), entry)| {
            let files = entry.touched.iter();
            files.map(|file| (*folder, file.clone()))
        });
        self.data = touched
            .filter(|key| !found.contains_key(key))
            .map(|key| {
                let stamp = self.folders[key.0].stamp(&key.1);
                (key, stamp)
            })
            .collect();
        for (key, stamp) in found {
            if let Some(entry) = self.entries.get_mut(&key) {
                entry.stamp = Some(stamp);
            }
        }
    }

    /// When files that are missed now are to be looked for again.
    pub(crate) fn patience(&self) -> Option<Instant> {
        let since = self.missed.values().map(|(since, _)| *since).max();
        since.map(|since| since + SETTLE)
    }

    /// Is it too early to believe that files which had something in them are gone or empty?
    fn too_early(&mut self, missed: Vec<(Key, Option<Stamp>)>) -> bool {
        let before = std::mem::take(&mut self.missed);
        let had_something = |key: &Key| {
            let entry = self.entries.get(key);
            entry.is_some_and(|entry| entry.text != blank())
        };
        for (key, stamp) in missed.into_iter().filter(|(key, _)| had_something(key)) {
            // One that was written in between is missed anew.
            let still = before.get(&key).filter(|(_, then)| *then == stamp);
            let since = still.map_or_else(Instant::now, |(since, _)| *since);
            self.missed.insert(key, (since, stamp));
        }
        let mut since = self.missed.values().map(|(since, _)| since);
        let early = since.any(|since| since.elapsed() < SETTLE);
        if !early {
            self.missed.clear();
        }
        early
    }

    fn scan(&self) -> BTreeMap<Key, Stamp> {
        let mut found = BTreeMap::new();
        for (i, folder) in self.folders.iter().enumerate() {
            let sources = folder.scan().into_iter().filter(|(file, _)| !is_test(file));
            found.extend(sources.map(|(file, stamp)| ((i, file), stamp)));
        }
        found
    }

    /// Sources and data whose content is no longer what was loaded.
    fn changed(&self, found: &BTreeMap<Key, Stamp>, suspects: &BTreeSet<Key>) -> BTreeSet<Key> {
        let mut changed = BTreeSet::new();
        for (key, stamp) in found {
            match self.entries.get(key) {
                None => {
                    changed.insert(key.clone());
                }
                Some(entry) if entry.stamp == Some(*stamp) && !suspects.contains(key) => {}
                Some(entry) => {
                    if entry.text != self.text_of(key) {
                        changed.insert(key.clone());
                    }
                }
            }
        }
        // Data files and files that a load looked for in vain are no entries of their own.
        let is_other = |key: &Key, stamp: &Option<Stamp>| {
            suspects.contains(key) || self.folders[key.0].stamp(&key.1) != *stamp
        };
        changed.extend(
            self.data
                .iter()
                .filter(|(key, stamp)| !found.contains_key(*key) && is_other(key, stamp))
                .map(|(key, _)| key.clone()),
        );
        changed
    }

    fn text_of(&self, key: &Key) -> u64 {
        digest(&self.folders[key.0].read_text(&key.1))
    }

    /// The changed files and every file made from one of them.
    fn affected(
        &self,
        changed: &BTreeSet<Key>,
        gone: &[Key],
        found: &BTreeMap<Key, Stamp>,
    ) -> Vec<Key> {
        let is_touched = |folder: usize, entry: &Entry| {
            changed
                .iter()
                .chain(gone)
                .any(|(f, file)| *f == folder && entry.touched.contains(file))
        };
        let mut affected: BTreeSet<Key> = changed
            .iter()
            .filter(|key| found.contains_key(*key))
            .cloned()
            .collect();
        // What was held back together with a broken file is tried again together with it.
        let mended: BTreeSet<Key> = changed
            .iter()
            .chain(gone)
            .filter_map(|key| Some((key.0, self.entries.get(key)?)))
            .filter(|(_, entry)| entry.fault.is_some())
            .flat_map(|(folder, entry)| {
                entry.touched.iter().map(move |file| (folder, file.clone()))
            })
            .collect();
        let is_held_back = |folder: usize, entry: &Entry| {
            let mut touched = entry.touched.iter();
            entry.fault.is_some() && touched.any(|file| mended.contains(&(folder, file.clone())))
        };
        for (key, entry) in &self.entries {
            if found.contains_key(key) && (is_touched(key.0, entry) || is_held_back(key.0, entry)) {
                affected.insert(key.clone());
            }
        }
        affected.into_iter().collect()
    }

    /// Takes what was loaded, unit by unit: a changed file with all that is made from it. If one of
    /// a unit fails, the whole of it stays as it was.
    fn take_by_unit(
        &mut self,
        attempts: Vec<Attempt>,
        changed: &BTreeSet<Key>,
        told: &dyn Fn(&Event),
    ) {
        let mut refused: HashMap<Key, Fault> = HashMap::new();
        for unit in changed {
            let made_from =
                |attempt: &&Attempt| attempt.key.0 == unit.0 && attempt.touched.contains(&unit.1);
            let members: Vec<&Attempt> = attempts.iter().filter(made_from).collect();
            let failed = members.iter().find_map(|m| {
                m.result
                    .as_ref()
                    .err()
                    .map(|fault| (m.key.clone(), fault.clone()))
            });
            if let Some((_, fault)) = failed {
                for member in members {
                    let own = member.result.as_ref().err().unwrap_or(&fault);
                    refused
                        .entry(member.key.clone())
                        .or_insert_with(|| own.clone());
                }
            }
        }
        for mut attempt in attempts {
            if let Some(fault) = refused.remove(&attempt.key) {
                attempt.result = Err(fault);
            }
            self.take(attempt, told);
        }
    }

    fn take(&mut self, attempt: Attempt, told: &dyn Fn(&Event)) {
        let Attempt {
            key,
            result,
            touched,
            text,
            took,
        } = attempt;
        let shown = self.shown(&key);
        let old = self.entries.remove(&key);
        let old_module = old.and_then(|entry| entry.module);
        let (module, fault, change) = match result {
            Err(fault) => {
                let change = Change::Broken {
                    fault: fault.clone(),
                    still_served: old_module.is_some(),
                };
                (old_module, Some(fault), Some(change))
            }
            Ok(script) if !script.declared.is_module => {
                let change = old_module.is_some().then_some(Change::Removed);
                (None, None, change)
            }
            Ok(script) => {
                let tools = script.tools.len();
                let change = if old_module.is_some() {
                    Change::Reloaded { tools }
                } else {
                    Change::Loaded { tools }
                };
                match self.module(&key, script, took) {
                    Ok(module) => (Some(module), None, Some(change)),
                    Err(fault) => {
                        let change = Change::Broken {
                            fault: fault.clone(),
                            still_served: old_module.is_some(),
                        };
                        (old_module, Some(fault), Some(change))
                    }
                }
            }
        };
        if let Some(change) = change {
            told(&Event {
                file: shown,
                module: module.as_ref().map(|m| m.name.clone()),
                change,
                took,
            });
        }
        self.entries.insert(
            key,
            Entry {
                stamp: None,
                text,
                module,
                fault,
                touched,
            },
        );
    }

    fn module(&mut self, key: &Key, script: Script, took: Duration) -> Result<Arc<Module>, Fault> {
        let stem = key
            .1
            .rsplit('/')
            .next()
            .unwrap_or(&key.1)
            .trim_end_matches(".star");
        let name = match &script.declared.name {
            Some(name) => name.clone(),
            None => stem.parse().map_err(|error| {
                Fault::new(format!("{error}"))
                    .help("the file's name is the module's name: rename the file")
            })?,
        };
        let shown = self.shown(key);
        let generation = self.generations.entry(name.clone()).or_default();
        *generation += 1;
        Ok(Arc::new(Module {
            name,
            folder: key.0,
            file: key.1.clone(),
            shown,
            lanes: script.tools.iter().map(|_| Lane::default()).collect(),
            script,
            loaded_in: took,
            generation: *generation,
        }))
    }

    fn remove(&mut self, key: &Key, told: &dyn Fn(&Event)) {
        let Some(entry) = self.entries.remove(key) else {
            return;
        };
        if let Some(module) = entry.module {
            let event = Event {
                file: self.shown(key),
                module: Some(module.name.clone()),
                change: Change::Removed,
                took: Duration::ZERO,
            };
            told(&event);
        }
    }

    fn shown(&self, key: &Key) -> String {
        self.folders[key.0].path(&key.1).display().to_string()
    }

    fn catalog(&self) -> Catalog {
        let mut catalog = Catalog::of(
            self.entries
                .values()
                .filter_map(|entry| entry.module.clone()),
        );
        for (key, entry) in &self.entries {
            if let Some(fault) = &entry.fault {
                let broken = Broken {
                    fault: fault.clone(),
                    still_served: entry.module.is_some(),
                };
                catalog.broken.insert(self.shown(key), broken);
            }
            for note in entry.module.iter().flat_map(|m| &m.script.declared.notes) {
                catalog.notes.push(note.clone());
            }
        }
        for key in self.unused_libraries() {
            catalog.notes.push(format!(
                "{} declares nothing, and nothing loads it",
                self.shown(&key)
            ));
        }
        catalog
    }

    /// A file without declarations is a library; one that nobody loads may be a mistake.
    fn unused_libraries(&self) -> Vec<Key> {
        let used: BTreeSet<(usize, &FileId)> = self
            .entries
            .iter()
            .flat_map(|((f, file), entry)| {
                entry
                    .touched
                    .iter()
                    .filter(move |t| *t != file)
                    .map(move |t| (*f, t))
            })
            .collect();
        let tests: BTreeSet<(usize, String)> = self
            .folders
            .iter()
            .enumerate()
            .flat_map(|(i, folder)| {
                folder
                    .tests()
                    .into_iter()
                    .map(move |test| (i, test.replace("_test.star", ".star")))
            })
            .collect();
        self.entries
            .iter()
            .filter(|((f, file), entry)| {
                entry.module.is_none()
                    && entry.fault.is_none()
                    && !used.contains(&(*f, file))
                    && !tests.contains(&(*f, file.clone()))
            })
            .map(|(key, _)| key.clone())
            .collect()
    }
}
