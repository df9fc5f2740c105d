//! The thread that owns the library: hears of changes, waits for quiet, serves the next catalog.

use crate::catalog::Catalog;
use crate::event::{Change, Event};
use crate::library::{Key, Library};
use crate::life::Life;
use crate::names::UnlistedTool;
use crate::orders::Order;
use crate::registry::Choice;
use crate::stats::Stats;
use crate::survey::Survey;
use crate::watch::{Heard, Watch};
use model::Fault;
use script::ToolChange;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use tokio::sync::{oneshot, watch};

/// After the last word of a change, so long nothing more must be heard.
pub(crate) const QUIET: Duration = Duration::from_millis(25);
/// A file that is saved all the time is loaded so often.
pub(crate) const LONGEST: Duration = Duration::from_millis(250);

/// Stops its thread when dropped.
pub(crate) struct Keeper {
    heard: Sender<Heard>,
}

/// Something that is to be done between two changes.
pub(crate) enum Errand {
    Obey(Order, oneshot::Sender<Result<(), String>>),
    /// A call has added or removed tools of the module whose life this is.
    Tools(Arc<Life>, Vec<ToolChange>, oneshot::Sender<Result<(), Fault>>),
    /// Stop the module whose life this is: it leaves too many threads behind.
    Halt(Arc<Life>),
    /// Tell what lies in the folders.
    Survey(oneshot::Sender<Survey>),
    /// Serve nothing more, and let every module end.
    Close(oneshot::Sender<()>),
}

impl Keeper {
    pub(crate) fn start(
        library: Library,
        catalog: watch::Sender<Arc<Catalog>>,
        stats: Arc<Stats>,
        watches: bool,
        told: impl Fn(&Event) + Send + 'static,
    ) -> Self {
        let (heard, hears) = channel();
        let keeper = Self { heard: heard.clone() };
        let spawned = std::thread::Builder::new().name("keeper".into()).spawn(move || {
            let mut work = Work {
                library,
                catalog,
                stats,
                told: Box::new(told),
                watch: None,
                doubtful: false,
            };
            if watches {
                work.watch(heard);
            } else {
                drop(heard);
            }
            work.run(&hears);
        });
        if let Err(error) = spawned {
            tracing::error!("folders are not watched: {error}");
        }
        keeper
    }

    pub(crate) fn order(&self, order: Order) -> oneshot::Receiver<Result<(), String>> {
        let (reply, answer) = oneshot::channel();
        self.send(Errand::Obey(order, reply));
        answer
    }

    pub(crate) fn change_tools(
        &self,
        life: &Arc<Life>,
        changes: Vec<ToolChange>,
    ) -> oneshot::Receiver<Result<(), Fault>> {
        let (reply, answer) = oneshot::channel();
        self.send(Errand::Tools(Arc::clone(life), changes, reply));
        answer
    }

    /// Stops a module that leaves too many threads behind; does not wait for it.
    pub(crate) fn halt(&self, life: &Arc<Life>) {
        self.send(Errand::Halt(Arc::clone(life)));
    }

    pub(crate) fn survey(&self) -> oneshot::Receiver<Survey> {
        let (reply, answer) = oneshot::channel();
        self.send(Errand::Survey(reply));
        answer
    }

    pub(crate) fn close(&self) -> oneshot::Receiver<()> {
        let (reply, answer) = oneshot::channel();
        self.send(Errand::Close(reply));
        answer
    }

    /// Compares the folders and the configuration with what is served, though no change was reported.
    pub(crate) fn reread(&self) {
        let _ = self.heard.send(Heard::Tree);
    }

    /// A keeper that is gone drops the errand, and with it the promise of an answer.
    fn send(&self, errand: Errand) {
        let _ = self.heard.send(Heard::Errand(errand));
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
    fn watch(&mut self, heard: Sender<Heard>) {
        match Watch::new(heard, self.library.folders()) {
            Ok(watch) => self.watch = Some(watch),
            Err(error) => tracing::error!("folders are not watched: {error}"),
        }
        self.follow();
        // What changed between loading and watching was not heard.
        self.refresh(&BTreeSet::new());
    }

    fn run(mut self, hears: &Receiver<Heard>) {
        let mut suspects = BTreeSet::new();
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
                Ok(Heard::Errand(errand)) => match self.run_errand(errand) {
                    ControlFlow::Continue(()) => continue,
                    ControlFlow::Break(()) => return None,
                },
                Ok(Heard::Path(path)) if self.is_project(&path) => {}
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

    /// Breaks off after the last errand.
    fn run_errand(&mut self, errand: Errand) -> ControlFlow<()> {
        let events = RefCell::new(Vec::new());
        let told = |event: &Event| events.borrow_mut().push(event.clone());
        match errand {
            Errand::Obey(order, reply) => {
                let next = self.library.obey(&order, &told);
                let done = next.map(|next| self.serve(next, events.into_inner()));
                let _ = reply.send(done);
            }
            Errand::Tools(life, changes, reply) => {
                let next = self.library.change_tools(&life, changes);
                let done = next.map(|next| {
                    if let Some(next) = next {
                        self.serve(next, Vec::new());
                    }
                });
                let _ = reply.send(done);
            }
            Errand::Halt(life) => {
                let listed = self.catalog.borrow().listed_of(&life);
                if let Some(next) = self.library.halt(&life, listed, &told) {
                    self.serve(next, events.into_inner());
                }
            }
            Errand::Survey(reply) => {
                let _ = reply.send(self.library.survey());
            }
            // The last one: whatever is heard afterwards must not start anything again.
            Errand::Close(reply) => {
                // That there is nothing any more is no news to whoever ends it.
                self.told = Box::new(|_| {});
                let next = self.library.close();
                self.serve(next, Vec::new());
                let _ = reply.send(());
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    fn is_project(&self, path: &PathBuf) -> bool {
        let absolute = |path: &PathBuf| std::path::absolute(path).ok();
        let project = self.library.project.path().to_path_buf();
        absolute(path) == absolute(&project)
    }

    /// The files of ours that a path stands for; empty for a log or a database that happens to lie there.
    fn relevant(&self, path: &PathBuf) -> Vec<Key> {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let mut keys = Vec::new();
        for (i, folder) in self.library.folders().iter().enumerate() {
            let root =
                std::path::absolute(folder.root()).unwrap_or_else(|_| folder.root().to_path_buf());
            let Ok(below) = absolute.strip_prefix(&root) else {
                continue;
            };
            let Some(file) = below.to_str().map(|s| s.replace('\\', "/")) else {
                continue;
            };
            if crate::disk::is_source(&file)
                || crate::attempt::is_manifest(&file)
                || self.library.knows(i, &file)
            {
                keys.push((i, file));
            }
        }
        // The folder itself, or what leads to it, has appeared or vanished.
        let leads_to = |folder: &crate::disk::Folder| {
            std::path::absolute(folder.root()).is_ok_and(|root| root.starts_with(&absolute))
        };
        for (i, _) in
            self.library.folders().iter().enumerate().filter(|(_, folder)| leads_to(folder))
        {
            keys.push((i, String::new()));
        }
        keys
    }

    fn refresh(&mut self, suspects: &BTreeSet<Key>) {
        self.follow();
        for (folder, file) in suspects.iter().filter(|(_, file)| crate::disk::is_test(file)) {
            let file = self.library.folders()[*folder].path(file).display().to_string();
            (self.told)(&Event { file, module: None, change: Change::Tests, took: Duration::ZERO });
        }
        let events = RefCell::new(Vec::new());
        let next = self.library.refresh(suspects, &|event| events.borrow_mut().push(event.clone()));
        let events = events.into_inner();
        match next {
            Some(next) => {
                let stats = Arc::clone(&self.stats);
                let before = self.replace(next, || Stats::add(&stats.reloads));
                self.announce(&before, events);
            }
            None => events.iter().for_each(|event| (self.told)(event)),
        }
    }

    fn serve(&mut self, next: Catalog, events: Vec<Event>) {
        let before = self.replace(next, || {});
        self.announce(&before, events);
    }

    /// Serves this catalog from now on, and returns the one before it. It is counted before any reader sees
    /// it, and no reader that sees the count gets the one before.
    fn replace(&mut self, next: Catalog, count: impl FnOnce()) -> Arc<Catalog> {
        let index = Arc::clone(&next.tool_index);
        let mut before = Arc::new(next);
        self.catalog.send_modify(|served| {
            std::mem::swap(served, &mut before);
            count();
        });
        index.build_in_background();
        before
    }

    /// Retires what the new catalog has replaced, and tells what has changed.
    fn announce(&mut self, before: &Catalog, mut events: Vec<Event>) {
        let served = Arc::clone(&self.catalog.borrow());
        let new = served.unlisted.iter().filter(|tool| !before.unlisted.contains(tool));
        events.extend(new.map(UnlistedTool::event));
        let (before, choice) = (before.front.choice, served.front.choice);
        // Only now: who comes too late for a life must find its successor.
        let mut retiring = std::mem::take(&mut self.library.retiring);
        retiring.sort_by_key(|life| Reverse(life.born));
        for life in retiring {
            life.retire();
        }
        // Told only now: whoever hears "reloaded" and calls gets the new version.
        for event in events {
            (self.told)(&event);
        }
        let surface = |choice: Choice| (choice.shows_modules, choice.would_show_modules);
        if surface(choice) != surface(before) {
            (self.told)(&Event {
                file: self.library.project.shown(),
                module: None,
                change: Change::Surface(choice),
                took: Duration::ZERO,
            });
        }
    }

    fn follow(&mut self) {
        if let Some(watch) = &mut self.watch {
            watch.forget(std::mem::take(&mut self.doubtful));
            let project = self.library.project.path();
            for problem in watch.follow(self.library.folders(), project) {
                tracing::warn!("{problem}");
            }
        }
    }
}
