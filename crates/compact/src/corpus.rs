//! Reads `tests/corpus` for unit tests: tool lists, requests in plain words, payloads.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read their data from disk; the code under test reads nothing"
)]

use serde_json::Value;
use std::path::{Path, PathBuf};

/// Reads one file of the corpus.
#[track_caller]
pub(crate) fn read(file: &str) -> Value {
    read_path(&folder().join(file))
}

#[track_caller]
fn read_path(path: &Path) -> Value {
    let text = std::fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{} is not JSON: {error}", path.display()))
}

/// Reads all files of one kind, sorted by name.
#[track_caller]
pub(crate) fn all(kind: &str) -> Vec<(String, Value)> {
    all_in(&folder(), kind)
}

/// The same of another folder.
#[track_caller]
pub(crate) fn all_in(folder: &Path, kind: &str) -> Vec<(String, Value)> {
    let folder = folder.join(kind);
    let entries = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", folder.display()));
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert!(!names.is_empty(), "{} is empty", folder.display());
    names.into_iter().map(|name| (name.clone(), read_path(&folder.join(name)))).collect()
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus")
}
