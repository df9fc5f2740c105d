//! The handle that everything above holds; a clone shares.

use crate::abandoned::{AbandonedThread, AbandonedThreads, MOST_OF_INSTANCE};
use crate::answers::Answers;
use crate::audit::Audit;
use crate::catalog::Catalog;
use crate::closed::Closed;
use crate::disk::Folder;
use crate::event::Event;
use crate::ground::Ground;
use crate::keeper::Keeper;
use crate::lane::{Pass, Trial, Trials};
use crate::library::{Library, Overrides};
use crate::life::Life;
use crate::loaded::Loaded;
use crate::memory::Memory;
use crate::name_record::NameRecord;
use crate::observed::Observer;
use crate::orders::Order;
use crate::overload::Overload;
use crate::pool::Pool;
use crate::project::ProjectFile;
use crate::quota::{Held, Used};
use crate::request::{Lines, RequestErrorKind};
use crate::stats::Stats;
use crate::tasks::Tasks;
use crate::updates::Updates;
use model::{Caller, Fault, Limits, MemoryShare, ModuleName, Stop, World};
use script::{Coverage, Engine, ToolChange};
use settings::Bounds;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};
use store::StoreError;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// How often the watchdog looks at inline calls and at the memory of the process.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// At the end, modules get so long to stop: calls under way, and then their own `stop`.
const CLOSING: Duration = Duration::from_secs(12);

/// Setting of how many calls may wait for a permit.
const QUEUE: &str = "queue";
/// Setting of how many calls may run at one time.
const CALLS: &str = "calls";

/// What a runtime is made from.
#[derive(Clone)]
pub struct Settings {
    pub folders: Vec<PathBuf>,
    /// Texts of files in them that an editor has not written yet.
    pub unsaved: Arc<BTreeMap<PathBuf, String>>,
    /// `larkspur.toml`, which also says the limits.
    pub project: ProjectFile,
    pub overrides: Overrides,
    /// What lies outside.
    pub world: Arc<dyn World>,
    /// Load and check, but run no `start`: for those who only look.
    pub asleep: bool,
    /// Do not load files in starlark-mcp's form, which have starlark-mcp's default permissions.
    pub refuses_extensions: bool,
    /// Threads that calls arrive on, of which one is always kept free of scripts.
    pub threads: usize,
    pub bounds: Bounds,
    /// Hears of every call.
    pub observer: Option<Observer>,
    /// What lies in the folders, when that was loaded before.
    pub loaded: Option<Arc<Loaded>>,
    /// What modules keep ends with the runtime.
    pub forgets: bool,
    /// Hears what scripts print and log, in the log's stead.
    pub hearer: Option<Lines>,
    /// Where lines that run are counted.
    pub coverage: Option<Arc<Coverage>>,
    /// Counts threads that ignore their deadline; shared by runtimes of one process.
    pub abandoned: Arc<AbandonedThreads>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            folders: Vec::new(),
            unsaved: Arc::default(),
            project: ProjectFile::default(),
            overrides: Overrides::default(),
            world: Arc::new(Closed),
            asleep: false,
            refuses_extensions: false,
            threads: 2,
            bounds: Bounds::default(),
            observer: None,
            loaded: None,
            forgets: false,
            hearer: None,
            coverage: None,
            abandoned: Arc::default(),
        }
    }
}

#[derive(Clone)]
pub struct Runtime(Arc<Inner>);

struct Inner {
    ground: Arc<Ground>,
    /// Registry, lock-free read and change signal at once; sending is the only write.
    catalog: watch::Sender<Arc<Catalog>>,
    trials: Trials,
    memory: Memory,
    /// Set once the watchdog thread runs.
    watchdog: OnceLock<()>,
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
    bounds: Bounds,
    tasks: Tasks,
    stats: Arc<Stats>,
    observer: Option<Observer>,
    audit: Audit,
    used: Used,
    started: Instant,
    keeper: Keeper,
}

impl Runtime {
    /// Loads every folder. What cannot be loaded is in the catalog's `broken`; the rest is served.
    pub fn open(settings: Settings) -> Self {
        Self::load(settings, false, |_| {})
    }

    /// Loads every folder and keeps it fresh until the last handle is gone; `told` hears of each change.
    pub fn watch(settings: Settings, told: impl Fn(&Event) + Send + 'static) -> Self {
        Self::load(settings, true, told)
    }

    fn load(settings: Settings, watches: bool, told: impl Fn(&Event) + Send + 'static) -> Self {
        let ground = Arc::new(Ground::new(&settings));
        // Who only looks calls nothing, and what a test calls is nobody's call, and nobody's share.
        let audit = if settings.asleep || settings.forgets {
            Audit::default()
        } else {
            Audit::of(&settings.project)
        };
        let quotas =
            if settings.forgets { Bounds::default() } else { settings.project.project().bounds };
        let names = || {
            if settings.forgets {
                NameRecord::default()
            } else {
                NameRecord::open(&ground.store, watches)
            }
        };
        let (engine, names) = match &settings.loaded {
            Some(loaded) => (Arc::clone(&loaded.engine), names()),
            // Opening the store and making the engine take about as long: each has a core.
            None => std::thread::scope(|scope| {
                let names = scope.spawn(names);
                let engine = Engine::counting((*ground.limits).clone(), settings.coverage);
                (Arc::new(engine), names.join().unwrap_or_default())
            }),
        };
        let (project, overrides) = (settings.project, settings.overrides);
        let mut library = Library::new(Arc::clone(&ground), engine, project, overrides, names);
        let catalog = match &settings.loaded {
            Some(loaded) => library.take_loaded(loaded, &told),
            None => library.load_everything(&told),
        };
        if watches {
            catalog.tool_index.build_in_background();
        }
        let catalog = watch::Sender::new(Arc::new(catalog));
        let memory = Memory::new(settings.bounds.memory, ground.limits.heap_bytes);
        let stats: Arc<Stats> = Arc::default();
        let keeper = Keeper::start(library, catalog.clone(), Arc::clone(&stats), watches, told);
        let (store, world) = (ground.store.clone(), Arc::clone(&ground.world));
        let tasks = Tasks::new(store, world, &settings.bounds);
        Self(Arc::new(Inner {
            ground,
            catalog,
            trials: Trials::new(settings.threads),
            memory,
            watchdog: OnceLock::new(),
            places: Arc::new(Semaphore::new(settings.bounds.calls.min(Semaphore::MAX_PERMITS))),
            waiting: AtomicUsize::new(0),
            bounds: settings.bounds,
            tasks,
            stats,
            observer: settings.observer,
            audit,
            used: Used::new(&quotas, settings.bounds.queue),
            started: Instant::now(),
            keeper,
        }))
    }

    /// Reloads, starts or stops modules; why not, if nothing was done.
    pub async fn order(&self, order: Order) -> Result<(), String> {
        let answer = self.0.keeper.order(order).await;
        answer.unwrap_or_else(|_| Err("the server is ending".into()))
    }

    /// Reads the folders and the configuration again, though no change was reported.
    pub fn reread(&self) {
        self.0.keeper.reread();
    }

    /// Serves nothing more and stops every module, dependents first. What has not ended after a
    /// while is left alone; answers how many that are.
    pub fn close(&self) -> usize {
        let _ = self.0.keeper.close().blocking_recv();
        let left = self.0.ground.lives.wait(CLOSING);
        self.0.ground.world.close();
        self.0.audit.close();
        left
    }

    /// What a call did to its module's tools, served from now on.
    pub(crate) fn change_tools(
        &self,
        life: &Arc<Life>,
        changes: Vec<ToolChange>,
    ) -> Result<(), Fault> {
        let answer = self.0.keeper.change_tools(life, changes).blocking_recv();
        answer.unwrap_or_else(|_| Err(Fault::new("the server is ending")))
    }

    pub(crate) fn keeper(&self) -> &Keeper {
        &self.0.keeper
    }

    pub(crate) fn ground(&self) -> &Arc<Ground> {
        &self.0.ground
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
        &self.0.ground.folders
    }

    /// Whether the database of the data folder can be used, if there is one.
    pub fn check_store(&self) -> Result<(), StoreError> {
        self.0.ground.store.check()
    }

    pub fn limits(&self) -> &Arc<Limits> {
        &self.0.ground.limits
    }

    /// Calls that go on while their clients do something else.
    pub fn tasks(&self) -> &Tasks {
        &self.0.tasks
    }

    pub(crate) fn bounds(&self) -> &Bounds {
        &self.0.bounds
    }

    pub fn stats(&self) -> &Arc<Stats> {
        &self.0.stats
    }

    /// Where calls and denials are written down.
    pub fn audit(&self) -> &Audit {
        &self.0.audit
    }

    pub(crate) fn answers(&self) -> &Answers {
        &self.0.ground.answers
    }

    pub(crate) fn used(&self) -> &Used {
        &self.0.used
    }

    pub(crate) fn observer(&self) -> Option<&Observer> {
        self.0.observer.as_ref()
    }

    /// Where word of changed resources goes.
    pub fn updates(&self) -> &Updates {
        &self.0.ground.updates
    }

    /// How many calls wait for a place.
    pub(crate) fn waiting(&self) -> usize {
        self.0.waiting.load(Ordering::Relaxed) + self.0.used.waiting()
    }

    pub fn uptime(&self) -> Duration {
        self.0.started.elapsed()
    }

    /// A slot for a trial, watched from the first one on.
    pub(crate) async fn enter_trial(&self, trial: impl FnOnce() -> Trial) -> Option<Pass<'_>> {
        self.start_watchdog();
        self.0.trials.enter(trial).await
    }

    /// Starts the watchdog thread with the first call.
    fn start_watchdog(&self) {
        self.0.watchdog.get_or_init(|| {
            let (inner, executor) = (Arc::downgrade(&self.0), Handle::current());
            let thread = std::thread::Builder::new().name("watchdog".into());
            if let Err(error) = thread.spawn(move || watch(&inner, &executor)) {
                tracing::error!("cannot start the watchdog thread: {error}");
            }
        });
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.0.ground.pool
    }

    /// A place among the calls on threads, waited for until the call's own deadline.
    pub(crate) async fn admit(
        &self,
        of: Option<&(Caller, ModuleName)>,
        patience: Duration,
    ) -> Result<Place, RequestErrorKind> {
        if let Some(refusal) = self.0.ground.abandoned.refusal() {
            return Err(self.busy(Overload::AbandonedThreads(refusal)));
        }
        let until = tokio::time::Instant::now() + patience;
        let own = match of {
            Some((caller, module)) => self.0.used.enter(caller, module, until).await,
            None => Ok([None, None]),
        };
        let own = own.map_err(|overload| self.busy(overload))?;
        let places = Arc::clone(&self.0.places);
        let permit = match Arc::clone(&places).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => {
                let _waiting = self.queue()?;
                let permit = tokio::time::timeout_at(until, places.acquire_owned()).await;
                let (waited, limit) = (patience, CALLS);
                let none = || self.busy(Overload::NoPermit { waited, limit });
                permit.ok().and_then(Result::ok).ok_or_else(none)?
            }
        };
        let running = &self.0.stats.in_flight;
        if self.0.memory.is_full(running) {
            let _waiting = self.queue()?;
            if !self.0.memory.wait(running, until).await {
                return Err(self.busy(Overload::NoMemory { waited: patience }));
            }
        }
        self.start_watchdog();
        Ok(Place::new(permit, own, self))
    }

    /// A place in the queue of calls that wait.
    fn queue(&self) -> Result<Waiting<'_>, RequestErrorKind> {
        let waiting = self.0.waiting.fetch_add(1, Ordering::Relaxed);
        let counted = Waiting(&self.0.waiting);
        if waiting < self.0.bounds.queue {
            return Ok(counted);
        }
        let limit = QUEUE;
        Err(self.busy(Overload::QueueFull { waiting, limit }))
    }

    fn busy(&self, overload: Overload) -> RequestErrorKind {
        match overload {
            Overload::NoMemory { .. } => self.0.stats.stops.add(Stop::Memory),
            _ => Stats::add(self.0.stats.limited.of(overload.limit())),
        }
        RequestErrorKind::Busy(overload)
    }

    /// Counts a thread that ignores its deadline, and stops the module instance that leaves too many.
    pub(crate) fn abandon(&self, life: Option<&Arc<Life>>) -> AbandonedThread {
        let thread = self.0.ground.abandoned.add(life);
        if let Some(life) = life
            && life.abandoned.load(Ordering::Relaxed) >= MOST_OF_INSTANCE
        {
            self.0.keeper.halt(life);
        }
        thread
    }

    /// Threads that ignore their deadline.
    pub fn abandoned(&self) -> &Arc<AbandonedThreads> {
        &self.0.ground.abandoned
    }
}

/// Ends with the runtime. It is no task: a trial that does not end may hold the very thread that
/// would tell the others of timers and input, and then they sleep until somebody pokes them.
fn watch(inner: &Weak<Inner>, executor: &Handle) {
    let _context = executor.enter();
    loop {
        std::thread::park_timeout(LOOK_EVERY);
        let Some(inner) = inner.upgrade() else { return };
        inner.memory.look();
        let look = inner.trials.look();
        if look.changed && look.is_stuck {
            tracing::warn!("inline call is stuck; disabled inline execution until it ends");
        }
        if look.is_stuck {
            executor.spawn(async {});
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
    _own: [Option<Held>; 2],
    pub(crate) memory: MemoryShare,
    runtime: Runtime,
}

impl Place {
    fn new(permit: OwnedSemaphorePermit, own: [Option<Held>; 2], runtime: &Runtime) -> Self {
        Stats::add(&runtime.stats().in_flight);
        Self {
            _permit: permit,
            _own: own,
            memory: runtime.0.memory.enter(),
            runtime: runtime.clone(),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        Stats::sub(&self.runtime.stats().in_flight);
        self.runtime.0.memory.leave(&self.memory);
    }
}
