//! Hears of changes on disk: which of them matter is decided by whoever listens.

use crate::disk::{Folder, is_hidden, is_in_data_folder, is_source};
use crate::keeper::Errand;
use notify::event::{CreateKind, ModifyKind, RemoveKind};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;

/// What was heard.
pub(crate) enum Heard {
    /// This path may have another content, or none.
    Path(PathBuf),
    /// Whole folders came or went: look at everything.
    Tree,
    Errand(Errand),
    Quit,
}

/// Watches folders, and the place where a missing one would appear.
pub(crate) struct Watch {
    watcher: RecommendedWatcher,
    watched: Vec<(PathBuf, RecursiveMode)>,
}

impl Watch {
    pub(crate) fn new(heard: Sender<Heard>, folders: &[Folder]) -> notify::Result<Self> {
        let roots: Vec<PathBuf> = folders.iter().map(|f| f.root().to_path_buf()).collect();
        let tell = move |event: notify::Result<notify::Event>| match event {
            Ok(event) if event.need_rescan() => drop(heard.send(Heard::Tree)),
            Ok(event) => {
                for item in interesting(event, &roots) {
                    let _ = heard.send(item);
                }
            }
            Err(_) => drop(heard.send(Heard::Tree)),
        };
        // A link to `/` would have the whole machine watched; what links lead to inside the folder is
        // watched where it lies.
        let config = notify::Config::default().with_follow_symlinks(false);
        let watcher = RecommendedWatcher::new(tell, config)?;
        Ok(Self { watcher, watched: Vec::new() })
    }

    /// Watches what exists now; call again after a change, since folders come and go.
    pub(crate) fn follow(&mut self, folders: &[Folder], project: &Path) -> Vec<String> {
        let mut problems = Vec::new();
        if let Some(beside) = beside(project) {
            self.add(beside, RecursiveMode::NonRecursive, &mut problems);
        }
        for folder in folders {
            // What appears between looking and watching is seen by looking again.
            loop {
                let (target, mode) = place(folder);
                if !self.add(target, mode, &mut problems) {
                    break;
                }
            }
        }
        problems
    }

    /// Answers whether this is watched only from now on.
    fn add(&mut self, target: PathBuf, mode: RecursiveMode, problems: &mut Vec<String>) -> bool {
        if self.watched.contains(&(target.clone(), mode)) {
            return false;
        }
        if let Err(error) = self.watcher.watch(&target, mode) {
            problems.push(format!("cannot watch {}: {error}", target.display()));
            return false;
        }
        self.watched.push((target, mode));
        true
    }

    /// A folder that was removed must be watched anew when it comes back; where folders came or
    /// went, any of them may be another one under the same name.
    pub(crate) fn forget(&mut self, doubtful: bool) {
        let (kept, gone): (Vec<_>, Vec<_>) =
            self.watched.drain(..).partition(|(path, _)| !doubtful && path.is_dir());
        for (path, _) in gone {
            let _ = self.watcher.unwatch(&path);
        }
        self.watched = kept;
    }
}

/// What is to be watched for a folder: itself with all below, or where it would appear.
fn place(folder: &Folder) -> (PathBuf, RecursiveMode) {
    if folder.exists() {
        (folder.root().to_path_buf(), RecursiveMode::Recursive)
    } else {
        (nearest_existing(folder.root()), RecursiveMode::NonRecursive)
    }
}

/// The folder that a file lies in, if it can be watched.
fn beside(file: &Path) -> Option<PathBuf> {
    if file.as_os_str().is_empty() {
        return None;
    }
    let absolute = std::path::absolute(file).ok()?;
    let folder = absolute.parent()?;
    folder.is_dir().then(|| folder.to_path_buf())
}

fn nearest_existing(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    absolute.ancestors().find(|above| above.is_dir()).map_or(absolute.clone(), Path::to_path_buf)
}

/// Reading a file is not news, nor is what happens to hidden files or in the data folder.
fn interesting(event: notify::Event, roots: &[PathBuf]) -> Vec<Heard> {
    let folders = matches!(
        event.kind,
        EventKind::Create(CreateKind::Folder)
            | EventKind::Remove(RemoveKind::Folder)
            | EventKind::Modify(ModifyKind::Name(_))
    );
    match event.kind {
        EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(_)) => return Vec::new(),
        _ => {}
    }
    event
        .paths
        .into_iter()
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?.to_owned();
            let below = roots.iter().filter_map(|root| path.strip_prefix(root).ok());
            if is_hidden(&name) || below.into_iter().any(is_in_data_folder) {
                return None;
            }
            if is_source(&name) {
                return Some(Heard::Path(path));
            }
            // A name without an ending is a folder more often than not; one that vanished cannot be asked.
            if folders && (path.is_dir() || path.extension().is_none()) {
                return Some(Heard::Tree);
            }
            Some(Heard::Path(path))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::Event;

    #[test]
    fn what_the_server_writes_is_no_news() {
        let roots = [PathBuf::from("/srv/.larkspur/modules")];
        for (path, is_news) in [
            ("/srv/.larkspur/modules/a.star", true),
            ("/srv/.larkspur/modules/data/a.json", true),
            ("/srv/.larkspur/modules/.larkspur/state.db-wal", false),
            ("/srv/.larkspur/modules/.larkspur/audit.jsonl", false),
            ("/srv/.larkspur/modules/a/.larkspur/state.db", false),
            ("/srv/larkspur.toml", true),
        ] {
            let event = Event::new(EventKind::Modify(ModifyKind::Any)).add_path(path.into());
            assert_eq!(!interesting(event, &roots).is_empty(), is_news, "{path}");
        }
    }
}
