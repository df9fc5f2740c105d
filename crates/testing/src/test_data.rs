//! What is kept beside a test file for its tests: one file in a folder for each kind of data.
#![expect(
    clippy::disallowed_methods,
    reason = "snapshots and recordings are read and written here"
)]

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A kind of data: its folder beside the tests, and the extension of its files.
pub(crate) struct TestDataKind {
    pub(crate) folder: &'static str,
    pub(crate) extension: &'static str,
}

pub(crate) const SNAPSHOTS: TestDataKind =
    TestDataKind { folder: "__snapshots__", extension: "snap" };
pub(crate) const RECORDINGS: TestDataKind =
    TestDataKind { folder: "__recordings__", extension: "json" };

/// What became of the data of a test file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TestDataChanges {
    pub(crate) written: usize,
    pub(crate) removed: usize,
    /// What no test asks for.
    pub(crate) orphans: Vec<String>,
}

impl TestDataChanges {
    /// In sentences, with the option that removes orphans.
    pub(crate) fn describe(&self, what: &str, option: &str) -> Vec<String> {
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let counted = [(self.written, "written"), (self.removed, "removed")];
        let counted = counted.into_iter().filter(|(count, _)| *count > 0);
        let counted =
            counted.map(|(count, done)| format!("{count} {what}{} {done}", plural(count)));
        let orphans = self.orphans.iter();
        let orphans = orphans
            .map(|name| format!("no test asks for the {what} `{name}`: {option} removes it"));
        counted.chain(orphans).collect()
    }
}

impl TestDataKind {
    pub(crate) fn path(&self, test_file: &Path) -> PathBuf {
        let mut name = PathBuf::from(test_file.file_name().unwrap_or_default());
        name.set_extension(self.extension);
        let folder = test_file.parent().unwrap_or_else(|| Path::new(""));
        folder.join(self.folder).join(name)
    }

    /// Test files that are gone, by their names without an extension, while their data is still in
    /// this folder of tests.
    pub(crate) fn without_test_file(&self, tests: &Path) -> Vec<String> {
        let Ok(entries) = fs::read_dir(tests.join(self.folder)) else {
            return Vec::new();
        };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let end = format!(".{}", self.extension);
        let names = names.filter_map(|name| name.strip_suffix(&end).map(str::to_owned));
        let is_gone = |name: &String| !tests.join(format!("{name}.star")).exists();
        let mut gone: Vec<String> = names.filter(is_gone).collect();
        gone.sort();
        gone
    }
}

/// The text of a file, if it is there.
pub(crate) fn read(path: &Path) -> Result<Option<String>, String> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Replaces a file at once; without a text it goes.
pub(crate) fn write(path: &Path, text: Option<String>) -> Result<(), String> {
    let replace = |text: String| {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut aside = path.as_os_str().to_owned();
        aside.push(".new");
        fs::write(&aside, text)?;
        fs::rename(&aside, path)
    };
    let written = text.map_or_else(|| fs::remove_file(path), replace);
    written.map_err(|error| format!("cannot write {}: {error}", path.display()))
}
