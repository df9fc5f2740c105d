//! Where the modules with a manifest lie, and which file is part of which of them.

use crate::attempt::{Wanted, is_manifest};
use crate::disk::{Folder, MANIFEST};
use crate::library::Key;
use model::{ModuleName, did_you_mean};
use script::FileId;
use settings::Manifest;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Folders with a manifest. A file is part of the nearest one above it.
#[derive(Default)]
pub struct Homes {
    /// By the folder's place and the path below it; empty when the whole folder is one module.
    homes: BTreeMap<Key, Option<Arc<Manifest>>>,
    names: BTreeMap<ModuleName, Key>,
}

impl Homes {
    /// Those that lie in these folders now.
    pub fn scan(folders: &[Folder]) -> Self {
        let files = folders.iter().enumerate().flat_map(|(i, folder)| {
            let files = folder.scan().into_keys();
            files.filter(|file| is_manifest(file)).map(move |file| (i, file))
        });
        Self::new(files.filter_map(|key| Wanted::new(key, folders).home()))
    }

    /// From the keys of the manifests; one that cannot be read still owns its folder.
    pub(crate) fn new(manifests: impl IntoIterator<Item = (Key, Option<Arc<Manifest>>)>) -> Self {
        let mut homes = Self::default();
        for ((folder, file), manifest) in manifests {
            let home = (folder, directory(&file).to_owned());
            if let Some(manifest) = &manifest {
                let names = &mut homes.names;
                names.entry(manifest.name.clone()).or_insert(home.clone());
            }
            homes.homes.insert(home, manifest);
        }
        homes
    }

    /// The folder that a file's paths begin in, and the module it is part of, if that has a manifest.
    pub fn place<'f>(&'f self, folder: usize, file: &'f str) -> (&'f str, Option<&'f ModuleName>) {
        let Some(home) = self.of(folder, file) else {
            return (directory(file), None);
        };
        let manifest = self.homes.get(home).and_then(Option::as_ref);
        (&home.1, manifest.map(|manifest| &manifest.name))
    }

    /// The manifest of the folder that a file is part of, if it cannot be read: nobody knows what that
    /// module may do.
    pub fn unread(&self, folder: usize, file: &str) -> Option<String> {
        let home = self.of(folder, file)?;
        let is_unread = self.homes.get(home)?.is_none();
        is_unread.then(|| join(&home.1, MANIFEST))
    }

    /// Is this the name of a module with a manifest?
    pub(crate) fn is_home(&self, name: &ModuleName) -> bool {
        self.names.contains_key(name)
    }

    /// The folder of the module that a file is part of.
    pub(crate) fn of(&self, folder: usize, file: &str) -> Option<&Key> {
        let mut below = directory(file);
        loop {
            if let Some((home, _)) = self.homes.get_key_value(&(folder, below.to_owned())) {
                return Some(home);
            }
            if below.is_empty() {
                return None;
            }
            below = directory(below);
        }
    }

    /// The file that an id stands for: `@name/x.star` lies in the module of that name.
    pub(crate) fn locate(&self, folder: usize, id: &str) -> Key {
        let foreign = id.strip_prefix('@').and_then(|id| id.split_once('/'));
        let home = foreign.and_then(|(name, file)| Some((self.names.get(name)?, file)));
        match home {
            Some(((folder, below), file)) => (*folder, join(below, file)),
            None => (folder, id.to_owned()),
        }
    }

    /// The id that `load("@name")` stands for in a file.
    pub(crate) fn dependency(
        &self,
        folder: usize,
        from: &str,
        wanted: &str,
    ) -> Result<FileId, String> {
        let (folder, file) = self.locate(folder, from);
        let home = self.of(folder, &file);
        let Some(Some(manifest)) = home.and_then(|home| self.homes.get(home)) else {
            return Err(format!(
                "only a module with a {MANIFEST} can load `@{wanted}`, a dependency that it declares"
            ));
        };
        let declared: Vec<&str> = manifest.dependencies().map(|(name, _)| name.as_str()).collect();
        if let Some((name, _)) = wanted.split_once('/') {
            return Err(format!("another module is loaded as a whole: \"@{name}\" is its `entry`"));
        }
        if !declared.contains(&wanted) {
            let near = did_you_mean(wanted, declared.iter().copied());
            let hint = near.map_or_else(
                || format!("add it to `depends_on` in {MANIFEST}"),
                |near| format!("did you mean `@{near}`?"),
            );
            return Err(format!(
                "module `{}` does not depend on `{wanted}`; {hint}",
                manifest.name
            ));
        }
        let there = self.names.get(wanted).and_then(|home| self.homes.get(home));
        match there {
            Some(Some(manifest)) => Ok(format!("@{wanted}/{}", manifest.entry)),
            _ => Err(format!("there is no module `{wanted}` with a {MANIFEST}")),
        }
    }
}

pub(crate) fn directory(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

pub(crate) fn join(folder: &str, file: &str) -> FileId {
    if folder.is_empty() { file.to_owned() } else { format!("{folder}/{file}") }
}
