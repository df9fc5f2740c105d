//! Loads files and folders, before it is decided what is taken.

use crate::abandoned::LoadThreads;
use crate::disk::{ENTRY, Folder, MANIFEST};
use crate::ground::Ground;
use crate::homes::{Homes, directory, join};
use crate::library::Key;
use crate::load_session::FolderSession;
use crate::permit::Permit;
use crate::project::ProjectFile;
use crate::reader::digest;
use model::{Fault, ModuleName, Rights};
use parking_lot::Mutex;
use script::{Engine, FileId, LoadSession, Script, is_extension};
use settings::Manifest;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// A file's or folder's loading, before it is decided whether it is taken.
#[derive(Clone)]
pub(crate) struct Attempt {
    pub(crate) key: Key,
    pub(crate) result: Result<Arc<Script>, Fault>,
    /// What the folder promises, when that can be read.
    pub(crate) manifest: Option<Arc<Manifest>>,
    /// Every file that mattered, with the digest of what it held.
    pub(crate) touched: BTreeMap<Key, u64>,
    pub(crate) took: Duration,
}

/// What is to be loaded.
pub(crate) struct Wanted {
    pub(crate) key: Key,
    /// For a folder: its manifest, and the digest of that. For one that lacks it: that, and the digest
    /// of its code.
    pub(crate) manifest: Option<(Result<Arc<Manifest>, Fault>, u64)>,
}

impl Wanted {
    /// Reads the manifest of a folder; a file has none.
    pub(crate) fn new(key: Key, folders: &[Folder]) -> Self {
        if !is_manifest(&key.1) {
            let manifest = is_orphan(&key.1).then(|| lost(&key, &folders[key.0]));
            return Self { key, manifest };
        }
        let text = folders[key.0].read_text(&key.1);
        let seen = digest(&text);
        let parsed = match text {
            Ok(text) => Manifest::parse(&key.1, &text, env!("CARGO_PKG_VERSION")).map(Arc::new),
            Err(why) => Err(Fault::new(format!("cannot read {}: {why}", key.1))),
        };
        Self { key, manifest: Some((parsed, seen)) }
    }

    /// The key with its manifest, if it is a folder's.
    pub(crate) fn home(&self) -> Option<(Key, Option<Arc<Manifest>>)> {
        let manifest = self.manifest.as_ref();
        let (parsed, _) = manifest.filter(|_| is_manifest(&self.key.1))?;
        Some((self.key.clone(), parsed.as_ref().ok().cloned()))
    }

    /// The file to evaluate.
    fn entry(&self) -> Result<FileId, Fault> {
        match &self.manifest {
            None => Ok(self.key.1.clone()),
            Some((Ok(manifest), _)) => Ok(join(directory(&self.key.1), &manifest.entry)),
            Some((Err(fault), _)) => Err(fault.clone()),
        }
    }
}

/// What a source will be called, as far as its manifest or file name tells.
pub(crate) fn name_on_disk(key: &Key, folders: &[Folder]) -> Option<ModuleName> {
    match Wanted::new(key.clone(), folders).manifest {
        Some((parsed, _)) => parsed.ok().map(|manifest| manifest.name.clone()),
        None => stem(key).parse().ok(),
    }
}

/// A file's name without its folder and ending.
pub(crate) fn stem(key: &Key) -> &str {
    let name = key.1.rsplit('/').next().unwrap_or(&key.1);
    name.trim_end_matches(".star")
}

pub(crate) fn is_manifest(file: &str) -> bool {
    file.rsplit('/').next() == Some(MANIFEST)
}

/// Is it the code of a folder whose manifest is not there? What it may do is not known then, and no folder
/// is to become freer by losing a file.
fn is_orphan(file: &str) -> bool {
    file.rsplit_once('/').is_some_and(|(_, name)| name == ENTRY)
}

fn lost(key: &Key, folder: &Folder) -> (Result<Arc<Manifest>, Fault>, u64) {
    let home = folder.path(directory(&key.1));
    let fault = Fault::new(format!(
        "`{}` has {ENTRY} but no {MANIFEST}; `larkspur new` writes one",
        home.display()
    ));
    (Err(fault), digest(&folder.read_text(&key.1)))
}

/// Loads from the folders of a project.
pub(crate) struct Shop<'a> {
    pub(crate) ground: &'a Arc<Ground>,
    pub(crate) homes: Arc<Homes>,
    pub(crate) engine: &'a Arc<Engine>,
    pub(crate) project: &'a ProjectFile,
}

impl Shop<'_> {
    /// Loads on as many threads as there are cores. Each takes a share when it has done with its last: some
    /// modules are large.
    pub(crate) fn load(&self, wanted: &[Wanted]) -> Vec<Attempt> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let shares = wanted.chunks(share_of(wanted, cores));
        let threads = shares.len().min(cores);
        let (shares, attempts) = (Mutex::new(shares), Mutex::new(Vec::new()));
        let work = || {
            loop {
                let next = shares.lock().next();
                let Some(share) = next else { return };
                let loaded = self.share(share);
                attempts.lock().extend(loaded);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
        let mut attempts = attempts.into_inner();
        attempts.sort_by(|a, b| a.key.cmp(&b.key));
        attempts
    }

    fn share(&self, wanted: &[Wanted]) -> Vec<Attempt> {
        let mut attempts = Vec::new();
        for index in 0..self.ground.folders.len() {
            let mut files: [BTreeMap<FileId, &Wanted>; 2] = Default::default();
            for wanted in wanted.iter().filter(|wanted| wanted.key.0 == index) {
                let is_single = wanted.manifest.is_none();
                match wanted.entry() {
                    Ok(_) if is_single && self.refuses(wanted) => {
                        attempts.push(self.refused(wanted));
                    }
                    Ok(file) => {
                        files[usize::from(is_single)].insert(file, wanted);
                    }
                    Err(fault) => attempts.push(unread(wanted, fault)),
                }
            }
            for (files, is_single) in files.iter().zip([false, true]) {
                if !files.is_empty() {
                    attempts.extend(self.load_files(index, files, is_single));
                }
            }
        }
        attempts
    }

    /// Grants that may be meant for single files, whose names are not known before they are loaded.
    fn loading(&self, is_single: bool) -> Rights {
        let grants = self.project.grants();
        let others = grants.filter(|(name, _)| !self.homes.is_home(name));
        let reads_env = is_single && !self.ground.refuses_extensions;
        Rights::of_loading(reads_env, others.map(|(_, grant)| grant))
    }

    /// Is it a file in starlark-mcp's form, where these are not loaded?
    fn refuses(&self, wanted: &Wanted) -> bool {
        let (folder, file) = &wanted.key;
        self.ground.refuses_extensions && {
            let text = self.ground.folders[*folder].read_text(file);
            text.is_ok_and(|source| is_extension(file, &source))
        }
    }

    fn refused(&self, wanted: &Wanted) -> Attempt {
        let (folder, file) = &wanted.key;
        let text = digest(&self.ground.folders[*folder].read_text(file));
        let fault = Fault::new(
            "not loaded: a file in starlark-mcp's form may reach every public host, variable and \
             database, and this server listens on other addresses than loopback",
        );
        let fault = fault.help(
            "start it with --trust-folder or LARKSPUR_TRUST_FOLDER=1, or call permissions(…) at the top of \
             the file",
        );
        Attempt { touched: BTreeMap::from([(wanted.key.clone(), text)]), ..unread(wanted, fault) }
    }

    fn load_files(
        &self,
        index: usize,
        wanted: &BTreeMap<FileId, &Wanted>,
        is_single: bool,
    ) -> Vec<Attempt> {
        let files: Vec<FileId> = wanted.keys().cloned().collect();
        let root = self.ground.folders[index].root().to_path_buf();
        let session = Arc::new(FolderSession {
            ground: Arc::clone(self.ground),
            homes: Arc::clone(&self.homes),
            folder: index,
            permit: Permit::new(root, self.loading(is_single), self.project.own()),
            digests: Arc::default(),
            threads: LoadThreads::default(),
        });
        let shared = Arc::clone(&session) as Arc<dyn LoadSession>;
        let loaded = self.engine.load_all(&files, &shared).into_iter();
        loaded
            .filter_map(|loaded| Some(session.attempt(wanted.get(&loaded.file)?, loaded)))
            .collect()
    }
}

/// Few enough to keep all threads busy to the end. What shares load by one name, each loads for itself; and
/// a thread is worth more than a small file.
fn share_of(wanted: &[Wanted], cores: usize) -> usize {
    let has_folders = wanted.iter().any(|wanted| wanted.manifest.is_some());
    let least = if has_folders { 1 } else { 16 };
    wanted.len().div_ceil(cores * 4).max(least)
}

/// A folder whose manifest cannot be used.
fn unread(wanted: &Wanted, fault: Fault) -> Attempt {
    let text = wanted.manifest.as_ref().map_or(0, |(_, seen)| *seen);
    Attempt {
        key: wanted.key.clone(),
        result: Err(fault),
        manifest: None,
        touched: BTreeMap::from([(wanted.key.clone(), text)]),
        took: Duration::ZERO,
    }
}
