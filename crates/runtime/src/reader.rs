//! Sources as one loading sees them: across the folders that are served, and remembered as they
//! were read, since a file may be another one a moment later.

use crate::disk::Folder;
use crate::homes::Homes;
use crate::library::Key;
use script::{FileId, Sources};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

pub struct Reader<'a> {
    folders: &'a [Folder],
    homes: &'a Homes,
    /// The folder that ids without `@` belong to.
    folder: usize,
    texts: Mutex<HashMap<FileId, u64>>,
}

impl<'a> Reader<'a> {
    pub fn new(folders: &'a [Folder], homes: &'a Homes, folder: usize) -> Self {
        Self {
            folders,
            homes,
            folder,
            texts: Mutex::default(),
        }
    }

    /// Where the file lies that an id stands for.
    pub fn path(&self, id: &FileId) -> PathBuf {
        let (folder, file) = self.homes.locate(self.folder, id);
        self.folders[folder].path(&file)
    }

    /// The files that ids stand for, each with the digest of what was read.
    pub(crate) fn read_of(&self, ids: &BTreeSet<FileId>) -> BTreeMap<Key, u64> {
        let texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let digest_of = |id: &FileId| texts.get(id).copied().unwrap_or_else(missing);
        ids.iter()
            .map(|id| (self.homes.locate(self.folder, id), digest_of(id)))
            .collect()
    }
}

impl Sources for Reader<'_> {
    fn read(&self, file: &FileId) -> Result<String, String> {
        let (folder, path) = self.homes.locate(self.folder, file);
        let text = self.folders[folder].read_text(&path);
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        texts.insert(file.clone(), digest(&text));
        text
    }

    fn path_of(&self, file: &FileId) -> String {
        self.path(file).display().to_string()
    }

    fn home(&self, file: &FileId) -> Option<String> {
        if file.starts_with('@') {
            return file.split_once('/').map(|(home, _)| home.to_owned());
        }
        self.homes
            .of(self.folder, file)
            .map(|(_, below)| below.clone())
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
