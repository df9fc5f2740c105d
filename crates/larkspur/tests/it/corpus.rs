//! Reads `tests/corpus`: tool lists of invented servers, and payloads.

use serde_json::Value;
use std::fs;
use std::path::Path;

/// Reads all files of one kind (`tools` or `payloads`), each with its path, sorted.
#[track_caller]
pub(crate) fn read_all(kind: &str) -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus").join(kind);
    let entries = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    let read = |path: &Path| serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    paths.into_iter().map(|path| (path.display().to_string(), read(&path))).collect()
}
