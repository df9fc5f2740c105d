//! Sources and host of files that are loaded from one folder; owned by the threads that load them.

use crate::abandoned::LoadThreads;
use crate::attempt::{Attempt, Wanted};
use crate::gate::Gate;
use crate::ground::Ground;
use crate::homes::Homes;
use crate::permit::Permit;
use crate::reader::{Digests, Reader, missing};
use model::{Fault, Host};
use script::{FileId, LoadSession, LoadedFile, Sources};
use settings::Manifest;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(crate) struct FolderSession {
    pub(crate) ground: Arc<Ground>,
    pub(crate) homes: Arc<Homes>,
    /// The folder's place among the folders.
    pub(crate) folder: usize,
    pub(crate) permit: Permit,
    pub(crate) digests: Arc<Digests>,
    pub(crate) threads: LoadThreads,
}

impl LoadSession for FolderSession {
    fn enter(&self, work: &mut dyn FnMut(&dyn Sources, &dyn Host)) {
        let reader = self.reader();
        let gate = Gate::new("loading", &reader, &self.permit, &self.ground);
        work(&reader, &gate);
    }

    fn stuck(&self, file: &FileId) -> Option<(Fault, BTreeSet<FileId>)> {
        self.ground.abandoned.known(&self.reader(), file)
    }

    fn abandoned(&self, file: &FileId, touched: &BTreeSet<FileId>, fault: &Fault) {
        let abandoned = &self.ground.abandoned;
        self.threads.push(abandoned.add_load(&self.reader(), file, touched, fault));
    }

    fn ended(&self) {
        self.threads.pop();
    }
}

impl FolderSession {
    fn reader(&self) -> Reader<'_> {
        let folders = &self.ground.folders;
        Reader::new(folders, &self.homes, self.folder).noting(&self.digests)
    }

    /// What a loaded file is to the module that wanted it.
    pub(crate) fn attempt(&self, wanted: &Wanted, loaded: LoadedFile) -> Attempt {
        let digests = self.digests.of(&loaded.touched);
        let is_there = digests.get(&loaded.file) != Some(&missing());
        let located = digests.into_iter();
        let located = located.map(|(id, seen)| (self.homes.locate(self.folder, &id), seen));
        let mut touched: BTreeMap<_, _> = located.collect();
        let manifest = wanted.manifest.as_ref();
        if let Some((_, seen)) = manifest {
            touched.insert(wanted.key.clone(), *seen);
        }
        let manifest = manifest.and_then(|(parsed, _)| parsed.as_ref().ok().cloned());
        let result = match &manifest {
            Some(manifest) if !is_there => Err(no_entry(manifest)),
            Some(_) => loaded.result.and_then(|script| script.check_hooks().map(|()| script)),
            None => loaded.result,
        };
        Attempt {
            key: wanted.key.clone(),
            result: result.map(Arc::new),
            manifest,
            touched,
            took: loaded.took,
        }
    }
}

/// The file that the manifest names, or does not need to name, is not there.
fn no_entry(manifest: &Manifest) -> Fault {
    let fault = Fault::new(format!(
        "module `{}` has no {}, which is its `entry`",
        manifest.name, manifest.entry
    ));
    Fault {
        place: manifest.place("entry"),
        ..fault.help("write that file, or name another one with `entry`")
    }
}
