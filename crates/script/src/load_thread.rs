//! Loads files on a thread that can be abandoned: a file that never returns fails alone.

use crate::engine::Engine;
use crate::loader::{FileId, Loading, Sources};
use crate::script::Script;
use model::{Cancel, Fault, Host, show_duration};
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::BTreeSet;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Stack for loading: parsing, compiling and freezing recurse. Only what is touched is used.
const LOAD_STACK: usize = 512 << 20;

/// Time beyond its limit in which an evaluation may notice that it is over.
pub const GRACE: Duration = Duration::from_millis(500);

/// Sources and host of one loading. Its threads own it, since any of them may be abandoned.
pub trait LoadSession: Send + Sync + 'static {
    /// Runs the work with the sources and the host, on the thread that loads.
    fn enter(&self, work: &mut dyn FnMut(&dyn Sources, &dyn Host));

    /// The fault of a file that did not return before and is still the same, with everything that it
    /// looked for.
    fn stuck(&self, _file: &FileId) -> Option<(Fault, BTreeSet<FileId>)> {
        None
    }

    /// The evaluation of `file` did not return; `touched` is everything it looked for.
    fn abandoned(&self, _file: &FileId, _touched: &BTreeSet<FileId>, _fault: &Fault) {}

    /// A thread that was abandoned has ended after all.
    fn ended(&self) {}
}

/// Outcome of loading one file.
pub struct LoadedFile {
    pub file: FileId,
    pub result: Result<Script, Fault>,
    /// Everything that was looked for, found or not: a change of any of it matters.
    pub touched: BTreeSet<FileId>,
    pub took: Duration,
}

/// Progress of a load thread, shared with the thread that waits for it.
pub(crate) struct LoadProgress {
    state: Mutex<State>,
    over: Condvar,
    /// Stops the evaluation at its next step once the thread is abandoned.
    pub(crate) cancel: Cancel,
}

struct State {
    loaded: Vec<LoadedFile>,
    /// Begin and touched files of the file that was asked for.
    begin: Instant,
    touched: BTreeSet<FileId>,
    /// Files being evaluated, outermost first.
    open: Vec<OpenFile>,
    /// Last time that anything began or ended.
    since: Instant,
    is_over: bool,
    is_abandoned: bool,
}

struct OpenFile {
    file: FileId,
    touched: BTreeSet<FileId>,
}

impl Engine {
    /// Loads files one after the other, each at most once. A file that fails, or never returns, leaves
    /// the others alone; files that are loaded by several are evaluated once per thread.
    pub fn load_all(
        self: &Arc<Self>,
        files: &[FileId],
        session: &Arc<dyn LoadSession>,
    ) -> Vec<LoadedFile> {
        let limit = self.limits.for_loading().time;
        let mut loaded = Vec::with_capacity(files.len());
        while let Some(rest) = files.get(loaded.len()..).filter(|rest| !rest.is_empty()) {
            let progress = Arc::new(LoadProgress::new());
            match self.spawn(rest.to_vec(), session, &progress) {
                Ok(()) => loaded.extend(progress.wait(rest, limit, session)),
                Err(error) => loaded.push(failed(&rest[0], no_thread(&rest[0], &error))),
            }
        }
        loaded
    }

    fn spawn(
        self: &Arc<Self>,
        files: Vec<FileId>,
        session: &Arc<dyn LoadSession>,
        progress: &Arc<LoadProgress>,
    ) -> io::Result<()> {
        let (engine, session) = (Arc::clone(self), Arc::clone(session));
        let over = Over(Arc::clone(progress), Arc::clone(&session));
        spawn_with_room("load", move || {
            let progress = &over.0;
            session.enter(&mut |sources, host| {
                let mut loading = Loading::new(&engine, sources, host, &*session, progress);
                for file in &files {
                    progress.begin();
                    let result = load_one(file, &mut loading);
                    if !progress.finish(file, result) {
                        return;
                    }
                }
            });
        })
    }
}

/// Starts a thread with room to recurse: for loading a file, or starting a module, whose values are
/// frozen level by level.
pub fn spawn_with_room(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let thread = std::thread::Builder::new().name(name.into()).stack_size(LOAD_STACK);
    thread.spawn(work).map(|_| ())
}

fn load_one(file: &FileId, loading: &mut Loading<'_>) -> Result<Script, Fault> {
    let load = || {
        let evaluated = loading.file(file)?;
        Script::new(file, &evaluated)
    };
    catch_unwind(AssertUnwindSafe(load)).unwrap_or_else(|_| Err(engine_failed(file)))
}

impl LoadProgress {
    fn new() -> Self {
        let now = Instant::now();
        Self {
            state: Mutex::new(State {
                loaded: Vec::new(),
                begin: now,
                touched: BTreeSet::new(),
                open: Vec::new(),
                since: now,
                is_over: false,
                is_abandoned: false,
            }),
            over: Condvar::new(),
            cancel: Cancel::default(),
        }
    }

    fn begin(&self) {
        let mut state = self.state.lock();
        state.begin = Instant::now();
        state.since = state.begin;
        state.touched.clear();
        // A panic may have left some behind.
        state.open.clear();
    }

    /// Keeps the outcome of a file; false once the thread is abandoned.
    fn finish(&self, file: &FileId, result: Result<Script, Fault>) -> bool {
        let mut state = self.state.lock();
        let touched = std::mem::take(&mut state.touched);
        let took = state.begin.elapsed();
        state.loaded.push(LoadedFile { file: file.clone(), result, touched, took });
        !state.is_abandoned
    }

    /// The evaluation of a file begins; the cycle that would close, if it is already open.
    pub(crate) fn open(&self, file: &FileId) -> Result<(), Vec<FileId>> {
        let mut state = self.state.lock();
        if let Some(start) = state.open.iter().position(|open| open.file == *file) {
            let open = state.open[start..].iter().map(|open| open.file.clone());
            return Err(open.chain([file.clone()]).collect());
        }
        state.open.push(OpenFile { file: file.clone(), touched: BTreeSet::from([file.clone()]) });
        state.since = Instant::now();
        Ok(())
    }

    /// The innermost evaluation has ended; answers everything it looked for.
    pub(crate) fn close(&self) -> BTreeSet<FileId> {
        let mut state = self.state.lock();
        let closed = state.open.pop().map(|open| open.touched);
        let closed = closed.unwrap_or_default();
        state.touched().extend(closed.iter().cloned());
        state.since = Instant::now();
        closed
    }

    /// Notes files that the innermost evaluation looks for.
    pub(crate) fn touch<'f>(&self, files: impl IntoIterator<Item = &'f FileId>) {
        self.state.lock().touched().extend(files.into_iter().cloned());
    }

    /// The script itself begins to run: its time counts from here.
    pub(crate) fn run(&self) {
        self.state.lock().since = Instant::now();
    }

    /// Waits for the thread, no longer than `limit` for each evaluation. Answers what it has loaded,
    /// with the file in which it was abandoned, if it was.
    fn wait(
        &self,
        files: &[FileId],
        limit: Duration,
        session: &Arc<dyn LoadSession>,
    ) -> Vec<LoadedFile> {
        let mut state = self.state.lock();
        while !state.is_over {
            let left = (limit + GRACE).saturating_sub(state.since.elapsed());
            if left.is_zero() {
                return self.abandon(state, files, limit, session);
            }
            self.over.wait_for(&mut state, left);
        }
        let mut loaded = std::mem::take(&mut state.loaded);
        // The session itself has panicked: that is a defect of ours.
        if loaded.is_empty() {
            loaded.extend(files.first().map(|file| failed(file, engine_failed(file))));
        }
        loaded
    }

    fn abandon(
        &self,
        mut state: MutexGuard<'_, State>,
        files: &[FileId],
        limit: Duration,
        session: &Arc<dyn LoadSession>,
    ) -> Vec<LoadedFile> {
        let mut loaded = std::mem::take(&mut state.loaded);
        let Some(file) = files.get(loaded.len()) else {
            return loaded;
        };
        state.is_abandoned = true;
        self.cancel.cancel();
        let mut touched = std::mem::take(&mut state.touched);
        touched.insert(file.clone());
        let open = std::mem::take(&mut state.open);
        touched.extend(open.iter().flat_map(|open| open.touched.iter().cloned()));
        let took = state.begin.elapsed();
        // Before the lock is given back: the thread may end at once, and is to be counted first.
        let (stuck, own) = match open.last() {
            Some(open) => (&open.file, &open.touched),
            None => (file, &touched),
        };
        let fault = did_not_return(stuck, limit);
        session.abandoned(stuck, own, &fault);
        drop(state);
        loaded.push(LoadedFile { file: file.clone(), result: Err(fault), touched, took });
        loaded
    }
}

impl State {
    /// What the innermost evaluation has looked for so far.
    fn touched(&mut self) -> &mut BTreeSet<FileId> {
        match self.open.last_mut() {
            Some(open) => &mut open.touched,
            None => &mut self.touched,
        }
    }
}

/// Says that the thread has ended, however it ends.
struct Over(Arc<LoadProgress>, Arc<dyn LoadSession>);

impl Drop for Over {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.is_over = true;
        let was_abandoned = state.is_abandoned;
        drop(state);
        self.0.over.notify_all();
        if was_abandoned {
            self.1.ended();
        }
    }
}

fn failed(file: &FileId, fault: Fault) -> LoadedFile {
    LoadedFile {
        file: file.clone(),
        result: Err(fault),
        touched: BTreeSet::from([file.clone()]),
        took: Duration::ZERO,
    }
}

fn did_not_return(file: &FileId, limit: Duration) -> Fault {
    let limit = show_duration(limit);
    Fault::new(format!(
        "{file} does not finish loading: it ignores its time limit of {limit} (limit `timeout`), and \
         its thread was abandoned"
    ))
    .help(
        "one step at the top level of the file never ends, such as hashing, comparing or printing a \
         value that contains itself many times; change it and save the file",
    )
}

fn engine_failed(file: &FileId) -> Fault {
    Fault::new(format!("the engine gave up on {file}"))
        .help("this is a defect of ours; please report it with the file")
}

fn no_thread(file: &FileId, error: &io::Error) -> Fault {
    Fault::new(format!("cannot load {file}: cannot start a thread: {error}"))
}
