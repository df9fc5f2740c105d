//! The handle that everything above holds; a clone shares.

use crate::catalog::Catalog;
use crate::disk::Folder;
use crate::errand::Ended;
use crate::event::Event;
use crate::keeper::Keeper;
use crate::lane::{Pass, Trial, Trials};
use crate::library::Library;
use crate::pool::Pool;
use crate::stats::Stats;
use crate::updates::Updates;
use model::Limits;
use script::Engine;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// How often somebody looks whether a trial has ended.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// What a runtime is made from.
#[derive(Debug, Clone)]
pub struct Settings {
    pub folders: Vec<PathBuf>,
    pub limits: Limits,
    /// Threads that calls arrive on, of which one is always kept free of scripts.
    pub threads: usize,
    /// Calls on threads at one time; further ones wait.
    pub in_flight: usize,
    /// Calls that may wait; further ones are turned away.
    pub queue: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            folders: Vec::new(),
            limits: Limits::default(),
            threads: 2,
            in_flight: 512,
            queue: 1024,
        }
    }
}

#[derive(Clone)]
pub struct Runtime(Arc<Inner>);

struct Inner {
    folders: Vec<Folder>,
    limits: Arc<Limits>,
    /// Registry, lock-free read and change signal at once; sending is the only write.
    catalog: watch::Sender<Arc<Catalog>>,
    pool: Pool,
    trials: Trials,
    /// Set once somebody watches the trials.
    warden: OnceLock<()>,
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
    queue: usize,
    stats: Arc<Stats>,
    updates: Updates,
    started: Instant,
    /// Present once the folders are being watched.
    keeper: OnceLock<Keeper>,
}

impl Runtime {
    /// Loads every folder. What cannot be loaded is in the catalog's `broken`; the rest is served.
    pub fn open(settings: Settings) -> Self {
        let (runtime, _) = Self::load(settings, |_| {});
        runtime
    }

    /// Loads every folder and keeps it fresh until the last handle is gone; `told` hears of each change.
    pub fn watch(settings: Settings, told: impl Fn(&Event) + Send + 'static) -> Self {
        let (runtime, library) = Self::load(settings, &told);
        let keeper = Keeper::start(
            library,
            runtime.0.catalog.clone(),
            Arc::clone(&runtime.0.stats),
            told,
        );
        let _ = runtime.0.keeper.set(keeper);
        runtime
    }

    fn load(settings: Settings, told: impl Fn(&Event)) -> (Self, Library) {
        let folders: Vec<Folder> = settings.folders.iter().map(Folder::new).collect();
        let warming = std::thread::spawn(script::warm_up);
        let engine = Engine::new(settings.limits.clone());
        let mut library = Library::new(folders.clone(), engine);
        // It has had the time it takes; a failure there would only be a slower start.
        let _ = warming.join();
        let catalog = library.load_everything(&told);
        let inner = Inner {
            folders,
            limits: Arc::new(settings.limits),
            catalog: watch::Sender::new(Arc::new(catalog)),
            pool: Pool::default(),
            trials: Trials::new(settings.threads),
            warden: OnceLock::new(),
            places: Arc::new(Semaphore::new(settings.in_flight)),
            waiting: AtomicUsize::new(0),
            queue: settings.queue,
            stats: Arc::default(),
            updates: Updates::default(),
            started: Instant::now(),
            keeper: OnceLock::new(),
        };
        (Self(Arc::new(inner)), library)
    }

    /// What is served at this moment.
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.0.catalog.borrow())
    }

    /// Wakes when another catalog is served.
    pub fn changes(&self) -> watch::Receiver<Arc<Catalog>> {
        self.0.catalog.subscribe()
    }

    pub fn folders(&self) -> &[Folder] {
        &self.0.folders
    }

    pub fn limits(&self) -> &Arc<Limits> {
        &self.0.limits
    }

    pub fn stats(&self) -> &Arc<Stats> {
        &self.0.stats
    }

    /// Where word of changed resources goes.
    pub fn updates(&self) -> &Updates {
        &self.0.updates
    }

    pub fn uptime(&self) -> Duration {
        self.0.started.elapsed()
    }

    /// A place for a trial, watched from the first one on.
    pub(crate) fn enter_trial(&self, trial: impl FnOnce() -> Trial) -> Option<Pass<'_>> {
        self.0.warden.get_or_init(|| {
            tokio::spawn(watch_trials(Arc::downgrade(&self.0)));
        });
        self.0.trials.enter(trial)
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.0.pool
    }

    /// A place among the calls on threads, waited for until the call's own deadline.
    pub(crate) async fn admit(&self, patience: Duration) -> Result<Place, Ended> {
        if let Ok(permit) = Arc::clone(&self.0.places).try_acquire_owned() {
            return Ok(Place::new(permit, &self.0.stats));
        }
        let waiting = self.0.waiting.fetch_add(1, Ordering::Relaxed);
        let _counted = Waiting(&self.0.waiting);
        if waiting >= self.0.queue {
            return Err(Ended::Busy { waiting });
        }
        match tokio::time::timeout(patience, Arc::clone(&self.0.places).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Place::new(permit, &self.0.stats)),
            _ => Err(Ended::Busy { waiting }),
        }
    }
}

/// Ends with the runtime. It runs on the thread that is kept free of trials.
async fn watch_trials(inner: Weak<Inner>) {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let Some(inner) = inner.upgrade() else { return };
        let (found, over) = inner.trials.look();
        if found {
            tracing::warn!("a call does not end; from now on every call gets a thread");
            Stats::add(&inner.stats.stuck);
        }
        for give_up in over {
            give_up();
        }
    }
}

struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// One call's place on the threads; dropping it gives the place back.
pub(crate) struct Place {
    _permit: OwnedSemaphorePermit,
    stats: Arc<Stats>,
}

impl Place {
    fn new(permit: OwnedSemaphorePermit, stats: &Arc<Stats>) -> Self {
        Stats::add(&stats.in_flight);
        Self {
            _permit: permit,
            stats: Arc::clone(stats),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        Stats::sub(&self.stats.in_flight);
    }
}
