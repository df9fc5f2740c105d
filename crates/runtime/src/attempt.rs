//! Loads files, before it is decided what is taken.

use crate::disk::Folder;
use crate::gate::Gate;
use crate::library::Key;
use model::Fault;
use script::{Engine, FileId, Script, Sources};
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// One file's loading, before it is decided whether it is taken.
pub(crate) struct Attempt {
    pub(crate) key: Key,
    pub(crate) result: Result<Script, Fault>,
    pub(crate) touched: BTreeSet<FileId>,
    pub(crate) text: u64,
    pub(crate) took: Duration,
}

impl Attempt {
    /// Loads files, on as many threads as there are cores.
    pub(crate) fn all(folders: &[Folder], engine: &Engine, keys: &[Key]) -> Vec<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let share = keys.len().div_ceil(cores).max(16);
        let attempts = Mutex::new(Vec::with_capacity(keys.len()));
        let mut shares = keys.chunks(share);
        let mine = shares.next().unwrap_or_default();
        std::thread::scope(|scope| {
            for keys in shares {
                scope.spawn(|| Self::share(folders, engine, keys, &attempts));
            }
            Self::share(folders, engine, mine, &attempts);
        });
        let mut attempts = attempts.into_inner().unwrap_or_default();
        attempts.sort_by(|a, b| a.key.cmp(&b.key));
        attempts
    }

    fn share(folders: &[Folder], engine: &Engine, keys: &[Key], attempts: &Mutex<Vec<Self>>) {
        for (index, folder) in folders.iter().enumerate() {
            let files: Vec<FileId> = keys
                .iter()
                .filter(|key| key.0 == index)
                .map(|key| key.1.clone())
                .collect();
            if files.is_empty() {
                continue;
            }
            let gate = Gate {
                module: "loading",
                folder,
                progress: None,
                updates: None,
                used: AtomicBool::new(false),
            };
            let reader = Reader {
                folder,
                texts: Mutex::default(),
            };
            let mut started = Instant::now();
            engine.load_all(&files, &reader, &gate, |file, result, touched| {
                let took = started.elapsed();
                started = Instant::now();
                let attempt = Self {
                    key: (index, file.clone()),
                    result,
                    touched,
                    text: reader.text(file),
                    took,
                };
                if let Ok(mut attempts) = attempts.lock() {
                    attempts.push(attempt);
                }
            });
        }
    }
}

/// A folder that remembers what was read from it: the file may be another one a moment later.
struct Reader<'a> {
    folder: &'a Folder,
    texts: Mutex<HashMap<FileId, u64>>,
}

impl Reader<'_> {
    fn text(&self, file: &FileId) -> u64 {
        let texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        texts.get(file).copied().unwrap_or_default()
    }
}

impl Sources for Reader<'_> {
    fn read(&self, file: &FileId) -> Result<String, String> {
        let text = self.folder.read_text(file);
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        texts.insert(file.clone(), digest(&text));
        text
    }
}

/// The digest of a file with nothing in it.
pub(crate) fn blank() -> u64 {
    digest(&Ok(String::new()))
}

pub(crate) fn digest(text: &Result<String, String>) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
