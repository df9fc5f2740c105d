//! The thread that owns the library: hears of changes, waits for quiet, serves the next catalog.

use crate::catalog::Catalog;
use crate::event::{Change, Event};
use crate::library::{Key, Library};
use crate::stats::Stats;
use crate::watch::{Heard, Watch};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// After the last word of a change, so long nothing more must be heard.
const QUIET: Duration = Duration::from_millis(25);
/// A file that is saved all the time is loaded so often.
const LONGEST: Duration = Duration::from_millis(250);

/// Stops its thread when dropped.
pub(crate) struct Keeper {
    heard: Sender<Heard>,
}

impl Keeper {
    pub(crate) fn start(
        library: Library,
        catalog: watch::Sender<Arc<Catalog>>,
        stats: Arc<Stats>,
        told: impl Fn(&Event) + Send + 'static,
    ) -> Self {
        let (heard, hears) = channel();
        let keeper = Self {
            heard: heard.clone(),
        };
        let spawned = std::thread::Builder::new()
            .name("keeper".into())
            .spawn(move || {
                Work {
                    library,
                    catalog,
                    stats,
                    told: Box::new(told),
                    watch: None,
                    doubtful: false,
                }
                .run(heard, &hears);
            });
        if let Err(error) = spawned {
            tracing::error!("folders are not watched: {error}");
        }
        keeper
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        let _ = self.heard.send(Heard::Quit);
    }
}

struct Work {
    library: Library,
    catalog: watch::Sender<Arc<Catalog>>,
    stats: Arc<Stats>,
    told: Box<dyn Fn(&Event) + Send>,
    watch: Option<Watch>,
    /// Folders came or went: what is watched may not be what lies there.
    doubtful: bool,
}

impl Work {
    fn run(mut self, heard: Sender<Heard>, hears: &Receiver<Heard>) {
        match Watch::new(heard) {
            Ok(watch) => self.watch = Some(watch),
            Err(error) => tracing::error!("folders are not watched: {error}"),
        }
        self.follow();
        // What changed between loading and watching was not heard.
        let mut suspects = BTreeSet::new();
        self.refresh(&suspects);
        loop {
            if self.library.patience().is_none() {
                suspects.clear();
            }
            let Some(next) = self.next_change(hears, suspects) else {
                return;
            };
            self.refresh(&next);
            suspects = next;
            suspects.retain(|(_, file)| !crate::disk::is_test(file));
        }
    }

    /// Everything heard until it is quiet again; `None` at the end.
    fn next_change(
        &mut self,
        hears: &Receiver<Heard>,
        mut suspects: BTreeSet<Key>,
    ) -> Option<BTreeSet<Key>> {
        let mut first: Option<Instant> = None;
        let mut until = self.library.patience();
        loop {
            let now = Instant::now();
            let item = match until {
                None => hears.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(until) if now >= until => Err(RecvTimeoutError::Timeout),
                Some(until) => hears.recv_timeout(until - now),
            };
            match item {
                Ok(Heard::Quit) | Err(RecvTimeoutError::Disconnected) => return None,
                Ok(Heard::Path(path)) => {
                    let keys = self.relevant(&path);
                    if keys.is_empty() {
                        continue;
                    }
                    self.doubtful |= keys.iter().any(|(_, file)| file.is_empty());
                    suspects.extend(keys);
                }
                Ok(Heard::Tree) => self.doubtful = true,
                Err(RecvTimeoutError::Timeout) => return Some(suspects),
            }
            let begin = *first.get_or_insert_with(Instant::now);
            until = Some((Instant::now() + QUIET).min(begin + LONGEST));
        }
    }

    /// The files of ours that a path stands for; empty for a log or a database that happens to lie there.
    fn relevant(&self, path: &PathBuf) -> Vec<Key> {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let mut keys = Vec::new();
        for (i, folder) in self.library.folders.iter().enumerate() {
            let root =
                std::path::absolute(folder.root()).unwrap_or_else(|_| folder.root().to_path_buf());
            let Ok(below) = absolute.strip_prefix(&root) else {
                continue;
            };
            let Some(file) = below.to_str().map(|s| s.replace('\\', "/")) else {
                continue;
            };
            if crate::disk::is_source(&file) || self.library.knows(i, &file) {
                keys.push((i, file));
            }
        }
        // The folder itself, or what leads to it, has appeared or vanished.
        let leads_to = |folder: &crate::disk::Folder| {
            std::path::absolute(folder.root()).is_ok_and(|root| root.starts_with(&absolute))
        };
        for (i, _) in self
            .library
            .folders
            .iter()
            .enumerate()
            .filter(|(_, folder)| leads_to(folder))
        {
            keys.push((i, String::new()));
        }
        keys
    }

    fn refresh(&mut self, suspects: &BTreeSet<Key>) {
        self.follow();
        for (folder, file) in suspects
            .iter()
            .filter(|(_, file)| crate::disk::is_test(file))
        {
            let file = self.library.folders[*folder]
                .path(file)
                .display()
                .to_string();
            (self.told)(&Event {
                file,
                module: None,
                change: Change::Tests,
                took: Duration::ZERO,
            });
        }
        let events = RefCell::new(Vec::new());
        let next = self
            .library
            .refresh(suspects, &|event| events.borrow_mut().push(event.clone()));
        let Some(next) = next else { return };
        Stats::add(&self.stats.reloads);
        self.catalog.send_replace(Arc::new(next));
        // Told only now: whoever hears "reloaded" and calls gets the new version.
        for event in events.into_inner() {
            (self.told)(&event);
        }
    }

    fn follow(&mut self) {
        if let Some(watch) = &mut self.watch {
            watch.forget(std::mem::take(&mut self.doubtful));
            for problem in watch.follow(&self.library.folders) {
                tracing::warn!("{problem}");
            }
        }
    }
}
