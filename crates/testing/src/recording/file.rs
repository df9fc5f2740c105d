//! Recordings lie beside the test file, in one file for all of its tests, by their names.
#![expect(clippy::disallowed_methods, reason = "this is the room that owns the recordings")]

use super::Recording;
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The folder beside the tests.
const FOLDER: &str = "__recordings__";

pub(crate) struct Recordings {
    path: PathBuf,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    all: BTreeMap<String, Recording>,
    /// How many were written, anew or again.
    written: usize,
    removed: usize,
    /// Why the file cannot be read.
    fault: Option<String>,
}

/// What became of a file of recordings.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Settled {
    pub(crate) written: usize,
    pub(crate) removed: usize,
    /// Those whose tests are gone.
    pub(crate) orphans: Vec<String>,
}

impl Recordings {
    /// Those of a test file.
    pub(crate) fn of(test_file: &Path) -> Self {
        let path = Self::path_of(test_file);
        let mut kept = Kept::default();
        match read(&path) {
            Ok(all) => kept.all = all,
            Err(why) => {
                let path = path.display();
                kept.fault = Some(format!(
                    "cannot read {path}: {why}; remove it, and record anew with --record"
                ));
            }
        }
        Self { path, kept: Mutex::new(kept) }
    }

    pub(crate) fn path_of(test_file: &Path) -> PathBuf {
        let mut name = PathBuf::from(test_file.file_name().unwrap_or_default());
        name.set_extension("json");
        let folder = test_file.parent().unwrap_or_else(|| Path::new(""));
        folder.join(FOLDER).join(name)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get(&self, test: &str) -> Result<Option<Recording>, String> {
        let kept = self.kept();
        match &kept.fault {
            Some(why) => Err(why.clone()),
            None => Ok(kept.all.get(test).cloned()),
        }
    }

    /// Keeps what a test was answered; nothing, if it asked for nothing.
    pub(crate) fn put(&self, test: &str, recording: Recording) {
        let mut kept = self.kept();
        if recording.is_empty() {
            let was_there = kept.all.remove(test).is_some();
            kept.removed += usize::from(was_there);
        } else {
            kept.all.insert(test.to_owned(), recording);
            kept.written += 1;
        }
    }

    /// Writes one more, whatever is in it.
    pub(crate) fn add(&self, test: &str, recording: Recording) -> Result<(), String> {
        if recording == Recording::default() {
            return Ok(());
        }
        let mut kept = self.kept();
        kept.all.insert(test.to_owned(), recording);
        let path = self.path.display();
        write(&self.path, &kept.all).map_err(|why| format!("cannot write {path}: {why}"))
    }

    /// Writes what is new. What belongs to a test that is not in `there` goes, if something may.
    pub(crate) fn settle(&self, records: bool, there: &[String]) -> Result<Settled, String> {
        let mut kept = self.kept();
        if let Some(why) = kept.fault.as_ref().filter(|_| records) {
            return Err(why.clone());
        }
        let is_orphan = |test: &&String| !there.contains(test);
        let mut orphans: Vec<String> = kept.all.keys().filter(is_orphan).cloned().collect();
        if records {
            for orphan in orphans.drain(..) {
                kept.all.remove(&orphan);
                kept.removed += 1;
            }
        }
        if kept.written + kept.removed > 0 {
            let path = self.path.display();
            write(&self.path, &kept.all).map_err(|why| format!("cannot write {path}: {why}"))?;
        }
        Ok(Settled { written: kept.written, removed: kept.removed, orphans })
    }
}

/// Files of recordings in a folder whose test files are gone.
pub(crate) fn lonely(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder.join(FOLDER)) else {
        return Vec::new();
    };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let names = names.filter_map(|name| name.strip_suffix(".json").map(str::to_owned));
    let is_gone = |name: &String| !folder.join(format!("{name}.star")).exists();
    let mut gone: Vec<String> = names.filter(is_gone).collect();
    gone.sort();
    gone
}

fn read(path: &Path) -> Result<BTreeMap<String, Recording>, String> {
    match fs::read_to_string(path) {
        Ok(text) => serde_json::from_str(&text).map_err(|error| error.to_string()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(error) => Err(error.to_string()),
    }
}

fn write(path: &Path, all: &BTreeMap<String, Recording>) -> Result<(), String> {
    if all.is_empty() {
        return fs::remove_file(path).map_err(|error| error.to_string());
    }
    let text = serde_json::to_string_pretty(all).map_err(|error| error.to_string())?;
    let put = || {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let aside = path.with_extension("json.new");
        fs::write(&aside, text + "\n")?;
        fs::rename(&aside, path)
    };
    put().map_err(|error| error.to_string())
}
