//! What the rest of the program knows of the files.

use model::Fault;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub trait Project {
    /// Files that cannot be loaded, and why, if these texts were what stands in the files.
    fn broken(&self, unsaved: &Arc<BTreeMap<PathBuf, String>>) -> Vec<(PathBuf, Fault)>;

    /// The file that a `load` of this in that file means.
    fn resolve(&self, from: &Path, target: &str) -> Option<PathBuf>;

    /// The text of a file.
    fn read(&self, file: &Path) -> Option<String>;
}
