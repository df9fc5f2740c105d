//! Recordings lie beside the test file, in one file for all of its tests, by their names.

use super::Recording;
use crate::test_data::{self, RECORDINGS, TestDataChanges};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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

impl Recordings {
    /// Those of a test file.
    pub(crate) fn of(test_file: &Path) -> Self {
        let path = RECORDINGS.path(test_file);
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

    pub(crate) fn get(&self, test: &str) -> Result<Option<Recording>, String> {
        let kept = self.kept.lock();
        match &kept.fault {
            Some(why) => Err(why.clone()),
            None => Ok(kept.all.get(test).cloned()),
        }
    }

    /// Keeps what a test was answered; nothing, if it asked for nothing.
    pub(crate) fn put(&self, test: &str, recording: Recording) {
        let mut kept = self.kept.lock();
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
        let mut kept = self.kept.lock();
        kept.all.insert(test.to_owned(), recording);
        write(&self.path, &kept.all)
    }

    /// Writes what is new. What belongs to a test that is not in `there` goes, if something may.
    pub(crate) fn settle(
        &self,
        records: bool,
        there: &[String],
    ) -> Result<TestDataChanges, String> {
        let mut kept = self.kept.lock();
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
            write(&self.path, &kept.all)?;
        }
        Ok(TestDataChanges { written: kept.written, removed: kept.removed, orphans })
    }
}

fn read(path: &Path) -> Result<BTreeMap<String, Recording>, String> {
    match test_data::read(path)? {
        Some(text) => serde_json::from_str(&text).map_err(|error| error.to_string()),
        None => Ok(BTreeMap::new()),
    }
}

fn write(path: &Path, all: &BTreeMap<String, Recording>) -> Result<(), String> {
    let text = serde_json::to_string_pretty(all).map_err(|error| error.to_string())?;
    test_data::write(path, (!all.is_empty()).then_some(text + "\n"))
}
