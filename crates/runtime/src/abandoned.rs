//! Abandoned threads: they ignore their deadline, hold no permit, and are counted until they end.

use crate::life::{Life, Visit};
use crate::reader::{Reader, digest};
use model::Fault;
use parking_lot::Mutex;
use script::{FileId, Sources};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Abandoned threads at which no further script gets a thread, so that memory stays bounded.
pub(crate) const MOST: usize = 64;

/// Abandoned threads of one module instance at which it is stopped.
pub(crate) const MOST_OF_INSTANCE: usize = 3;

/// Counts abandoned threads, and remembers files that left one behind while they were loaded.
#[derive(Default)]
pub struct AbandonedThreads {
    count: AtomicUsize,
    files: Mutex<BTreeMap<String, StuckFile>>,
}

/// A file whose evaluation did not return, and everything it was made from, with digests.
#[derive(Clone)]
struct StuckFile {
    made_from: BTreeMap<FileId, u64>,
    fault: Fault,
}

/// One abandoned thread; dropped when it has ended after all.
pub struct AbandonedThread {
    all: Arc<AbandonedThreads>,
    instance: Option<Arc<Life>>,
}

impl AbandonedThreads {
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Reason to refuse further threads, if there are too many abandoned ones.
    pub fn refusal(&self) -> Option<String> {
        let count = self.count();
        (count >= MOST).then(|| {
            format!("{count} threads ignore their deadline, {MOST} at most may; restart the server")
        })
    }

    /// Counts a thread, for a module instance if it ran for one.
    pub(crate) fn add(self: &Arc<Self>, instance: Option<&Arc<Life>>) -> AbandonedThread {
        self.count.fetch_add(1, Ordering::Relaxed);
        if let Some(life) = instance {
            life.abandoned.fetch_add(1, Ordering::Relaxed);
        }
        AbandonedThread { all: Arc::clone(self), instance: instance.cloned() }
    }

    /// Counts a thread whose evaluation of this file did not return.
    pub fn add_load(
        self: &Arc<Self>,
        reader: &Reader<'_>,
        file: &FileId,
        touched: &BTreeSet<FileId>,
        fault: &Fault,
    ) -> AbandonedThread {
        let stuck = StuckFile { made_from: reader.digests(touched), fault: fault.clone() };
        self.files.lock().insert(reader.path_of(file), stuck);
        self.add(None)
    }

    /// Reason not to evaluate a file, and the files it was made from: it did not return before and is
    /// unchanged, or too many threads were abandoned.
    pub fn known(&self, reader: &Reader<'_>, file: &FileId) -> Option<(Fault, BTreeSet<FileId>)> {
        if let Some(refusal) = self.refusal() {
            let fault = Fault::new(format!("cannot load {file}: {refusal}"));
            return Some((fault, BTreeSet::new()));
        }
        if self.files.lock().is_empty() {
            return None;
        }
        let stuck = self.files.lock().get(&reader.path_of(file)).cloned()?;
        let is_same = |(id, seen): (&FileId, &u64)| digest(&reader.read(id)) == *seen;
        let is_same = stuck.made_from.iter().all(is_same);
        is_same.then(|| (stuck.fault, stuck.made_from.into_keys().collect()))
    }

    /// Files that did not return are evaluated again: the operator asks for it.
    pub(crate) fn forget_files(&self) {
        self.files.lock().clear();
    }
}

impl Drop for AbandonedThread {
    fn drop(&mut self) {
        self.all.count.fetch_sub(1, Ordering::Relaxed);
        if let Some(life) = &self.instance {
            life.abandoned.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Abandoned threads of one loading, any of which may end first.
#[derive(Default)]
pub struct LoadThreads(Mutex<Vec<AbandonedThread>>);

impl LoadThreads {
    pub fn push(&self, thread: AbandonedThread) {
        self.0.lock().push(thread);
    }

    /// One of them has ended.
    pub fn pop(&self) {
        let ended = self.0.lock().pop();
        drop(ended);
    }
}

/// What a thread holds while it works for a call. It is given back when the thread ends or is abandoned,
/// whichever comes first.
pub(crate) struct ThreadLease<H>(Arc<Mutex<LeaseState<H>>>);

enum LeaseState<H> {
    Working {
        #[expect(dead_code, reason = "held, not used")]
        held: H,
        /// Instances in use, numbered in the order in which the call entered them.
        visits: Vec<(usize, Visit)>,
        entered: usize,
    },
    Abandoned(#[expect(dead_code, reason = "counts until it is dropped")] AbandonedThread),
    Over,
}

/// The thread's part of a lease: dropped when the thread is done.
pub(crate) struct WorkingThread<H>(ThreadLease<H>);

/// Keeps an instance in use while a call runs in it that another call makes.
pub(crate) struct NestedVisit<'a, H> {
    lease: &'a ThreadLease<H>,
    number: usize,
}

impl<H> Clone for ThreadLease<H> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<H> ThreadLease<H> {
    pub(crate) fn new(held: H, visit: Option<Visit>) -> (Self, WorkingThread<H>) {
        let visits = visit.map(|visit| (0, visit)).into_iter().collect();
        let state = LeaseState::Working { held, visits, entered: 0 };
        let lease = Self(Arc::new(Mutex::new(state)));
        (lease.clone(), WorkingThread(lease))
    }

    pub(crate) fn is_working(&self) -> bool {
        matches!(*self.0.lock(), LeaseState::Working { .. })
    }

    /// Abandons the thread if it still works: `count` counts it, for the instance it is in.
    pub(crate) fn abandon(
        &self,
        count: impl FnOnce(Option<&Arc<Life>>) -> AbandonedThread,
    ) -> bool {
        let mut state = self.0.lock();
        let LeaseState::Working { visits, .. } = &*state else {
            return false;
        };
        let innermost = visits.last().map(|(_, visit)| visit.life());
        let abandoned = LeaseState::Abandoned(count(innermost));
        let working = std::mem::replace(&mut *state, abandoned);
        // What was held may wake others, who must find the lock free.
        drop(state);
        drop(working);
        true
    }

    /// A call that this thread makes of another module.
    pub(crate) fn enter(&self, visit: Visit) -> NestedVisit<'_, H> {
        let mut number = 0;
        if let LeaseState::Working { visits, entered, .. } = &mut *self.0.lock() {
            *entered += 1;
            number = *entered;
            visits.push((number, visit));
        }
        NestedVisit { lease: self, number }
    }
}

impl<H> Drop for NestedVisit<'_, H> {
    fn drop(&mut self) {
        let mut state = self.lease.0.lock();
        let visit = match &mut *state {
            LeaseState::Working { visits, .. } => {
                let at = visits.iter().rposition(|(number, _)| *number == self.number);
                at.map(|at| visits.remove(at))
            }
            LeaseState::Abandoned(_) | LeaseState::Over => None,
        };
        drop(state);
        drop(visit);
    }
}

impl<H> Drop for WorkingThread<H> {
    fn drop(&mut self) {
        let was = std::mem::replace(&mut *self.0.0.lock(), LeaseState::Over);
        drop(was);
    }
}

#[cfg(test)]
#[path = "abandoned_tests.rs"]
mod tests;
