//! The folders that are served, and the only place that reads them.
#![expect(clippy::disallowed_methods, reason = "this is the room that owns the disk")]

use model::DATA_FOLDER;
use script::{FileId, Sources};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

/// A folder with such a file is one module.
pub(crate) const MANIFEST: &str = "module.toml";
/// Its code, if the manifest names no other file.
pub(crate) const ENTRY: &str = "main.star";

/// Data files are read whole; one larger than this is a mistake.
const LARGEST_FILE: u64 = 64 << 20;
/// Folders below folders, so that a link in a circle ends.
const DEEPEST: usize = 16;

/// One folder given with `--modules`. A clone is the same folder.
#[derive(Debug, Clone)]
pub struct Folder {
    root: PathBuf,
    /// The same without links.
    real: Arc<OnceLock<PathBuf>>,
    /// Texts that an editor holds, and will write: they count as if it had.
    unsaved: Arc<BTreeMap<PathBuf, String>>,
}

/// Enough of a file's state to see that it may have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
}

impl Folder {
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), real: Arc::default(), unsaved: Arc::default() }
    }

    /// The same folder, as it will be once an editor has written these files.
    #[must_use]
    pub fn with_unsaved(mut self, unsaved: Arc<BTreeMap<PathBuf, String>>) -> Self {
        self.unsaved = unsaved;
        self
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn exists(&self) -> bool {
        self.root.is_dir()
    }

    /// Why nobody can look into it.
    pub fn trouble(&self) -> Option<std::io::Error> {
        fs::read_dir(&self.root).err()
    }

    /// What lies in it and cannot be read, and why: links that lead nowhere, closed folders.
    pub fn unread(&self) -> Vec<(PathBuf, String)> {
        let mut walk = Walk::new(&self.root, &|name| is_source(name) || name == MANIFEST);
        walk.collect(&self.root, "", 0, &mut BTreeMap::new());
        walk.unread.retain(|(path, _)| *path != self.root);
        walk.unread
    }

    /// Every source file and manifest, by its path below the folder. Hidden folders and files are left alone.
    pub fn scan(&self) -> BTreeMap<FileId, Stamp> {
        let mut files = BTreeMap::new();
        let wanted = |name: &str| is_source(name) || name == MANIFEST;
        Walk::new(&self.root, &wanted).collect(&self.root, "", 0, &mut files);
        files
    }

    /// Every file, data and all, by its whole path; hidden ones are left alone.
    pub(crate) fn everything(&self) -> BTreeMap<PathBuf, Stamp> {
        let mut files = BTreeMap::new();
        Walk::new(&self.root, &|_| true).collect(&self.root, "", 0, &mut files);
        let files = files.into_iter();
        files.map(|(file, stamp)| (self.path(&file), stamp)).collect()
    }

    /// Sources that hold tests.
    pub fn tests(&self) -> Vec<FileId> {
        self.scan().into_keys().filter(|file| is_test(file)).collect()
    }

    /// Sources that may hold modules.
    pub fn sources(&self) -> Vec<FileId> {
        self.scan().into_keys().filter(|file| is_source(file) && !is_test(file)).collect()
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.root.join(file)
    }

    /// The path below this folder, if it lies there.
    pub fn id(&self, path: &Path) -> Option<FileId> {
        let below = path.strip_prefix(&self.root).ok()?;
        let parts: Option<Vec<&str>> =
            below.components().map(|part| part.as_os_str().to_str()).collect();
        parts.map(|parts| parts.join("/"))
    }

    pub(crate) fn stamp(&self, file: &str) -> Option<Stamp> {
        stamp(&self.path(file))
    }

    /// The text of a file that must lie inside the folder, links followed.
    pub fn read_text(&self, file: &str) -> Result<String, String> {
        let path = self.path(file);
        if let Some(text) = self.unsaved.get(&path) {
            return Ok(text.clone());
        }
        let real = fs::canonicalize(&path).map_err(|error| why(&error))?;
        if !self.holds(&real)? {
            return Err("it lies outside the folder".into());
        }
        if self.is_data(&real) {
            return Err("it belongs to the server".into());
        }
        let handle = sandbox::open_file(&real).map_err(|error| why(&error))?;
        let mut text = String::new();
        handle.take(LARGEST_FILE + 1).read_to_string(&mut text).map_err(|error| why(&error))?;
        if text.len() as u64 > LARGEST_FILE {
            return Err(format!("it is longer than {LARGEST_FILE} bytes"));
        }
        Ok(text)
    }
}

impl Folder {
    /// Does a path without links lie in the data folder of a project whose modules these are?
    fn is_data(&self, real: &Path) -> bool {
        let below = self.real.get().and_then(|root| real.strip_prefix(root).ok());
        below.is_some_and(is_in_data_folder)
    }

    /// Does a path without links lie inside? The folder's own is looked up once, and again if that fails.
    fn holds(&self, real: &Path) -> Result<bool, String> {
        if self.real.get().is_some_and(|root| real.starts_with(root)) {
            return Ok(true);
        }
        let root = fs::canonicalize(&self.root).map_err(|error| why(&error))?;
        let inside = real.starts_with(&root);
        let _ = self.real.set(root);
        Ok(inside)
    }
}

impl Sources for Folder {
    fn read(&self, file: &FileId) -> Result<String, String> {
        self.read_text(file)
    }
}

/// The text of the project's file, if there is one.
pub(crate) fn read_project(path: &Path) -> Result<Option<String>, String> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(why(&error)),
    }
}

fn why(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".into(),
        std::io::ErrorKind::InvalidData => "it is not UTF-8 text".into(),
        _ => error.to_string(),
    }
}

pub(crate) fn is_source(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|ending| ending == "star")
}

pub(crate) fn is_test(file: &str) -> bool {
    file.ends_with("_test.star")
}

pub(crate) fn is_hidden(file: &str) -> bool {
    file.split('/').any(|part| part.starts_with('.'))
}

/// Is a path below a folder of modules one of the server's own files?
pub(crate) fn is_in_data_folder(below: &Path) -> bool {
    let mut parts = below.components();
    parts.any(|part| part.as_os_str() == DATA_FOLDER)
}

pub(crate) fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some(Stamp { modified: metadata.modified().ok(), bytes: metadata.len() })
}

/// A way through the folders below one, each real folder once.
struct Walk<'a> {
    wanted: &'a dyn Fn(&str) -> bool,
    /// Folders that were entered through a link, and the one where it began, without links.
    entered: BTreeSet<PathBuf>,
    root: Option<PathBuf>,
    unread: Vec<(PathBuf, String)>,
}

impl<'a> Walk<'a> {
    fn new(root: &Path, wanted: &'a dyn Fn(&str) -> bool) -> Self {
        Self {
            wanted,
            entered: BTreeSet::new(),
            root: fs::canonicalize(root).ok(),
            unread: Vec::new(),
        }
    }

    fn collect(
        &mut self,
        folder: &Path,
        below: &str,
        depth: usize,
        files: &mut BTreeMap<FileId, Stamp>,
    ) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.unread.push((folder.to_owned(), why(&error))),
        };
        for entry in entries.flatten() {
            let name = match entry.file_name().into_string() {
                Ok(name) => name,
                Err(name) => {
                    let path = entry.path();
                    if (self.wanted)(&name.to_string_lossy()) || path.is_dir() {
                        self.unread.push((path, "its name is not UTF-8".into()));
                    }
                    continue;
                }
            };
            if name.starts_with('.') {
                continue;
            }
            let id = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
            let path = entry.path();
            if let Some(stamp) = (self.wanted)(&name).then(|| stamp(&path)).flatten() {
                files.insert(id, stamp);
            } else if depth < DEEPEST && path.is_dir() {
                let inside = self.depth_within(&entry, depth);
                if let Some(depth) = inside {
                    self.collect(&path, &id, depth, files);
                }
            } else if entry.file_type().is_ok_and(|kind| kind.is_symlink()) && !path.exists() {
                self.unread.push((path, "this link leads nowhere".into()));
            }
        }
    }

    /// How deep it is inside, if it is entered. A link that stays inside is not: what it leads to is
    /// walked where it lies, and one that leads up would never end. What lies outside is not read
    /// anyway: of that, only the first files are looked at, so that somebody is told.
    fn depth_within(&mut self, entry: &fs::DirEntry, depth: usize) -> Option<usize> {
        if !entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
            return Some(depth + 1);
        }
        let real = fs::canonicalize(entry.path()).ok()?;
        let root = self.root.as_ref()?;
        let is_ours = root.starts_with(&real) || real.starts_with(root);
        (!is_ours && self.entered.insert(real)).then_some(DEEPEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_knows_its_sources() {
        let dir = tempfile::tempdir().unwrap();
        for (file, text) in [
            ("a.star", ""),
            ("a_test.star", ""),
            ("sub/deep/b.star", ""),
            (".hidden/c.star", ""),
            ("notes.txt", ""),
        ] {
            fs::create_dir_all(dir.path().join(file).parent().unwrap()).unwrap();
            fs::write(dir.path().join(file), text).unwrap();
        }
        let folder = Folder::new(dir.path());
        assert_eq!(folder.sources(), ["a.star", "sub/deep/b.star"]);
        assert_eq!(folder.tests(), ["a_test.star"]);
        assert_eq!(folder.id(&dir.path().join("sub/x.star")).as_deref(), Some("sub/x.star"));
        assert_eq!(folder.id(Path::new("elsewhere")), None);
    }

    #[test]
    fn reading_stays_inside() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("in")).unwrap();
        fs::write(dir.path().join("secret"), "x").unwrap();
        fs::write(dir.path().join("in/ok"), "fine").unwrap();
        fs::create_dir(dir.path().join("in/.larkspur")).unwrap();
        fs::write(dir.path().join("in/.larkspur/audit.jsonl"), "{}").unwrap();
        std::os::unix::fs::symlink(".larkspur/audit.jsonl", dir.path().join("in/log")).unwrap();
        std::os::unix::fs::symlink(dir.path().join("secret"), dir.path().join("in/link")).unwrap();
        let folder = Folder::new(dir.path().join("in"));
        assert_eq!(folder.read_text("ok"), Ok("fine".into()));
        assert_eq!(folder.read_text("link"), Err("it lies outside the folder".into()));
        for data in [".larkspur/audit.jsonl", "log", "./.larkspur/../log"] {
            let refused = Err("it belongs to the server".into());
            assert_eq!(folder.read_text(data), refused, "{data}");
        }
        assert_eq!(folder.read_text("../secret"), Err("it lies outside the folder".into()));
        assert_eq!(folder.read_text("gone"), Err("there is no such file".into()));
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("data.json");
        let made = std::process::Command::new("mkfifo").arg(pipe).status();
        assert!(made.unwrap().success());
        let read = Folder::new(dir.path()).read_text("data.json");
        assert_eq!(read, Err("it is not a regular file".into()));
    }

    #[test]
    fn links_are_followed_once_and_never_up() {
        let dir = tempfile::tempdir().unwrap();
        let link = |to: &str, at: &str| {
            std::os::unix::fs::symlink(to, dir.path().join(at)).unwrap();
        };
        for folder in ["in/a", "in/b/deep", "out/deep"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        for file in ["in/a/a.star", "in/b/deep/b.star", "out/o.star", "out/deep/p.star"] {
            fs::write(dir.path().join(file), "").unwrap();
        }
        link("/", "in/a/everything");
        link("..", "in/a/up");
        link(".", "in/a/here");
        link("../b", "in/a/other");
        link("../b", "in/a/same");
        link("../a", "in/b/back");
        link("../../out", "in/a/out");
        let folder = Folder::new(dir.path().join("in"));
        assert_eq!(folder.sources(), ["a/a.star", "a/out/o.star", "b/deep/b.star"]);
        assert_eq!(folder.everything().len(), 3);
    }

    #[test]
    fn a_missing_folder_is_empty() {
        let folder = Folder::new("no/such/folder");
        assert!(!folder.exists() && folder.sources().is_empty());
    }
}
