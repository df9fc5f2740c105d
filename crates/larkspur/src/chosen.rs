//! Paths that were typed: what `test` and `check` are asked about, and which folders that needs.

use crate::args::Global;
use crate::compose;
use crate::data_folder;
use std::path::{Path, PathBuf};

/// What was asked for; everything, if nothing was named.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    /// Without links.
    paths: Vec<PathBuf>,
}

impl Chosen {
    /// What was chosen, and the folders to look in: those that are served as far as they hold it,
    /// else the module itself. `Err` names a path that is not there.
    pub(crate) fn new(global: &Global, typed: &[PathBuf]) -> Result<(Self, Global), String> {
        let mut chosen = Self::default();
        if typed.is_empty() {
            return Ok((chosen, global.clone()));
        }
        let served = compose::folders(global);
        let mut folders: Vec<PathBuf> = Vec::new();
        for path in typed {
            let real = path.canonicalize();
            let real = real.map_err(|_| format!("there is no {}", path.display()))?;
            let holder = served.iter().find(|folder| holds(folder, &real));
            let folder = holder.cloned().unwrap_or_else(|| own_folder(path));
            if !folders.contains(&folder) {
                folders.push(folder);
            }
            chosen.paths.push(real);
        }
        // Whoever names folders wants all of them served.
        for folder in &global.modules {
            if !folders.contains(folder) {
                folders.push(folder.clone());
            }
        }
        let modules = folders;
        Ok((
            chosen,
            Global { modules, data_home: Some(data_folder::home(global)), ..global.clone() },
        ))
    }

    pub(crate) fn is_everything(&self) -> bool {
        self.paths.is_empty()
    }

    pub(crate) fn has(&self, file: &Path) -> bool {
        self.is_everything() || self.paths.iter().any(|path| holds_real(path, file))
    }

    /// Is this test file asked for? A source stands for the tests of its name, or of its folder if
    /// there are none.
    pub(crate) fn has_tests(&self, file: &Path) -> bool {
        self.has(file) || self.paths.iter().any(|path| holds_real(&tests_of(path), file))
    }
}

fn tests_of(path: &Path) -> PathBuf {
    let name = path.file_name().and_then(|name| name.to_str());
    let stem = name.and_then(|name| name.strip_suffix(".star"));
    let Some(stem) = stem.filter(|stem| !stem.ends_with("_test")) else {
        return path.to_owned();
    };
    let named = path.with_file_name(format!("{stem}_test.star"));
    match path.parent() {
        Some(folder) if !named.is_file() => folder.to_owned(),
        _ => named,
    }
}

/// The folder of the module that a path belongs to, or the nearest folder.
fn own_folder(path: &Path) -> PathBuf {
    let mut above = path.ancestors();
    let module = above.find(|folder| folder.join("module.toml").is_file());
    let near = if path.is_dir() { Some(path) } else { path.parent() };
    let near = near.filter(|near| !near.as_os_str().is_empty());
    module.or(near).unwrap_or(Path::new(".")).to_owned()
}

fn holds(folder: &Path, real: &Path) -> bool {
    folder.canonicalize().is_ok_and(|folder| real.starts_with(folder))
}

fn holds_real(path: &Path, file: &Path) -> bool {
    file.canonicalize().is_ok_and(|file| file.starts_with(path))
}
