//! Files in the folders of modules, with the texts that an editor has not saved.

use runtime::{Folder, Homes, Reader};
use script::Sources;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Texts of open files, which count instead of those on disk.
pub(crate) type UnsavedTexts = Arc<BTreeMap<PathBuf, String>>;

/// The path and the text of the file that a `load` of `target` in `from` means.
pub(crate) fn find_loaded(
    folders: &[PathBuf],
    unsaved: &UnsavedTexts,
    from: &Path,
    target: &str,
) -> Option<(PathBuf, String)> {
    let folders = folders.iter().map(|root| Folder::new(root).with_unsaved(Arc::clone(unsaved)));
    let folders: Vec<Folder> = folders.collect();
    let homes = Homes::scan(&folders);
    let mut numbered = folders.iter().enumerate();
    let (number, id) = numbered.find_map(|(number, folder)| Some((number, folder.id(from)?)))?;
    let reader = Reader::new(&folders, &homes, number);
    let found = script::resolve(&reader, &id, target).ok()?;
    Some((reader.path(&found), reader.read(&found).ok()?))
}
