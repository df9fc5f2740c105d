//! The project as an editor asks about it: texts that are not written yet count.
#![expect(clippy::disallowed_methods, reason = "an editor asks about files that are its user's")]

use crate::args::Global;
use crate::compose;
use lsp::Project;
use model::Fault;
use runtime::{AbandonedThreads, Folder, Homes, Reader, Runtime, Settings};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) struct Editor<'g> {
    pub(crate) global: &'g Global,
    /// Files that did not return are not evaluated again with every key that is typed.
    pub(crate) abandoned: Arc<AbandonedThreads>,
}

impl Editor<'_> {
    /// Absolute, as an editor names files.
    fn folders(&self) -> Vec<PathBuf> {
        let folders = compose::folders(self.global).into_iter();
        folders.map(|folder| std::path::absolute(&folder).unwrap_or(folder)).collect()
    }
}

impl Project for Editor<'_> {
    fn broken(&self, unsaved: &Arc<BTreeMap<PathBuf, String>>) -> Vec<(PathBuf, Fault)> {
        let settings = match compose::settings(self.global) {
            Ok(settings) => settings,
            Err(bad) => {
                let path = compose::project_path(self.global);
                return vec![(std::path::absolute(&path).unwrap_or(path), bad.into())];
            }
        };
        let runtime = Runtime::open(Settings {
            folders: self.folders(),
            unsaved: Arc::clone(unsaved),
            asleep: true,
            abandoned: Arc::clone(&self.abandoned),
            ..settings
        });
        let catalog = runtime.catalog();
        let broken = catalog.broken.iter();
        let found = broken.map(|(file, broken)| place(file, &broken.fault, runtime.folders()));
        let found = found.collect();
        runtime.close();
        found
    }

    fn resolve(&self, from: &Path, target: &str) -> Option<PathBuf> {
        let folders: Vec<Folder> = self.folders().into_iter().map(Folder::new).collect();
        let homes = Homes::scan(&folders);
        let mut numbered = folders.iter().enumerate();
        let (number, id) = numbered.find_map(|(i, folder)| Some((i, folder.id(from)?)))?;
        let reader = Reader::new(&folders, &homes, number);
        let found = script::resolve(&reader, &id, target).ok()?;
        Some(reader.path(&found))
    }

    fn read(&self, file: &Path) -> Option<String> {
        std::fs::read_to_string(file).ok()
    }
}

/// The file that a fault is in, which may be one that the module loads.
fn place(file: &str, fault: &Fault, folders: &[Folder]) -> (PathBuf, Fault) {
    let module = PathBuf::from(file);
    let within = fault.place.as_ref().and_then(|place| {
        let own = folders.iter().find(|folder| module.starts_with(folder.root()))?;
        Some(own.path(&place.file)).filter(|path| path.exists())
    });
    let mut fault = fault.clone();
    if within.is_none() {
        fault.place = None;
    }
    (within.unwrap_or(module), fault)
}
