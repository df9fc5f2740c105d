//! Stops modules one after the other, the youngest first: in the order of their starts, reversed. One
//! that is still in use does not keep the others waiting, nor does one whose `stop` never ends.

use crate::ground::Ground;
use crate::life::Life;
use crate::supervised::run_in_time;
use model::{Fault, ModuleName};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Default)]
pub(crate) struct Stops {
    births: AtomicU64,
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    /// Lives that nobody uses any more, by their age.
    ready: BTreeMap<u64, Arc<Life>>,
    /// Somebody is at it.
    busy: bool,
}

impl Stops {
    /// The number of a life that begins now.
    pub(crate) fn birth(&self) -> u64 {
        self.births.fetch_add(1, Ordering::Relaxed)
    }

    /// Answers whether somebody must begin to work.
    fn add(&self, life: &Arc<Life>) -> bool {
        let mut queue = self.queue.lock();
        queue.ready.insert(life.born, Arc::clone(life));
        !std::mem::replace(&mut queue.busy, true)
    }

    fn next(&self) -> Option<Arc<Life>> {
        let mut queue = self.queue.lock();
        let youngest = queue.ready.pop_last().map(|(_, life)| life);
        queue.busy = youngest.is_some();
        youngest
    }
}

/// Stops a life that nobody uses, when its turn comes.
pub(crate) fn stop(ground: &Arc<Ground>, life: &Arc<Life>) {
    if !ground.stops.add(life) {
        return;
    }
    let worker = Arc::clone(ground);
    let work = move || {
        while let Some(life) = worker.stops.next() {
            stop_in_time(&worker, &life);
            life.end();
        }
    };
    if let Err(error) = ground.pool.run(work) {
        while let Some(life) = ground.stops.next() {
            tracing::error!("module `{}` could not be stopped: {error}", life.module);
            life.end();
        }
    }
}

fn stop_in_time(ground: &Ground, life: &Arc<Life>) {
    let stopped = Arc::clone(life);
    let outcome = run_in_time(
        life.stop_time(),
        |job| ground.pool.run(job),
        || ground.abandoned.add(Some(life)),
        move || stopped.stop(),
    );
    if let Err(none) = outcome {
        log_failure(&life.module, &none.fault(life.stop_time()));
    }
}

pub(crate) fn log_failure(module: &ModuleName, fault: &Fault) {
    tracing::error!(report = %fault, "`stop` of module `{module}` failed: {}", fault.message);
}
