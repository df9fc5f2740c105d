//! Sources as one loading sees them: across the folders that are served, and remembered as they
//! were read, since a file may be another one a moment later.

use crate::disk::Folder;
use crate::homes::Homes;
use parking_lot::Mutex;
use script::{FileId, Sources};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;

pub struct Reader<'a> {
    folders: &'a [Folder],
    homes: &'a Homes,
    /// The folder that ids without `@` belong to.
    folder: usize,
    digests: Arc<Digests>,
}

/// Digests of the files that were read, as they were then.
#[derive(Default)]
pub struct Digests(Mutex<HashMap<FileId, u64>>);

impl Digests {
    fn note(&self, file: &FileId, digest: u64) {
        self.0.lock().insert(file.clone(), digest);
    }

    /// Each of these files with its digest.
    pub(crate) fn of(&self, files: &BTreeSet<FileId>) -> BTreeMap<FileId, u64> {
        let digests = self.0.lock();
        let of = |file: &FileId| digests.get(file).copied().unwrap_or_else(missing);
        files.iter().map(|file| (file.clone(), of(file))).collect()
    }
}

impl<'a> Reader<'a> {
    pub fn new(folders: &'a [Folder], homes: &'a Homes, folder: usize) -> Self {
        Self { folders, homes, folder, digests: Arc::default() }
    }

    /// The same, noting what it reads there.
    #[must_use]
    pub fn noting(self, digests: &Arc<Digests>) -> Self {
        let digests = Arc::clone(digests);
        Self { digests, ..self }
    }

    /// Each of these files with its digest.
    pub(crate) fn digests(&self, files: &BTreeSet<FileId>) -> BTreeMap<FileId, u64> {
        self.digests.of(files)
    }

    /// Where the file lies that an id stands for.
    pub fn path(&self, id: &FileId) -> PathBuf {
        let (folder, file) = self.homes.locate(self.folder, id);
        self.folders[folder].path(&file)
    }
}

impl Sources for Reader<'_> {
    fn read(&self, file: &FileId) -> Result<String, String> {
        let (folder, path) = self.homes.locate(self.folder, file);
        let text = self.folders[folder].read_text(&path);
        self.digests.note(file, digest(&text));
        text
    }

    fn path_of(&self, file: &FileId) -> String {
        self.path(file).display().to_string()
    }

    fn home(&self, file: &FileId) -> Option<String> {
        if file.starts_with('@') {
            return file.split_once('/').map(|(home, _)| home.to_owned());
        }
        self.homes.of(self.folder, file).map(|(_, below)| below.clone())
    }

    fn dependency(&self, file: &FileId, name: &str) -> Result<FileId, String> {
        self.homes.dependency(self.folder, file, name)
    }
}

/// The digest of a file with nothing in it.
pub(crate) fn blank() -> u64 {
    digest(&Ok(String::new()))
}

/// The digest of a file that is not there.
pub(crate) fn missing() -> u64 {
    digest(&Err("there is no such file".into()))
}

pub(crate) fn digest(text: &Result<String, String>) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
