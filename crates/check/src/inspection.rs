//! Everything that checks look at: the modules as they are loaded, and each source, read once.

use model::ModuleName;
use runtime::{Catalog, Runtime, Survey, Surveyed};
use script::SourceFacts;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) struct Inspection<'a> {
    pub(crate) runtime: &'a Runtime,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) survey: Survey,
    pub(crate) files: Vec<SourceFile>,
}

/// One source in the folders, tests included.
pub(crate) struct SourceFile {
    pub(crate) path: PathBuf,
    /// As its folder was named.
    pub(crate) shown: String,
    pub(crate) text: Result<String, String>,
    pub(crate) is_test: bool,
    /// None of a file that is no Starlark, which is reported elsewhere.
    pub(crate) facts: SourceFacts,
}

impl<'a> Inspection<'a> {
    pub(crate) fn new(runtime: &'a Runtime) -> Self {
        let mut files = Vec::new();
        for folder in runtime.folders() {
            let sources = folder.sources().into_iter().map(|file| (file, false));
            let tests = folder.tests().into_iter().map(|file| (file, true));
            files.extend(sources.chain(tests).map(|(file, is_test)| {
                let path = folder.path(&file);
                let (shown, text) = (path.display().to_string(), folder.read_text(&file));
                let facts = text.as_ref().ok();
                let facts = facts.and_then(|text| SourceFacts::read(&shown, text).ok());
                SourceFile { path, shown, text, is_test, facts: facts.unwrap_or_default() }
            }));
        }
        Self { runtime, catalog: runtime.catalog(), survey: runtime.survey(), files }
    }

    pub(crate) fn modules(&self) -> impl Iterator<Item = (&ModuleName, &Surveyed)> {
        self.survey.named()
    }

    /// Sources of a module, without tests.
    pub(crate) fn sources(&self, is_own: impl Fn(&Path) -> bool) -> Vec<&SourceFile> {
        self.files.iter().filter(|file| !file.is_test && is_own(&file.path)).collect()
    }

    /// The path of the file in which a module declares its tools, as it is shown.
    pub(crate) fn entry_path(module: &Surveyed) -> String {
        let entry = module.manifest.as_ref().zip(module.home.as_ref());
        let path = entry.map(|(manifest, home)| home.join(&manifest.entry));
        path.map_or(module.file.clone(), |path| path.display().to_string())
    }

    /// The file in which a module declares its tools.
    pub(crate) fn entry(&self, module: &Surveyed) -> Option<&SourceFile> {
        let shown = Self::entry_path(module);
        self.files.iter().find(|file| !file.is_test && file.shown == shown)
    }
}
