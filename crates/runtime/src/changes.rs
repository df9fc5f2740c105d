//! Changes of files, for those who do something again after each. What is heard only wakes; what
//! has changed is seen by looking, so that nothing is missed and nothing is told twice.

use crate::disk::{Folder, MANIFEST, Stamp, is_source, stamp};
use crate::keeper::{LONGEST, QUIET};
use crate::watch::{Heard, Watch};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

pub struct Changes {
    folders: Vec<Folder>,
    project: PathBuf,
    watch: Watch,
    hears: Receiver<Heard>,
    seen: BTreeMap<PathBuf, Stamp>,
}

impl Changes {
    /// From what lies there now: in the folders, all that is not hidden, and the project's file.
    pub fn new(folders: Vec<Folder>, project: PathBuf) -> Result<Self, String> {
        let (heard, hears) = channel();
        let watch = Watch::new(heard, &folders);
        let watch = watch.map_err(|why| format!("cannot watch: {why}"))?;
        let mut changes = Self { folders, project, watch, hears, seen: BTreeMap::new() };
        changes.follow(false);
        changes.seen = changes.scan();
        Ok(changes)
    }

    /// Waits until something is another than it was when it was looked at last; nothing, if there
    /// is nobody left to hear from.
    pub fn await_next(&mut self) -> Option<Vec<PathBuf>> {
        loop {
            let mut doubtful = false;
            if self.seen == self.scan() {
                doubtful = matches!(self.hears.recv().ok()?, Heard::Tree);
            }
            self.hush(doubtful);
            let now = self.scan();
            let differ = |path: &&PathBuf| self.seen.get(*path) != now.get(*path);
            let paths: BTreeSet<&PathBuf> = self.seen.keys().chain(now.keys()).collect();
            let changed: Vec<PathBuf> = paths.into_iter().filter(differ).cloned().collect();
            if !changed.is_empty() {
                self.seen = now;
                return Some(changed);
            }
        }
    }

    /// Data that was written since is one's own doing, and no change; sources are others'.
    pub fn settle(&mut self) {
        let others = std::mem::take(&mut self.seen).into_iter();
        let others = others.filter(|(path, _)| self.is_written_by_people(path));
        let own = self.scan().into_iter();
        let own = own.filter(|(path, _)| !self.is_written_by_people(path));
        self.seen = others.chain(own).collect();
    }

    fn is_written_by_people(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str());
        path == self.project || name.is_some_and(|name| is_source(name) || name == MANIFEST)
    }

    fn scan(&self) -> BTreeMap<PathBuf, Stamp> {
        let files = self.folders.iter().flat_map(Folder::everything);
        let project = stamp(&self.project).map(|stamp| (self.project.clone(), stamp));
        files.chain(project).collect()
    }

    /// Until nothing is heard for a moment: what is written now may be written only in part.
    fn hush(&mut self, mut doubtful: bool) {
        let latest = Instant::now() + LONGEST;
        while Instant::now() < latest {
            match self.hears.recv_timeout(QUIET) {
                Ok(heard) => doubtful |= matches!(heard, Heard::Tree),
                Err(_) => break,
            }
        }
        self.follow(doubtful);
    }

    fn follow(&mut self, doubtful: bool) {
        self.watch.forget(doubtful);
        for problem in self.watch.follow(&self.folders, &self.project) {
            tracing::warn!("{problem}");
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the folders under test are written to disk")]
mod tests {
    use super::*;
    use std::fs;

    fn names(changed: Option<Vec<PathBuf>>) -> Vec<String> {
        let name = |path: PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        changed.unwrap().into_iter().map(name).collect()
    }

    #[test]
    fn whatever_comes_changes_or_goes_is_told_once() {
        let dir = tempfile::tempdir().unwrap();
        let at = |file: &str| dir.path().join(file);
        fs::create_dir(at("modules")).unwrap();
        fs::write(at("modules/a.star"), "1").unwrap();
        let folders = vec![Folder::new(at("modules"))];
        let mut changes = Changes::new(folders, at("larkspur.toml")).unwrap();
        fs::write(at("modules/a.star"), "22").unwrap();
        assert_eq!(names(changes.await_next()), ["a.star"]);
        fs::create_dir_all(at("modules/shop/data")).unwrap();
        fs::write(at("modules/shop/data/x.json"), "{}").unwrap();
        assert_eq!(names(changes.await_next()), ["x.json"]);
        fs::write(at("larkspur.toml"), "").unwrap();
        assert_eq!(names(changes.await_next()), ["larkspur.toml"]);
        fs::write(at("modules/.hidden"), "").unwrap();
        fs::remove_file(at("modules/a.star")).unwrap();
        assert_eq!(names(changes.await_next()), ["a.star"]);
    }

    #[test]
    fn what_a_run_writes_is_no_change_and_what_people_write_meanwhile_is() {
        let dir = tempfile::tempdir().unwrap();
        let at = |file: &str| dir.path().join(file);
        let folders = vec![Folder::new(dir.path())];
        let mut changes = Changes::new(folders, at("larkspur.toml")).unwrap();
        fs::write(at("a.db"), "rows").unwrap();
        fs::write(at("a.star"), "1").unwrap();
        changes.settle();
        assert_eq!(names(changes.await_next()), ["a.star"]);
    }
}
